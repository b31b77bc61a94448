"""The command `kata` from outside: streams, exit codes, and what a user meets when something is wrong.

Grading itself is stood in for by verdicts made by hand (`samples.py`); the examiner has its own tests.
"""

from __future__ import annotations

import json
import os
import pty
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import cli, examiner, host
from grader.catalog import find_katas
from grader.errors import GraderError, NotAvailable, UsageError
from grader.journal.events import Journal
from grader.verdict import Isolation, Outcome

ROOT = Path(cli.__file__).parents[1]
TESTS = Path(__file__).parent
samples = SimpleNamespace(**runpy.run_path(str(TESTS / "samples.py")))

# A `kata` whose examiner answers with the sample named in KATA_SAMPLE.
STAND_IN = f"""
import os, runpy, sys, time, signal
from grader import cli, examiner, host
def grade(kata, path, **options):
    kind = os.environ["KATA_SAMPLE"]
    if kind == "bug": raise ZeroDivisionError("made to fail\\x1b[2J")
    if kind == "hang": print("hanging", flush=True); time.sleep(60)
    if kind == "exit": os.kill(os.getpid(), signal.SIGINT); time.sleep(60)
    return runpy.run_path({str(TESTS / "samples.py")!r})["ALL"][kind]()
host.prestart = examiner.prestart = lambda: None
examiner.grade = grade
cli.main()
"""

ALLOWED = ("PATH", "HOME", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "a place"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


class Kata:
    """Runs `kata` in a process of its own."""

    def __init__(self, place: Path, home: Path) -> None:
        self.place, self.home = place, home

    def environ(self, **changes: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ALLOWED if name in os.environ}
        return {**kept, "PYTHONPATH": str(ROOT), "KATA_HOME": str(self.home), "OMP_NUM_THREADS": "1", **changes}

    def command(self, sample: str) -> list[str]:
        return [sys.executable, "-c", STAND_IN] if sample else [sys.executable, "-m", "grader.cli"]

    def __call__(self, *arguments: str, sample: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command(sample), *arguments],
            cwd=self.place,
            env=self.environ(KATA_SAMPLE=sample, **environ),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )

    def on_terminal(self, *arguments: str, sample: str = "", **environ: str) -> tuple[int, str]:
        """The exit code and what a terminal gets, stdout and stderr together."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [*self.command(sample), *arguments],
            cwd=self.place,
            env=self.environ(KATA_SAMPLE=sample, TERM="xterm-256color", **environ),
            stdin=follower,
            stdout=follower,
            stderr=follower,
        )
        os.close(follower)
        chunks = []
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            chunks.append(chunk)
        os.close(leader)
        return process.wait(60), b"".join(chunks).decode("utf-8")

    def journal(self) -> Journal:
        return Journal(self.home, warn=print)


@pytest.fixture
def kata(place: Path, home: Path) -> Kata:
    return Kata(place, home)


@pytest.fixture
def inside(place: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`kata` in this process, with an examiner that answers `inside.verdict` and notes what it was asked."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("KATA_HOME", str(home))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    state = SimpleNamespace(verdict=samples.passing(), asked=[], home=home, place=place)

    def grade(kata: Any, path: Path, **options: Any) -> Any:
        state.asked.append((kata.id, path, options))
        if isinstance(state.verdict, BaseException):
            raise state.verdict
        return state.verdict

    monkeypatch.setattr(host, "prestart", lambda: None)
    monkeypatch.setattr(examiner, "grade", grade)
    state.run = lambda *arguments: cli.run(list(arguments))
    return state


class TestWithoutACommand:
    def test_says_where_i_am_and_what_next(self, kata: Kata) -> None:
        first = kata()
        assert first.returncode == 0
        assert "0 of 6 katas passed." in first.stdout
        assert "Next: kata start head-split-merge" in first.stdout
        kata("start", "layernorm")
        second = kata().stdout
        assert "In this folder: layernorm in layernorm.py, started." in second
        assert "Next: kata grade" in second

    def test_after_a_pass_the_next_kata_is_named(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.run("start", "layernorm")
        inside.run("grade")
        capsys.readouterr()
        inside.run()
        shown = capsys.readouterr().out
        assert "1 of 6 katas passed." in shown
        assert "Next: kata start scaled-dot-product" in shown


class TestHelp:
    @pytest.mark.parametrize("option", ["-h", "--help"])
    def test_is_there_for_every_command(self, kata: Kata, option: str) -> None:
        shown = kata(option).stdout
        for command in (
            "list",
            "show",
            "start",
            "grade",
            "reset",
            "hint",
            "solution",
            "status",
            "doctor",
            "demo",
            "bench",
        ):
            assert re.search(rf"^  {command} ", shown, re.MULTILINE)

    def test_of_grade_says_that_auto_is_the_cpu_and_what_the_exit_codes_are(self, kata: Kata) -> None:
        shown = " ".join(kata("grade", "-h").stdout.split())
        assert "auto is the CPU: practice files are small" in shown
        assert "0 pass, 1 fail, 3 the file cannot be graded, 4 the grader failed" in shown

    def test_fits_a_narrow_terminal(self, kata: Kata) -> None:
        assert max(map(len, kata("grade", "--help", COLUMNS="60").stdout.splitlines())) <= 60

    def test_version(self, kata: Kata) -> None:
        assert re.fullmatch(r"torch-kata \S.*\n", kata("--version").stdout)

    @pytest.mark.parametrize("arguments", [("--help",), ("list",), ("hint", "layernorm"), ("status",), ()])
    def test_and_its_like_import_nothing_slow(self, kata: Kata, arguments: tuple[str, ...]) -> None:
        script = (
            "import sys; from grader import cli; code = cli.run(sys.argv[1:])\n"
            "slow = {'torch', 'pytest', 'hypothesis', 'numpy', 'rich.markdown', 'pygments', 'importlib.metadata'}\n"
            "print(code, sorted(slow & set(sys.modules)), file=sys.stderr)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            env=kata.environ(),
            cwd=kata.place,
            capture_output=True,
            text=True,
        )
        assert done.stderr.splitlines()[-1] == "0 []"


class TestList:
    def test_shows_every_kata_with_my_state(self, kata: Kata) -> None:
        kata("start", "layernorm")
        shown = kata("list").stdout
        assert re.search(r"head-split-merge +easy +\d+ +– new", shown)
        assert re.search(r"layernorm +easy +\d+ +○ started", shown)

    def test_json_is_one_document(self, kata: Kata) -> None:
        done = kata("list", "--json")
        assert done.stderr == ""
        document = json.loads(done.stdout)
        assert [entry["id"] for entry in document["katas"]] == list(find_katas())
        first = document["katas"][0]
        assert (first["state"], first["attempts"], first["best"], first["hints_used"]) == ("new", 0, None, 0)


class TestShow:
    def test_renders_the_brief(self, kata: Kata) -> None:
        shown = kata("show", "LayerNorm").stdout
        assert "Layer normalisation" in shown
        assert "#" not in shown
        assert "Next: kata start layernorm" in shown

    def test_long_code_goes_on_deeper_and_no_two_lines_in_a_row_are_blank(self, kata: Kata) -> None:
        shown = kata("show", "layernorm", COLUMNS="60").stdout
        assert "eps: float\n                = 1e-5)" in shown
        assert "\n\n\n" not in kata("show", "linear-attention", COLUMNS="60").stdout

    def test_speaks_chinese_to_the_last_line(self, kata: Kata) -> None:
        assert kata("show", "layernorm", "--lang", "zh").stdout.splitlines()[-1] == "下一步：kata start layernorm"

    def test_speaks_chinese(self, kata: Kata) -> None:
        assert re.search(r"[\u4e00-\u9fff]{4}", kata("show", "layernorm", "--lang", "zh").stdout)

    def test_without_a_kata_means_the_one_started_here(self, kata: Kata) -> None:
        assert kata("show").returncode == 2
        kata("start", "causal-mask")
        assert "Causal mask" in kata("show").stdout


class TestStart:
    def test_prints_the_path_on_stdout_and_words_on_stderr(self, kata: Kata, place: Path) -> None:
        done = kata("start", "causal_mask")
        assert (done.returncode, done.stdout) == (0, f"{place / 'causal_mask.py'}\n")
        assert "kata grade" in done.stderr
        assert (place / "causal_mask.py").read_text(encoding="utf-8") == find_katas()["causal-mask"].stub

    def test_never_overwrites_and_names_reset(self, kata: Kata, place: Path) -> None:
        (place / "layernorm.py").write_text("mine", encoding="utf-8")
        done = kata("start", "layernorm")
        assert (done.returncode, done.stdout) == (1, f"{place / 'layernorm.py'}\n")
        assert "left as it is" in done.stderr
        assert "kata reset layernorm" in done.stderr
        assert (place / "layernorm.py").read_text(encoding="utf-8") == "mine"

    def test_of_an_unknown_kata_suggests_the_nearest(self, kata: Kata) -> None:
        done = kata("start", "layer-nrom")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "kata: there is no kata named 'layer-nrom'; did you mean layernorm?\nNext: kata list\n"

    def test_in_a_folder_that_is_gone(self, kata: Kata, place: Path) -> None:
        script = (
            "import os, sys; os.rmdir(os.getcwd()); from grader import cli; sys.exit(cli.run(['start', 'layernorm']))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=place, env=kata.environ(), capture_output=True, text=True
        )
        assert done.returncode == 2
        assert "the current folder is gone" in done.stderr


class TestReset:
    def test_backs_up_and_says_where(self, kata: Kata, place: Path) -> None:
        (place / "layernorm.py").write_text("mine", encoding="utf-8")
        done = kata("reset", "layernorm")
        assert (done.returncode, done.stdout) == (0, f"{place / 'layernorm.py'}\n")
        (backup,) = place.glob("layernorm.py.*.bak")
        assert backup.name in done.stderr
        assert backup.read_text(encoding="utf-8") == "mine"


class TestGrade:
    @pytest.mark.parametrize(
        ("sample", "code"),
        [("passing", 0), ("failing", 1), ("unusable", 3), ("timed_out", 3), ("crashed", 3), ("grader_error", 4)],
    )
    def test_the_exit_code_is_the_verdicts(self, kata: Kata, sample: str, code: int) -> None:
        kata("start", "layernorm")
        done = kata("grade", sample=sample)
        assert done.returncode == code
        assert done.stdout.splitlines()[0].split()[1] in ("PASS", "FAIL", "UNUSABLE", "GRADER")
        assert done.stderr == ""

    @pytest.mark.parametrize("sample", samples.ALL)
    def test_json_is_one_document_and_nothing_else(self, kata: Kata, sample: str) -> None:
        kata("start", "layernorm")
        done = kata("grade", "--json", sample=sample)
        assert done.returncode == samples.ALL[sample]().outcome.exit_code
        assert json.loads(done.stdout)["verdict"] == samples.ALL[sample]().outcome.value
        assert done.stderr == ""

    def test_asks_for_what_was_asked(self, inside: Any) -> None:
        words = ["--kata", "layernorm", "--seed", "7", "--device", "cuda", "--require-isolation", "full", "--audit"]
        inside.run("grade", *words, "my answer.py")
        ((id, path, options),) = inside.asked
        assert (id, path) == ("layernorm", inside.place / "my answer.py")
        assert callable(options.pop("tell"))
        wanted = {
            "shown_path": "my answer.py",
            "seed": 7,
            "device": "cuda",
            "require_isolation": "full",
            "audit": True,
            "source": None,
            "timing": True,
        }
        assert options == wanted

    def test_times_unless_told_not_to_and_as_long_as_told(self, inside: Any) -> None:
        for words in ([], ["--no-timing"], ["--timing-budget", "10"]):
            inside.run("grade", *words, "layernorm")
        by_default, left_out, longer = (options["timing"] for _, _, options in inside.asked)
        assert (by_default, left_out, longer.budget) == (True, False, 10.0)

    def test_takes_a_file_name_that_begins_with_a_dash(self, inside: Any) -> None:
        assert inside.run("grade", "--kata", "layernorm", "--", "-x.py") == 0
        assert inside.asked[0][1] == inside.place / "-x.py"

    def test_without_an_argument_takes_the_kata_last_started_here(self, inside: Any) -> None:
        inside.run("start", "layernorm")
        inside.run("start", "causal-mask")
        inside.run("start", "layernorm")
        inside.run("grade")
        assert inside.asked[0][0] == "layernorm"

    def test_with_nothing_started_says_what_to_start(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        assert inside.run("grade") == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("kata: no kata was started in this folder\nNext: kata start")

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--seed", "x"),
            ("--seed", "-1"),
            ("--device", "tpu"),
            ("--timing-budget", "0"),
            ("--timing-budget", "nan"),
            ("--bogus",),
            ("a", "b"),
        ],
    )
    def test_what_cannot_be_parsed_leaves_stdout_empty_with_json_too(
        self, inside: Any, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
    ) -> None:
        assert inside.run("grade", "--json", *arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("kata: ")
        assert "\nNext: kata " in captured.err

    @pytest.mark.parametrize(
        "arguments", [("--kata", "layernrom", "x.py"), ("nosuchkata",), (), ("--no-journal",)], ids=str
    )
    def test_what_there_is_not_is_one_document_with_json(
        self, inside: Any, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
    ) -> None:
        assert inside.run("grade", "--json", *arguments) == 2
        captured = capsys.readouterr()
        document = json.loads(captured.out)
        assert captured.err.startswith(f"kata: {document['reason']}\nNext: ")
        assert (document["verdict"], document["isolation"], document["properties"]) == ("usage-error", None, [])

    def test_a_file_that_changes_meanwhile_is_told(
        self, inside: Any, kata: Kata, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def edits(kata: Any, path: Path, **options: Any) -> Any:
            path.write_text("print('another')\n")
            return inside.verdict

        inside.run("start", "layernorm")
        inside.run("grade")
        capsys.readouterr()
        monkeypatch.setattr(examiner, "grade", edits)
        inside.run("grade")
        _, told, *_ = capsys.readouterr().out.splitlines()
        assert re.fullmatch(r"  The file has changed since: this is about it as of \d\d:\d\d:\d\d\.", told)
        inside.run("grade", "--json")
        assert json.loads(capsys.readouterr().out)["read_at"] == "", "saved again as it was, it has not changed"

    def test_a_file_that_stays_is_not_said_to_have_changed(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.run("start", "layernorm")
        capsys.readouterr()
        inside.run("grade")
        assert "has changed" not in capsys.readouterr().out

    @pytest.mark.parametrize("verdict", ["passing", "failing", "unusable"])
    def test_somebody_elses_file_is_no_attempt_of_mine(
        self, inside: Any, kata: Kata, capsys: pytest.CaptureFixture[str], verdict: str
    ) -> None:
        inside.verdict = samples.ALL[verdict]()
        (inside.place / "carl.py").write_text("x = 1\n")
        code = inside.run("grade", "--no-journal", "--kata", "layernorm", "carl.py")
        assert code == inside.verdict.outcome.exit_code
        shown = capsys.readouterr().out
        assert not re.search("Stuck|Next:|kata hint|kata solution|kata start", shown)
        assert not list(inside.home.glob("*")), "not even a journal is begun"
        inside.run("grade", "--no-journal", "--json", "--kata", "layernorm", "carl.py")
        assert json.loads(capsys.readouterr().out)["hints_used"] is None
        assert kata.journal().of("layernorm").state == "new"

    def test_no_journal_is_no_way_round_a_running_interview(
        self, inside: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(journal: Any, kata: str) -> None:
            raise UsageError(f"{kata} is in interview 1, which is running", "kata interview resume")

        monkeypatch.setattr("grader.interview.beside.refuse_grade", refuse)
        (inside.place / "carl.py").write_text("x = 1\n")
        assert inside.run("grade", "--no-journal", "--kata", "layernorm", "carl.py") == 2
        assert inside.asked == []

    def test_help_after_an_endless_loop_is_offered_as_after_a_failure(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.verdict = samples.passing(outcome=Outcome.UNUSABLE, reason="no answer", advice="look for a loop")
        inside.run("start", "layernorm")
        capsys.readouterr()
        inside.run("grade")
        *_, remark, last = capsys.readouterr().out.splitlines()
        assert remark == "Look for a loop. Stuck? kata hint layernorm"
        assert last.startswith("Next: edit layernorm.py")

    def test_to_mend_a_file_is_advised_once(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.verdict = samples.unusable(advice="mend it and grade again")
        inside.run("start", "layernorm")
        capsys.readouterr()
        inside.run("grade")
        shown = capsys.readouterr().out
        assert "Mend it" not in shown
        assert "Next: edit layernorm.py, then kata grade" in shown

    @pytest.mark.parametrize("arguments", [("gone.py",), ("sub/gone.py",), (".",)])
    def test_what_is_no_file_is_unusable_even_where_the_kata_is_unknown(
        self, inside: Any, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
    ) -> None:
        assert inside.run("grade", *arguments) == 3
        assert capsys.readouterr().out.startswith("! UNUSABLE")
        assert inside.run("grade", "--json", *arguments) == 3
        document = json.loads(capsys.readouterr().out)
        assert (document["verdict"], document["submission"]) == ("unusable", arguments[0])

    def test_what_the_grader_cannot_do_is_its_own_error(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.verdict = GraderError("there is no cuda device here", "grade with --device cpu")
        assert inside.run("grade", "layernorm", "--device", "cuda") == 4
        shown = capsys.readouterr().out
        assert shown.startswith("! GRADER ERROR  layernorm\n  there is no cuda device here\n")
        assert "Grade with --device cpu" in shown
        assert inside.run("grade", "layernorm", "--device", "cuda", "--json") == 4
        document = json.loads(capsys.readouterr().out)
        assert (document["verdict"], document["kata"], document["device"]) == ("grader-error", "layernorm", "cuda")

    def test_a_device_that_is_not_there_is_no_verdict_and_no_attempt(
        self, inside: Any, kata: Kata, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.run("start", "layernorm")
        capsys.readouterr()
        inside.verdict = NotAvailable("there is no cuda device here", "grade with --device cpu")
        assert inside.run("grade", "--device", "cuda") == 4
        captured = capsys.readouterr()
        assert (captured.out, captured.err) == ("", "kata: there is no cuda device here\nNext: kata grade\n")
        assert kata.journal().of("layernorm").attempts == 0

    @pytest.mark.parametrize("argument", ["layernorm.py", "layernorm", "sub/layernorm.py", "folder.py"])
    def test_a_slip_of_the_path_is_no_attempt_and_its_next_step_is_another_command(
        self, inside: Any, kata: Kata, capsys: pytest.CaptureFixture[str], argument: str
    ) -> None:
        (inside.place / "folder.py").mkdir()
        inside.verdict = samples.unusable(exception=None, isolation=Isolation("process-only"), properties=())
        assert inside.run("grade", "--kata", "layernorm", argument) == 3
        *_, last = capsys.readouterr().out.splitlines()
        assert last.startswith(("Next: kata start layernorm", "Next: kata grade FILE --kata layernorm"))
        assert kata.journal().of("layernorm").state == "new"

    def test_an_empty_file_of_ours_gets_the_stub_and_a_broken_one_is_edited(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.verdict = samples.unusable(exception=None, isolation=Isolation("process-only"), properties=())
        for content, step in (("", "kata reset layernorm writes the stub"), ("x = (", "edit layernorm.py, then kata")):
            (inside.place / "layernorm.py").write_text(content)
            inside.run("grade", "layernorm")
            shown = " ".join(capsys.readouterr().out.split())
            assert f" Next: {step}" in shown

    def test_an_advice_that_is_a_command_keeps_its_letters(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.run("grade", ".")
        assert capsys.readouterr().out.splitlines()[-1] == "Next: kata grade FILE --kata KATA"

    def test_next_steps_name_the_packs_that_were_given(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        (inside.place / "my pack" / "katas").mkdir(parents=True)
        inside.verdict = samples.failing()
        inside.run("start", "layernorm")
        capsys.readouterr()
        inside.run("--katas", "my pack", "grade")
        *_, stuck, step = capsys.readouterr().out.splitlines()
        assert stuck == "Stuck? kata --katas 'my pack' hint layernorm"
        assert step == "Next: edit layernorm.py, then kata --katas 'my pack' grade"

    def test_after_a_pass_no_advice_asks_to_give_up(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.run("start", "layernorm")
        inside.run("grade")
        inside.verdict = samples.failing()
        for _ in range(3):
            inside.run("hint")
        capsys.readouterr()
        inside.run("grade")
        assert "Stuck? kata solution layernorm\n" in capsys.readouterr().out

    def test_a_number_that_is_none_is_told_plainly(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.run("grade", "--seed", "abc")
        assert "'abc' is not a whole number" in capsys.readouterr().err

    def test_a_library_that_cannot_be_imported_is_told_as_such(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.verdict = ModuleNotFoundError("No module named 'torch'", name="torch")
        assert inside.run("grade", "layernorm") == 4
        assert "cannot import torch" in capsys.readouterr().out

    def test_a_failure_names_the_command_that_grades_again(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.verdict = samples.failing()
        inside.run("start", "layernorm")
        for arguments, again in (
            ((), "kata grade"),
            (("layernorm",), "kata grade layernorm"),
            (("--kata", "layernorm", "my answer.py"), "kata grade --kata layernorm 'my answer.py'"),
            (("--kata", "layernorm", "--", "-x.py"), "kata grade --kata layernorm ./-x.py"),
        ):
            capsys.readouterr()
            inside.run("grade", *arguments)
            last = capsys.readouterr().out.splitlines()[-2:]
            assert last[0] == "Stuck? kata hint layernorm"
            assert last[1].startswith("Next: edit ")
            assert last[1].endswith(f", then {again}")

    def test_a_pass_names_the_next_kata(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.run("start", "layernorm")
        capsys.readouterr()
        inside.run("grade")
        last = capsys.readouterr().out.splitlines()[-2:]
        assert last == ["To compare with the reference: kata solution layernorm", "Next: kata start scaled-dot-product"]

    def test_is_remembered(self, inside: Any, kata: Kata, capsys: pytest.CaptureFixture[str]) -> None:
        inside.run("hint", "layernorm")
        inside.run("start", "layernorm")
        for verdict in (samples.failing(), samples.unusable(), samples.grader_error(), samples.passing()):
            inside.verdict = verdict
            inside.run("grade", "layernorm")
        known = kata.journal().of("layernorm")
        assert (known.attempts, known.best, known.required, known.hints, known.state) == (3, 11, 11, 1, "passed")
        capsys.readouterr()
        inside.run("grade", "layernorm", "--json")
        assert json.loads(capsys.readouterr().out)["hints_used"] == 1
        inside.run("status")
        shown = capsys.readouterr().out
        assert re.search(r"layernorm +✓ passed +4 +11/11 +1/3 +\d{4}-\d\d-\d\d", shown)

    def test_goes_on_without_a_journal(self, kata: Kata, home: Path) -> None:
        (kata.place / "layernorm.py").write_text("x = 1")
        home.touch()
        done = kata("grade", "layernorm", sample="passing")
        assert done.returncode == 0
        assert done.stdout.startswith("✓ PASS")
        assert "warning: progress is not saved" in done.stderr

    def test_a_damaged_journal_is_said_once_and_set_aside(self, kata: Kata, home: Path) -> None:
        home.mkdir()
        (home / "journal.sqlite3").write_bytes(b"x" * 4096)
        (kata.place / "layernorm.py").write_text("x = 1")
        done = kata("grade", "--json", "layernorm", sample="passing")
        assert done.returncode == 0
        json.loads(done.stdout)
        assert done.stderr.count("warning:") == 1
        assert kata.journal().of("layernorm").passed


class TestTerminal:
    def test_a_note_is_shown_while_checking_and_erased(self, kata: Kata) -> None:
        code, shown = kata.on_terminal("grade", "layernorm", sample="passing")
        assert code == 0
        note, _, rest = shown.partition("\r")
        assert note == "checking layernorm.py…"
        assert rest.lstrip(" ").startswith("\r")
        assert "\x1b[1;32m✓ PASS" in rest

    @pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "0"}])
    def test_without_colour_there_is_no_escape_sequence(self, kata: Kata, environ: dict[str, str]) -> None:
        for arguments in (("grade", "layernorm"), ("list",), ("show", "layernorm"), ("start", "bogus"), ("--help",)):
            assert "\x1b" not in kata.on_terminal(*arguments, sample="failing", **environ)[1]

    def test_colour_can_be_forced_into_a_pipe(self, kata: Kata) -> None:
        assert "\x1b[1;31m✗ FAIL" in kata("grade", "layernorm", sample="failing", FORCE_COLOR="1").stdout

    def test_a_solution_is_highlighted_on_a_terminal_only(self, kata: Kata) -> None:
        source = find_katas()["layernorm"].solution
        assert kata("solution", "layernorm", "--give-up").stdout == source
        code, shown = kata.on_terminal("solution", "layernorm")
        assert code == 0
        assert "\x1b[" in shown
        plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).replace("\r\n", "\n")
        lines = [line.rstrip() for line in plain.rstrip().splitlines()]
        assert lines[: len(source.splitlines())] == source.splitlines()

    @pytest.mark.parametrize(
        "arguments", [("list",), ("show", "layernorm"), ("grade", "layernorm"), ("hint", "layernorm")]
    )
    def test_ascii_is_enough(self, kata: Kata, arguments: tuple[str, ...]) -> None:
        done = kata(*arguments, sample="failing", PYTHONIOENCODING="ascii")
        assert done.stdout.isascii()
        assert done.stderr.isascii()
        assert "Traceback" not in done.stderr

    def test_hostile_text_reaches_no_stream(self, kata: Kata) -> None:
        _, shown = kata.on_terminal("grade", "layernorm", sample="hostile")
        shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)
        assert "\x1b" not in shown
        assert "\x07" not in shown
        done = kata("grade", "--kata", "layernorm", "\x1b[2J\n✓ PASS.py", sample="failing")
        assert "\x1b" not in done.stdout
        assert not re.search(r"^✓ PASS", done.stdout, re.MULTILINE)
        done = kata("grade", "\x1b[2J\n✓ PASS")
        assert (done.returncode, "\x1b" in done.stderr, done.stderr.count("\n")) == (2, False, 2)


class TestHintAndSolution:
    def test_hints_come_one_a_call_and_then_all(self, kata: Kata) -> None:
        headings = [
            f"Hint {number} of 3: {heading}" for number, (heading, _) in enumerate(find_katas()["layernorm"].hints, 1)
        ]
        for number in range(3):
            shown = kata("hint", "layernorm").stdout
            assert [heading in shown for heading in headings] == [place == number for place in range(3)]
        for _ in range(2):
            done = kata("hint", "layernorm")
            assert all(heading in done.stdout for heading in headings)
            assert "all the hints" in done.stderr
        assert kata.journal().of("layernorm").hints == 3

    def test_hints_are_kept_by_kata(self, kata: Kata) -> None:
        kata("hint", "layernorm")
        assert "Hint 1 of 3" in kata("hint", "causal-mask").stdout

    def test_after_three_hints_a_failure_points_to_the_solution(self, kata: Kata) -> None:
        for _ in range(3):
            kata("hint", "layernorm")
        assert "Stuck? kata solution layernorm --give-up" in kata("grade", "layernorm", sample="failing").stdout

    def test_the_solution_is_closed_before_a_pass(self, kata: Kata) -> None:
        done = kata("solution", "layernorm")
        assert (done.returncode, done.stdout) == (1, "")
        assert "--give-up" in done.stderr

    def test_giving_up_opens_it_for_good_and_is_remembered(self, kata: Kata) -> None:
        assert kata("solution", "layernorm", "--give-up").stdout == find_katas()["layernorm"].solution
        assert kata("solution", "layernorm").returncode == 0
        assert kata.journal().of("layernorm").gave_up
        assert "+ solution" in kata("status").stdout

    def test_a_pass_opens_it(self, kata: Kata) -> None:
        kata("start", "layernorm")
        kata("grade", "layernorm", sample="passing")
        assert kata("solution", "layernorm").stdout == find_katas()["layernorm"].solution
        assert not kata.journal().of("layernorm").gave_up


class TestDemo:
    @pytest.mark.parametrize(
        ("verdicts", "code"), [(("passing", "failing"), 0), (("failing", "failing"), 4), (("passing", "passing"), 4)]
    )
    def test_is_right_if_the_right_one_passes_and_the_wrong_one_fails(
        self,
        inside: Any,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        verdicts: tuple[str, str],
        code: int,
    ) -> None:
        answers = iter(verdicts)

        def grade(kata: Any, path: Path, **options: Any) -> Any:
            assert path.is_file()
            assert options["timing"] is False
            return samples.ALL[next(answers)]()

        monkeypatch.setattr(examiner, "grade", grade)
        assert inside.run("demo") == code
        shown = capsys.readouterr().out
        assert shown.index("1. right_layernorm.py") < shown.index("2. wrong_layernorm.py")
        assert not inside.home.exists()

    def test_its_files_are_python(self) -> None:
        for file in ("right_layernorm.py", "wrong_layernorm.py"):
            compile((ROOT / "grader" / "demo" / file).read_text(encoding="utf-8"), file, "exec")


class TestDoctor:
    def test_is_plain_key_value_text(self, kata: Kata) -> None:
        done = kata("doctor", SECRET_TOKEN="hunter2")
        keys = [line.partition(": ")[0] for line in done.stdout.splitlines()]
        for key in (
            "torch-kata",
            "python",
            "platform",
            "torch",
            "cuda",
            "mps",
            "threads",
            "isolation",
            "katas",
            "journal",
            "config",
        ):
            assert key in keys
        assert all(": " in line for line in done.stdout.splitlines())
        assert "hunter2" not in done.stdout

    def test_hides_the_home_folder(self, kata: Kata, home: Path) -> None:
        shown = kata("doctor", HOME=str(home.parent)).stdout
        assert "journal: ~" in shown

    def test_reports_what_is_broken_and_goes_on(self, kata: Kata) -> None:
        script = "import sys; sys.modules['torch'] = None; from grader import cli; cli.main()"
        done = subprocess.run(
            [sys.executable, "-c", script, "doctor"], cwd=kata.place, env=kata.environ(), capture_output=True, text=True
        )
        assert done.returncode == 1
        assert "torch: FAILED" in done.stdout
        assert "katas: 6" in done.stdout


class TestCompletion:
    def test_is_there_for_the_shells_that_the_readme_names(self, kata: Kata) -> None:
        for shell in ("bash", "zsh", "fish"):
            assert "_KATA_COMPLETE" in kata(_KATA_COMPLETE=f"{shell}_source").stdout


class TestStatus:
    @pytest.mark.parametrize(
        ("width", "columns"), [(50, "kata state attempts best"), (100, "kata state attempts best hints first pass")]
    )
    def test_has_fewer_columns_where_it_is_narrow(self, kata: Kata, width: int, columns: str) -> None:
        kata("start", "multi-head-attention")
        shown = kata("status", COLUMNS=str(width)).stdout.splitlines()
        assert " ".join(shown[0].split()) == columns
        assert max(map(len, shown)) <= width
        assert shown[-1] == "Next: kata grade"


class TestEndings:
    def test_an_unexpected_exception_is_our_bug(self, kata: Kata) -> None:
        done = kata("grade", "layernorm", sample="bug")
        assert (done.returncode, done.stdout) == (70, "")
        assert "a bug of torch-kata, not of your file: ZeroDivisionError: made to fail\\x1b[2J" in done.stderr
        assert "KATA_DEBUG=1" in done.stderr
        assert "Traceback" not in done.stderr

    def test_whose_traceback_is_shown_on_demand(self, kata: Kata) -> None:
        done = kata("grade", "layernorm", sample="bug", KATA_DEBUG="1")
        assert done.returncode == 70
        assert "Traceback (most recent call last):" in done.stderr
        assert "\x1b" not in done.stderr

    def test_ctrl_c_is_one_line_and_130(self, kata: Kata) -> None:
        done = kata("grade", "layernorm", sample="exit")
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")

    def test_a_closed_pipe_is_no_complaint(self, kata: Kata) -> None:
        for arguments in (("list",), ("show", "layernorm"), ("--help",), ("grade", "layernorm"), ("list", "--json")):
            process = subprocess.Popen(
                [*kata.command("failing"), *arguments],
                cwd=kata.place,
                env=kata.environ(KATA_SAMPLE="failing"),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            assert process.stdout is not None
            process.stdout.close()
            assert process.stderr is not None
            assert process.stderr.read() == b""
            process.stderr.close()
            assert process.wait(60) == 141

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
    def test_a_full_disk_is_said(self, kata: Kata) -> None:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [*kata.command(""), "list"],
                cwd=kata.place,
                env=kata.environ(),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
            )
        assert done.returncode == 74
        assert done.stderr.startswith("kata: cannot write the output")
        assert "Traceback" not in done.stderr

    def test_closed_stdout_is_no_crash(self, kata: Kata) -> None:
        done = subprocess.run(
            ["sh", "-c", f'exec "{sys.executable}" -m grader.cli list >&-'],
            cwd=kata.place,
            env=kata.environ(),
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.parametrize("arguments", [("grdae",), ("--bogus",), ("list", "extra"), ("start",)])
    def test_usage_errors_are_2_with_the_help_to_read(self, kata: Kata, arguments: tuple[str, ...]) -> None:
        done = kata(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.search(r"\ANo|kata: .+\nNext: kata .*--help\n\Z", done.stderr)

    def test_a_kill_during_a_grade_keeps_the_progress(self, kata: Kata) -> None:
        kata("start", "layernorm")
        kata("hint", "layernorm")
        process = subprocess.Popen(
            [*kata.command("hang"), "grade"],
            cwd=kata.place,
            env=kata.environ(KATA_SAMPLE="hang"),
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"hanging\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        known = kata.journal().of("layernorm")
        assert (known.started, known.hints, known.attempts) == (True, 1, 0)
