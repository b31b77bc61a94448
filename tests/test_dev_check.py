"""Each check of `kata dev check` is proven by a kata that is broken in one way and shows that finding, and no other."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from corpus import any_failing_input

from grader.catalog import find_katas, load_kata
from grader.dev import trial as dev_trial
from grader.dev.check import Neighbour, check_kata, find_folders, neighbours
from grader.dev.finding import Finding, Findings
from grader.dev.new import new_kata
from grader.dev.trial import Trial
from grader.diagnosis.mistakes import read_mistake
from grader.errors import UsageError

ID = "my-kata"


def fill_blanks(pack: Path) -> None:
    """What an author does who finds the example good as it is."""
    for path in pack.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r".*BLANK:.*\n", "", text), encoding="utf-8")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack with one kata in it, with nothing to mend."""
    pack = tmp_path_factory.mktemp("example")
    new_kata(ID, pack)
    fill_blanks(pack)
    return pack


@pytest.fixture
def pack(example: Path, tmp_path: Path) -> Path:
    """A private copy of the example, to be broken."""
    return Path(shutil.copytree(example, tmp_path / "pack", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture
def folder(pack: Path) -> Path:
    return pack / "katas" / ID


@pytest.fixture
def no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading only: nothing is graded."""
    monkeypatch.setattr(dev_trial.Trial, "reference_passes", lambda _: False)


@pytest.fixture
def trial(folder: Path) -> Trial:
    return Trial(Findings(folder), load_kata(folder))


def edit(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def only(findings: list[Finding] | tuple[Finding, ...]) -> Finding:
    assert len(findings) == 1, findings
    finding = findings[0]
    assert finding.kata == ID
    assert finding.remedy
    return finding


class TestTheExample:
    def test_passes_the_whole_check_once_its_blanks_are_filled(self, folder: Path) -> None:
        report = check_kata(folder)
        assert report.findings == ()
        assert (report.properties, report.mistakes) == (10, 3)

    @pytest.mark.usefixtures("no_trial")
    def test_has_one_finding_for_each_blank_before(self, tmp_path: Path) -> None:
        folder = new_kata(ID, tmp_path)
        report = check_kata(folder)
        assert {finding.check for finding in report.findings} == {"blanks"}
        files = {finding.where.partition(":")[0] for finding in report.findings}
        written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
        assert files == written  # every file says what to put in its place

    @pytest.mark.usefixtures("no_trial")
    def test_may_lack_the_translation(self, folder: Path) -> None:
        (folder / "brief.zh-CN.md").unlink()
        assert check_kata(folder).findings == ()

    @pytest.mark.usefixtures("no_trial")
    def test_may_lack_questions_where_it_is_in_a_pack(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "questions.md").unlink()
        assert check_kata(folder).findings == ()
        monkeypatch.setattr("grader.dev.check.content_root", lambda: folder.parents[1].resolve())
        finding = only(check_kata(folder).findings)
        assert (finding.check, finding.problem) == ("questions", "is missing")

    def test_reports_each_step(self, folder: Path) -> None:
        notes: list[str] = []

        def progress(note: str) -> Iterator[None]:
            notes.append(note)
            yield

        from contextlib import contextmanager

        check_kata(folder, progress=contextmanager(progress))
        assert f"checking {ID}: the reference in float64…" in notes
        assert f"checking {ID}: mistake 2 of 3…" in notes


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def change(name: str, old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: edit(folder / name, old, new)


def add(name: str, text: str = "") -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return write


REFERENCE = "../../reference/my_kata.py"
MISTAKE = "mistakes/mean-for-sum.py"
ENTRY = '[[entry]]\nname = "my_kata"\nkind = "function"\nsignature = "my_kata(x)"\n'
PROPERTY = '''
@law("values")
@given(case=cases())
def test_another(candidate, oracle, case):
    """Another law."""
'''
MISPLACED = PROPERTY.replace('@law("values")\n@given(case=cases())', '@given(case=cases())\n@law("values")')

# (what is broken, check, where below the kata's folder, problem, remedy), each but the first as a regular expression
BROKEN: dict[str, tuple[Callable[[Path], None], str, str, str, str]] = {
    "toml: unknown key": (
        change("kata.toml", "minutes", 'colour = "red"\nminutes'),
        "kata.toml", "kata.toml", "^colour: unknown key$", "known are title, .*forbidden",
    ),
    "toml: unknown key of an entry": (
        change("kata.toml", "kind =", 'sort = "x"\nkind ='),
        "kata.toml", "kata.toml", r"^entry 1\.sort: unknown key$", "known are",
    ),
    "toml: missing key": (
        change("kata.toml", "minutes = 10", ""),
        "kata.toml", "kata.toml", "^minutes: missing$", "add it; kata dev new",
    ),
    "toml: wrong value": (
        change("kata.toml", '"easy"', '"simple"'),
        "kata.toml", "kata.toml", "^difficulty: one of easy, medium, hard wanted", "mend the value",
    ),
    "toml: no TOML": (
        change("kata.toml", "minutes = 10", "minutes = = 10"),
        "kata.toml", "kata.toml", "^is no valid TOML", "mend the syntax",
    ),
    "toml: empty summary": (
        change("kata.toml", "The logarithm of a sum of exponentials, without overflow", " "),
        "kata.toml", "kata.toml", "^summary: is empty$", "kata list shows it",
    ),
    "toml: nameless operator": (
        change("kata.toml", '"torch.logsumexp" #', '"" #'),
        "kata.toml", "kata.toml", r"^forbidden\.operator_label: is empty$", "such as F.layer_norm",
    ),
    "unique: two entries of one name": (
        change("kata.toml", "[forbidden]", ENTRY + "[forbidden]"),
        "unique", "kata.toml", "^the entry my_kata is there twice$", "its own name",
    ),
    "brief: no symbol": (
        lambda folder: (folder / "brief.md").write_text("# Brief\n\nWrite my_katas, not my_kata2.\n"),
        "brief", "brief.md", "^does not name my_kata$", r"define: my_kata\(x\)",
    ),
    "brief: no signature": (
        change("brief.md", "my_kata(x)", "my_kata(y)"),
        "brief", "brief.md", r"^does not show the signature my_kata\(x\)$", "as it stands in kata.toml",
    ),
    "brief: translation without symbol": (
        add("brief.zh-CN.md", "# 手写\n"),
        "brief", "brief.zh-CN.md", "^does not name my_kata$", "define",
    ),
    "brief: no text": (
        lambda folder: (folder / "brief.md").write_bytes(b"\xff\xfe\x00"),
        "brief", "brief.md", "^cannot be read", "UTF-8",
    ),
    "hints: two": (
        change("hints.md", "## 3. Nearly the code", ""),
        "hints", "hints.md", "^3 rungs under headings .* wanted, 2 found$", "a nudge, the idea, nearly the code",
    ),
    "hints: numbered wrongly": (
        change("hints.md", "## 3.", "## 4."),
        "hints", "hints.md", "^the rungs are numbered 1, 2, 4$", "1, 2, 3",
    ),
    "questions: four": (
        change("questions.md", "## Why subtract", "# Why subtract"),
        "questions", "questions.md", "^at least 5 questions wanted, 4 found$", "add some",
    ),
    "questions: no answer": (
        change("questions.md", "## What does it", "## Which?\n\nA strong answer mentions: all.\n\n## What does it"),
        "questions", r"questions.md:\d+", "^'Which\\?' has no model answer$", "below the heading",
    ),
    "questions: no strong points": (
        change("questions.md", "A strong answer mentions: the softmax;", "It is the softmax;"),
        "questions", r"questions.md:\d+", "^'What is the gradient\\?' does not say", "A strong answer mentions",
    ),
    **{
        f"files: no {name}": (remove(name), "files", name, "^is missing$", "kata dev new")
        for name in ("brief.md", "stub.py", "hints.md", "properties.py", "kata.toml")
    },
    "files: no reference": (
        remove(REFERENCE),
        "files", REFERENCE, "^is missing$", "under this name",
    ),
    "files: no mistakes": (
        lambda folder: shutil.rmtree(folder / "mistakes"),
        "files", "mistakes", "^holds no known mistake$", r"mistakes/ID\.py",
    ),
    "files: stray file": (
        add("notes.txt"),
        "files", "notes.txt", "^does not belong here$", "move it away; allowed are kata.toml,",
    ),
    "files: stray folder": (
        add("drafts/one.py"),
        "files", "drafts", "^does not belong here$", "move it away",
    ),
    "files: stray file among the mistakes": (
        add("mistakes/notes.md"),
        "files", "mistakes/notes.md", "^does not belong here$", "one for each mistake",
    ),
    "stub: no Python": (
        add("stub.py", '"""Doc."""\ndef my_kata(x:\n'),
        "stub", "stub.py:2", "^is not valid Python", "mend the syntax",
    ),
    "stub: no docstring": (
        lambda folder: _drop_docstring(folder / "stub.py"),
        "stub", "stub.py:1", "^has no docstring$", "the contract: what to call",
    ),
    "reference: no Python": (
        add(REFERENCE, '"""Doc."""\ndef my_kata(x:\n'),
        "reference", REFERENCE + ":2", "^is not valid Python", "mend the syntax",
    ),
    "reference: no docstring": (
        lambda folder: _drop_docstring(folder / REFERENCE),
        "reference", REFERENCE + ":1", "^has no docstring$", "the formula, the shapes and the paper",
    ),
    "properties: no Python": (
        change("properties.py", "import torch", "import import"),
        "properties", r"properties.py:\d+", "^is not valid Python", "mend the syntax",
    ),
    "properties: seven": (
        lambda folder: [
            edit(folder / "properties.py", f"{old})", f"{old}, stretch=True)")
            for old in ('@law("shapes"', '@law("gradients"')
        ],
        "properties", "properties.py", "^at least 8 required properties wanted, 7 found$", "add laws",
    ),
    "properties: no docstring": (
        change("properties.py", '    """The call leaves its input as it was."""\n', ""),
        "properties", r"properties.py:\d+", "^input-unmodified has no docstring$", "in one line",
    ),
    "properties: long docstring": (
        change("properties.py", "leaves its input as", "leaves its input\n    as"),
        "properties", r"properties.py:\d+", "^the docstring of input-unmodified has several lines$", "one line",
    ),
    "properties: no full stop": (
        change("properties.py", "leaves its input as it was.", "leaves its input as it was"),
        "properties", r"properties.py:\d+", "^the docstring of input-unmodified does not end in a full stop$", "sentence",
    ),
    "properties: twice": (
        lambda folder: _append(folder / "properties.py", PROPERTY * 2),
        "properties", r"properties.py:\d+", r"^the property another is there twice: line \d+ has it too", "rename",
    ),
    "properties: no name": (
        lambda folder: _append(folder / "properties.py", PROPERTY.replace("another", "Another")),
        "properties", r"properties.py:\d+", "^test_Another: 'Another' cannot be a property's id$", "lower case",
    ),
    "properties: no law": (
        lambda folder: _append(folder / "properties.py", PROPERTY.replace('@law("values")', "")),
        "properties", r"properties.py:\d+", "^another has no @law$", "values, shapes, gradients, numerics, robustness",
    ),
    "properties: unknown category": (
        lambda folder: _append(folder / "properties.py", PROPERTY.replace('"values"', '"speed"')),
        "properties", r"properties.py:\d+", "^@law of another has the unknown category 'speed'$", "values, shapes",
    ),
    "properties: law below given": (
        lambda folder: _append(folder / "properties.py", MISPLACED),
        "properties", r"properties.py:\d+", "^@law of another stands below @given$", "first decorator",
    ),
    "probes: none": (
        change("properties.py", "def probes():", "def samples():"),
        "probes", "properties.py", r"^has no probes\(\)", r"add probes\(\): a list of grader.diagnosis.probes.Probe",
    ),
    "mistakes: no docstring": (
        lambda folder: _drop_docstring(folder / MISTAKE),
        "mistakes", MISTAKE, "^the docstring is missing$", "begins with a docstring, FIX",
    ),
    "mistakes: no fix": (
        change(MISTAKE, "FIX =", "MEND ="),
        "mistakes", MISTAKE, "^the FIX is missing$", "begins with a docstring, FIX",
    ),
    "mistakes: computed fix": (
        change(MISTAKE, "FIX =", "FIX = 2 *"),
        "mistakes", MISTAKE, "^FIX must be a literal$", "three plain strings",
    ),
    "mistakes: no killer": (
        change(MISTAKE, "KILLED_BY =", "KILLER ="),
        "mistakes", MISTAKE, "^the KILLED_BY is missing$", "begins with a docstring, FIX",
    ),
    "mistakes: unknown killer": (
        change(MISTAKE, "matches-formula", "match-formula"),
        "mistakes", MISTAKE, "^KILLED_BY names 'match-formula', which is no property; did you mean matches-formula",
        "broken law",
    ),
    "mistakes: stretch killer": (
        change(MISTAKE, "matches-formula", "half-precision"),
        "mistakes", MISTAKE, "^KILLED_BY names half-precision, a stretch property", "name the required property",
    ),
    "mistakes: long docstring": (
        change(MISTAKE, "Takes the mean", "Takes " + "very " * 40 + "boldly the mean"),
        "mistakes", MISTAKE, r"^the docstring has \d+ characters$", "at most 160",
    ),
    "mistakes: long fix": (
        change(MISTAKE, "write sum in", "write sum\\nin"),
        "mistakes", MISTAKE, "^FIX has several lines$", "shorten it",
    ),
    "mistakes: no Python": (
        change(MISTAKE, "import torch", "import import"),
        "mistakes", MISTAKE + r":\d+", "^is not valid Python", "mend the syntax",
    ),
    "mistakes: variants of nothing": (
        change(MISTAKE, "FIX =", 'VARIANTS = ({"SCALE": 2},)\nFIX ='),
        "mistakes", MISTAKE, "^VARIANTS names SCALE, which the file does not assign$", "assigned at the top",
    ),
    "mistakes: variants of another form": (
        change(MISTAKE, "FIX =", 'VARIANTS = {"SCALE": 2}\nFIX ='),
        "mistakes", MISTAKE, "^VARIANTS is no list of dictionaries$", "list the other values",
    ),
    "mistakes: variants of no form": (
        change(MISTAKE, "FIX =", "VARIANTS = 2\nFIX ="),
        "mistakes", MISTAKE, "^VARIANTS is no list of dictionaries$", "list the other values",
    ),
    "mistakes: variant of nothing": (
        change(MISTAKE, "FIX =", 'VARIANT_OF = "sum-for-mean"\nFIX ='),
        "mistakes", MISTAKE, "^VARIANT_OF names 'sum-for-mean', which is no mistake here$", "drop VARIANT_OF",
    ),
    "mistakes: no id": (
        lambda folder: (folder / MISTAKE).rename(folder / "mistakes/Mean_for_sum.py"),
        "mistakes", "mistakes/Mean_for_sum.py", "^the file's name is the mistake's id", "lower case",
    ),
    "workload: table without a file": (
        remove("workload.py"),
        "workload", "workload.py", r"^is missing, though kata.toml has \[timing\]$", r"drop \[timing\]",
    ),
    "workload: file without a table": (
        lambda folder: _drop_table(folder / "kata.toml", "timing"),
        "workload", "workload.py", r"^is never used: kata.toml has no \[timing\]$", "add the table",
    ),
    "kata.toml: limit too low": (
        change("kata.toml", "limit = 2.0", "limit = 1.1"),
        "kata.toml", "kata.toml", "^timing.limit: at least 1.5 wanted, 1.1 found$", "mend the value",
    ),
    "blanks: one": (
        change("hints.md", "# Hints", "<!-- BLANK: write hints -->\n# Hints"),
        "blanks", r"hints.md:\d+", "^to fill in: write hints$", "delete the line with BLANK",
    ),
}  # fmt: skip


def _drop_table(path: Path, name: str) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(rf"^\[{name}\]\n(?:(?!\[).*\n)*", "", text, flags=re.MULTILINE), encoding="utf-8")


def _drop_docstring(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'\A""".*?"""\n', "", text, flags=re.DOTALL), encoding="utf-8")


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n" + text, encoding="utf-8")


@pytest.mark.usefixtures("no_trial")
class TestReading:
    @pytest.mark.parametrize("broken", BROKEN)
    def test_a_kata_broken_in_one_way_has_that_finding(self, folder: Path, broken: str) -> None:
        break_it, check, where, problem, remedy = BROKEN[broken]
        break_it(folder)
        finding = only(check_kata(folder).findings)
        assert finding.check == check
        below = "reference" + where.removeprefix("../../reference") if where.startswith("..") else f"katas/{ID}/{where}"
        assert re.fullmatch(below, finding.where)
        assert re.search(problem, finding.problem)
        assert re.search(remedy, finding.remedy)

    def test_bytecode_is_no_stray_file(self, folder: Path) -> None:
        for place in (folder / "__pycache__", folder / "mistakes" / "__pycache__"):
            place.mkdir()
            (place / "one.pyc").write_bytes(b"")
        assert check_kata(folder).findings == ()

    def test_a_folder_that_cannot_be_a_kata_by_its_name(self, folder: Path) -> None:
        other = folder.rename(folder.with_name("My_Kata"))
        (other.parents[1] / "reference" / "my_kata.py").rename(other.parents[1] / "reference" / "My_Kata.py")
        problems = [finding.problem for finding in check_kata(other).findings]
        assert problems == ["the folder's name is the kata's id, and this cannot be one"]

    def test_an_id_that_is_taken(self, folder: Path, tmp_path: Path) -> None:
        other = Neighbour(tmp_path / "elsewhere" / "katas" / ID, "Another title")
        finding = only(check_kata(folder, [other]).findings)
        assert finding.check == "unique"
        assert finding.problem == f"the id {ID} is taken by {other.folder}"

    def test_a_title_that_is_taken(self, folder: Path) -> None:
        other = Neighbour(folder.with_name("other"), "My KATA")
        finding = only(check_kata(folder, [other]).findings)
        assert finding.problem == "the title 'My kata' is also that of other"

    def test_the_kata_itself_is_no_neighbour(self, folder: Path) -> None:
        assert check_kata(folder, neighbours([folder])).findings == ()


class TestGrading:
    """What only a grade can tell. Each test runs the one step that it is about."""

    def test_a_reference_that_cannot_be_imported(self, trial: Trial) -> None:
        _append(trial.kata.reference, "raise RuntimeError('no')\n")
        assert not trial.reference_passes()
        finding = only(trial.found.all)
        assert finding.where == "reference/my_kata.py"
        assert finding.problem == "importing it raises RuntimeError: no"

    def test_a_reference_without_the_entry_symbol(self, trial: Trial) -> None:
        edit(trial.kata.reference, "def my_kata", "def other_kata")
        assert not trial.reference_passes()
        assert "cannot be graded: the file does not define my_kata" in only(trial.found.all).problem

    def test_a_reference_that_is_wrong_in_one_dtype(self, trial: Trial) -> None:
        edit(trial.kata.reference, "(total) + top.squeeze(-1)", "(total).float() + top.squeeze(-1).float()")
        assert not trial.reference_passes()
        found = {finding.problem.partition(":")[0] for finding in trial.found.all}
        assert "the required property keeps-dtype does not hold in float64" in found
        assert "the stretch property half-precision does not hold in float32 and float64" in found

    def test_a_reference_that_holds_all_but_a_stretch_property(self, trial: Trial) -> None:
        edit(trial.kata.reference, "    top =", "    assert x.dtype not in (torch.float16, torch.bfloat16)\n    top =")
        assert not trial.reference_passes()
        finding = only(trial.found.all)
        assert finding.problem.startswith("the stretch property half-precision does not hold in float32 and float64: ")
        assert "kata grade" in finding.remedy

    @pytest.mark.parametrize(
        ("old", "new", "trouble"),
        [
            ('"example_kata", {', '"another", {', "ValueError: make() calls another, which is no [[entry]]"),
            ("fill(512, size)", "fill(512, size) / 0", "ValueError: the answers are not finite"),
            ("fill(512, size)", "fill(size.width)", "AttributeError: 'int' object has no attribute 'width'"),
        ],
    )
    def test_a_workload_that_the_reference_cannot_answer(self, trial: Trial, old: str, new: str, trouble: str) -> None:
        edit(trial.kata.workload, old.replace("example_kata", "my_kata"), new)
        trial.check_workload(8)
        finding = only(trial.found.all)
        assert (finding.check, finding.where) == ("workload", f"katas/{ID}/workload.py")
        assert finding.problem == f"at size 8 the reference cannot answer: {trouble}"

    def test_a_further_call_that_the_reference_cannot_answer(self, trial: Trial) -> None:
        _append(trial.kata.workload, '\n\nOTHERS = {"twice": lambda size, fill: Case("twice", {"x": fill(size)})}\n')
        trial.check_workload(8)
        assert only(trial.found.all).problem == (
            "at size 8 the reference cannot answer: ValueError: 'twice' of OTHERS calls twice, which is no [[entry]]"
        )

    def test_a_further_call_whose_name_no_verdict_could_hold(self, trial: Trial) -> None:
        _append(trial.kata.workload, '\n\nOTHERS = {"with a mask!": make}\n')
        trial.check_workload(8)
        assert "ValueError: 'with a mask!' of OTHERS is no short name" in only(trial.found.all).problem

    def test_a_limit_of_a_further_call_that_there_is_not(self, trial: Trial) -> None:
        _append(trial.kata.workload, '\n\nOTHER_LIMITS = {"twice": 5}\n')
        trial.check_workload(8)
        assert "ValueError: OTHER_LIMITS names 'twice', which is not in OTHERS" in only(trial.found.all).problem

    def test_a_property_that_fails_by_itself(self, trial: Trial) -> None:
        edit(trial.kata.properties, "order = Filler(", "order = Filer(")
        assert not trial.reference_passes()
        finding = only(trial.found.all)
        assert finding.where == f"katas/{ID}/properties.py"
        assert finding.problem == "order-is-irrelevant itself fails: NameError: name 'Filer' is not defined"

    def test_properties_that_cannot_be_imported(self, trial: Trial) -> None:
        edit(trial.kata.properties, "from grader.laws import answers_repeat", "from grader.laws import answer_repeats")
        assert not trial.reference_passes()
        assert "ImportError: cannot import name 'answer_repeats'" in only(trial.found.all).problem

    def test_a_stub_that_passes(self, trial: Trial) -> None:
        shutil.copy(trial.kata.reference, trial.kata.folder / "stub.py")
        trial.check_stub()
        assert only(trial.found.all).problem == "passes: nothing is left to write"

    def test_a_stub_that_cannot_be_imported(self, trial: Trial) -> None:
        _append(trial.kata.folder / "stub.py", "raise NotImplementedError\n")
        trial.check_stub()
        finding = only(trial.found.all)
        assert finding.where == f"katas/{ID}/stub.py"
        assert finding.problem == "cannot be graded: importing the file raised NotImplementedError"

    def mistakes(self, trial: Trial, *names: str) -> None:
        paths = [trial.kata.folder / "mistakes" / f"{name}.py" for name in names]
        trial.check_mistakes([read_mistake(path) for path in paths], compare=True)

    def test_a_mistake_that_is_none(self, trial: Trial) -> None:
        edit(trial.kata.folder / MISTAKE, "mean(dim", "sum(dim")
        self.mistakes(trial, "mean-for-sum")
        finding = only(trial.found.all)
        assert finding.where == f"katas/{ID}/{MISTAKE}"
        assert finding.problem == "passes: no required property kills it"

    def test_a_mistake_that_dies_by_another_property(self, trial: Trial) -> None:
        edit(trial.kata.folder / MISTAKE, "matches-formula", "keeps-dtype")
        self.mistakes(trial, "mean-for-sum")
        problem = only(trial.found.all).problem
        assert problem.startswith("does not die by keeps-dtype, but by matches-formula")

    def test_a_mistake_that_cannot_be_graded(self, trial: Trial) -> None:
        edit(trial.kata.folder / MISTAKE, "def my_kata", "def other_kata")
        self.mistakes(trial, "mean-for-sum")
        assert "cannot be graded: the file does not define my_kata" in only(trial.found.all).problem

    def test_a_mistake_that_cannot_be_imported(self, trial: Trial) -> None:
        _append(trial.kata.folder / MISTAKE, "1 / 0\n")
        self.mistakes(trial, "mean-for-sum")
        assert only(trial.found.all).problem == "importing it raises ZeroDivisionError: division by zero"

    def test_a_mistake_on_which_no_probe_differs(self, trial: Trial) -> None:
        edit(trial.kata.properties, "fill(2, 3) + 1000", "fill(2, 3) + 1")
        self.mistakes(trial, "naive-exp-overflow")
        finding = only(trial.found.all)
        assert finding.problem == "is not recognised: on every probe its answers are the right ones"
        assert finding.remedy == "add an input to probes() on which it differs"

    def test_a_mistake_that_answers_at_random_is_recognised_by_that(self, trial: Trial) -> None:
        edit(trial.kata.folder / MISTAKE, "top.squeeze(-1)", "top.squeeze(-1) + torch.rand(())")
        self.mistakes(trial, "mean-for-sum")
        assert trial.found.all == []

    def test_a_mistake_that_is_taken_for_others(self, trial: Trial) -> None:
        for name in ("a-copy", "b-copy"):
            shutil.copy(trial.kata.folder / MISTAKE, trial.kata.folder / "mistakes" / f"{name}.py")
        self.mistakes(trial, "mean-for-sum")
        finding = only(trial.found.all)
        assert finding.problem == "is taken for a-copy or b-copy"
        assert "the two differ" in finding.remedy

    def test_a_mistake_that_calls_the_forbidden_operator_needs_no_other_flaw(self, trial: Trial) -> None:
        edit(trial.kata.folder / MISTAKE, "matches-formula", "no-forbidden-operator")
        edit(trial.kata.folder / MISTAKE, "return ", "return torch.logsumexp(x, dim=-1)\n    return ")
        self.mistakes(trial, "mean-for-sum")
        assert trial.found.all == []

    def test_a_mistake_with_an_unknown_killer_is_not_graded(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Trial, "reference_passes", lambda _: True)
        monkeypatch.setattr(Trial, "check_stub", lambda _: None)
        edit(folder / MISTAKE, "matches-formula", "match-formula")
        assert "which is no property" in only(check_kata(folder).findings).problem

    def test_a_variant_is_recognised_as_what_it_is_a_variant_of(self, trial: Trial) -> None:
        copy = trial.kata.folder / "mistakes" / "a-copy.py"
        shutil.copy(trial.kata.folder / MISTAKE, copy)
        edit(copy, "FIX =", 'VARIANT_OF = "mean-for-sum"\nFIX =')
        self.mistakes(trial, "a-copy", "mean-for-sum")
        assert trial.found.all == []

    @pytest.mark.parametrize(
        ("body", "problem"),
        [
            ("return 1 / 0", "probes() raises ZeroDivisionError: division by zero"),
            ("return []", "probes() returns no list of Probe"),
            ("return [1]", "probes() returns no list of Probe"),
        ],
    )
    def test_probes_that_are_none(self, trial: Trial, body: str, problem: str) -> None:
        edit(trial.kata.properties, "def probes():", f"def probes():\n    {body}")
        trial.check_mistakes([], compare=True)
        finding = only(trial.found.all)
        assert finding.check == "probes"
        assert finding.problem == problem


class TestWhatToCheck:
    def test_everything_by_default(self, pack: Path, folder: Path) -> None:
        assert find_folders(None, pack, [pack]) == [folder]

    @pytest.mark.parametrize("argument", [".", "katas", f"katas/{ID}", "my-kata", "My_Kata"])
    def test_a_pack_a_kata_or_an_id(self, pack: Path, folder: Path, argument: str) -> None:
        assert find_folders(argument, pack, [pack]) == [folder]

    def test_an_id_goes_before_a_folder_that_is_no_kata(self, pack: Path, folder: Path) -> None:
        (pack / ID).mkdir()
        assert find_folders(ID, pack, [pack]) == [folder]

    def test_a_folder_of_a_kata_to_be_is_checked_too(self, pack: Path, folder: Path) -> None:
        (folder / "kata.toml").unlink()
        assert find_folders(".", pack, []) == [folder]

    def test_a_folder_that_is_no_kata_to_be_is_not(self, pack: Path, folder: Path) -> None:
        (pack / "katas" / "notes").mkdir()
        (pack / "katas" / ".git").mkdir()
        assert find_folders(".", pack, []) == [folder]

    @pytest.mark.parametrize(
        ("argument", "message"),
        [
            ("my-cat", "neither a folder nor a kata; did you mean my-kata?"),
            ("reference", "neither a kata .* nor a pack"),
            ("empty", "no katas in it"),
        ],
    )
    def test_a_path_without_katas_is_a_usage_error(self, pack: Path, argument: str, message: str) -> None:
        (pack / "empty" / "katas").mkdir(parents=True)
        with pytest.raises(UsageError, match=message):
            find_folders(argument, pack, [pack])


# Our own katas, in full: the slowest test here, once for each.
@pytest.mark.parametrize("kata", find_katas().values(), ids=lambda kata: kata.id)
def test_our_own_kata_has_nothing_to_mend(kata) -> None:
    with any_failing_input():
        report = check_kata(kata.folder, neighbours(other.folder for other in find_katas().values()))
    assert report.findings == ()
