"""What is wrong with a kata, and how to mend it: the checks behind `kata dev check`.

Here are the checks that read files; those that grade (and so need torch) are in `trial.py`. What comes out are
findings, frozen data; nothing here prints. A check that cannot look because an earlier one failed keeps silent.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import HINTS, Kata, content_root, is_id, kata_folders, load_kata, normalise, pack_root
from grader.dev.code import check_mistake, check_module, check_probes, check_properties, required_ids
from grader.dev.finding import Findings, Report
from grader.dev.source import find_blanks, find_properties
from grader.errors import GraderError, UsageError
from grader.questions import STRONG, read_questions

REQUIRED_FILES = ("kata.toml", "brief.md", "stub.py", "hints.md", "properties.py")
OPTIONAL_FILES = ("brief.zh-CN.md", "questions.md", "workload.py", "library.py")  # questions.md in a pack only
MISTAKES = "mistakes"
LEAST_QUESTIONS = 5

Progress = Callable[[str], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A kata that another must not be taken for. `title` is empty where its kata.toml cannot be read."""

    folder: Path
    title: str


def find_folders(argument: str | None, here: Path, roots: Iterable[Path]) -> list[Path]:
    """The kata folders that `kata dev check [ARGUMENT]` means: a kata's folder, a pack, a kata's id; all of `roots`."""
    known = [folder for root in roots for folder in _candidates(root)]
    if argument is None:
        return known
    path = (here / argument).resolve()
    pack = pack_root(path)
    in_folder = (
        _candidates(pack) if pack is not None else [path] if path.parent.name == "katas" and path.is_dir() else []
    )
    found = in_folder or [folder for folder in known if folder.name == normalise(argument)]
    if found:
        return found
    unlisted = here / "katas" / normalise(argument)  # this folder is a pack, but nobody said so
    if unlisted.is_dir():
        raise UsageError(f"{argument!r} is no kata that is known here", f"kata dev check katas/{unlisted.name}")
    if path.is_dir():
        why = "no katas in it" if pack is not None else "neither a kata (PACK/katas/ID) nor a pack (with katas/)"
        raise UsageError(f"nothing to check in {argument}: {why}", "kata dev new ID writes a kata to begin with")
    near = difflib.get_close_matches(normalise(argument), [folder.name for folder in known], n=1, cutoff=0.5)
    guess = f"; did you mean {near[0]}?" if near else ""
    raise UsageError(f"{argument!r} is neither a folder nor a kata{guess}", "kata dev check --help")


def _candidates(root: Path) -> list[Path]:
    """The folders that are meant to be katas, be they complete or not."""
    kata_folders(root)  # says what is wrong where there is no katas/
    folders = [f for f in (root / "katas").iterdir() if f.is_dir() and not f.name.startswith((".", "_"))]
    return sorted(folder for folder in folders if any((folder / name).exists() for name in REQUIRED_FILES))


def neighbours(folders: Iterable[Path]) -> list[Neighbour]:
    """The katas in `folders`, as far as their names can be read."""
    found = []
    for folder in dict.fromkeys(folders):
        try:
            found.append(Neighbour(folder, load_kata(folder).title))
        except GraderError:
            found.append(Neighbour(folder, ""))
    return found


def check_kata(
    folder: Path, others: Sequence[Neighbour] = (), *, fast: bool = False, progress: Progress = lambda _: nullcontext()
) -> Report:
    """Check one kata.

    Args:
        folder: PACK/katas/ID.
        others: the katas that may be there together with this one.
        fast: do not grade the known mistakes.
        progress: called with a note before each step that takes long; the context lasts as long as the step.
    """
    found = Findings(folder)
    _check_files(found)
    kata = _check_toml(found)
    if kata is not None:
        _check_workload(found, kata)
        _check_unique(found, kata, others)
        _check_brief(found, kata)
        _check_hints(found, kata)
    _check_questions(found)
    stub = check_module(found, "stub", folder / "stub.py", "the contract: what to call, with which shapes")
    reference = check_module(found, "reference", found.reference, "the formula, the shapes and the paper")
    tree = found.parse("properties", folder / "properties.py")
    properties = [] if tree is None else find_properties(tree)
    runnable = tree is not None and check_properties(found, properties)
    probed = tree is not None and check_probes(found, tree)
    files = _mistake_files(folder)
    mistakes = [mistake for path in files if (mistake := check_mistake(found, path, properties)) is not None]
    graded = False
    if kata is not None and reference and runnable:
        from grader.dev.trial import Trial

        trial = Trial(found, kata, progress)
        if trial.reference_passes():
            if stub:
                trial.check_stub()
            if kata.bench is not None and kata.workload.is_file():
                trial.check_workload(kata.bench.size)
            graded = not fast
            if graded:
                killers = required_ids(properties)
                named = [mistake for mistake in mistakes if mistake.killed_by in killers]
                trial.check_mistakes(named, compare=probed and len(mistakes) == len(files))
    _check_blanks(found)
    return Report(folder.name, folder, len(properties), len(files), graded, tuple(found.all))


def _check_files(found: Findings) -> None:
    folder = found.folder
    if not is_id(folder.name):
        remedy = "rename the folder: lower case, digits and hyphens, such as rms-norm"
        found.add("files", folder, "the folder's name is the kata's id, and this cannot be one", remedy)
    for name in REQUIRED_FILES:
        if not (folder / name).is_file():
            remedy = "add it; kata dev new writes an example of each file"
            found.add("files", folder / name, "is missing", remedy)
    if not found.reference.is_file():
        found.add("files", found.reference, "is missing", "add the reference solution under this name")
    if not _mistake_files(folder):
        found.add("files", folder / MISTAKES, "holds no known mistake", "add at least one: mistakes/ID.py")
    allowed = (*REQUIRED_FILES, *OPTIONAL_FILES)
    for path in _entries(folder):
        if not (path.is_file() and path.name in allowed) and not (path.is_dir() and path.name == MISTAKES):
            remedy = f"move it away; allowed are {', '.join(allowed)}, {MISTAKES}/"
            found.add("files", path, "does not belong here", remedy)
    for path in _entries(folder / MISTAKES):
        if path.suffix != ".py" or not path.is_file():
            remedy = "move it away; allowed are Python files, one for each mistake"
            found.add("files", path, "does not belong here", remedy)


def _entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name != "__pycache__") if folder.is_dir() else []


def _mistake_files(folder: Path) -> list[Path]:
    return [path for path in _entries(folder / MISTAKES) if path.suffix == ".py" and path.is_file()]


def _check_toml(found: Findings) -> Kata | None:
    file = found.folder / "kata.toml"
    if found.read("kata.toml", file) is None:
        return None
    try:
        kata = load_kata(found.folder)
    except GraderError as error:
        problem = error.message.removeprefix(str(file)).lstrip(": ")
        remedy = "mend the value"
        if "unknown key" in problem:
            keys = "title, summary, difficulty, minutes, tags, [[entry]] (name, kind, signature)"
            tables = "[forbidden] (operator_label, operators), [timing] (limit, size, sizes)"
            remedy = f"mend its name or remove it; known are {keys}, {tables}"
        elif "missing" in problem or "at least one" in problem:
            remedy = "add it; kata dev new writes an example of each key"
        elif "TOML" in problem:
            remedy = "mend the syntax"
        found.add("kata.toml", file, problem, remedy)
        return None
    for key, value in (("title", kata.title), ("summary", kata.summary)):
        if not value.strip():
            found.add("kata.toml", file, f"{key}: is empty", "say it in a few words: kata list shows it")
    if kata.forbidden and not kata.operator_label.strip():
        remedy = "name the forbidden operator as people do, such as F.layer_norm"
        found.add("kata.toml", file, "forbidden.operator_label: is empty", remedy)
    return kata


def _check_workload(found: Findings, kata: Kata) -> None:
    """The table and the file belong together."""
    if kata.bench is not None and not kata.workload.is_file():
        remedy = "add it, or drop [timing] from kata.toml; kata dev new writes an example of both"
        found.add("workload", kata.workload, "is missing, though kata.toml has [timing]", remedy)
    elif kata.bench is None and kata.workload.is_file():
        remedy = "add the table: limit, size, sizes; or remove the file"
        found.add("workload", kata.workload, "is never used: kata.toml has no [timing]", remedy)


def _check_unique(found: Findings, kata: Kata, others: Sequence[Neighbour]) -> None:
    for other in others:
        if other.folder == found.folder:
            continue
        if other.folder.name == kata.id:
            found.add("unique", found.folder, f"the id {kata.id} is taken by {other.folder}", "rename the folder")
        elif other.title.casefold() == kata.title.casefold():
            problem = f"the title {kata.title!r} is also that of {other.folder.name}"
            found.add("unique", found.folder / "kata.toml", problem, "give one of them another title")
    names = [entry.name for entry in kata.entries]
    for name in sorted({name for name in names if names.count(name) > 1}):
        remedy = "give each [[entry]] its own name"
        found.add("unique", found.folder / "kata.toml", f"the entry {name} is there twice", remedy)


def _check_brief(found: Findings, kata: Kata) -> None:
    for name in ("brief.md", "brief.zh-CN.md"):
        text = found.read("brief", found.folder / name)
        if text is None:
            continue
        words = " ".join(text.split())
        for entry in kata.entries:
            if not re.search(rf"(?<!\w){re.escape(entry.name)}(?!\w)", text):
                remedy = f"write there what to define: {entry.signature}"
                found.add("brief", found.folder / name, f"does not name {entry.name}", remedy)
            elif " ".join(entry.signature.split()) not in words:
                remedy = "show it as it stands in kata.toml, on one line"
                problem = f"does not show the signature {entry.signature}"
                found.add("brief", found.folder / name, problem, remedy)


def _check_hints(found: Findings, kata: Kata) -> None:
    file = found.folder / "hints.md"
    remedy = "write three: a nudge, the idea, nearly the code, under headings such as `## 1. A nudge`"
    text = found.read("hints", file)
    if text is None:
        return
    try:
        _ = kata.hints
    except GraderError as error:
        found.add("hints", file, error.message.removeprefix(str(file)).lstrip(": "), remedy)
        return
    numbers = re.findall(r"^## +(\d+)\.", text, flags=re.MULTILINE)
    if numbers != [str(number) for number in range(1, HINTS + 1)]:
        found.add("hints", file, f"the rungs are numbered {', '.join(numbers)}", "number them 1, 2, 3")


def _check_questions(found: Findings) -> None:
    file = found.folder / "questions.md"
    text = found.read("questions", file)
    if text is None:
        if not file.exists() and found.folder.parent.parent.resolve() == content_root():
            found.add("questions", file, "is missing", "add it; kata dev new writes an example of each file")
        return
    questions = read_questions(text)
    if len(questions) < LEAST_QUESTIONS:
        problem = f"at least {LEAST_QUESTIONS} questions wanted, {len(questions)} found"
        found.add("questions", file, problem, "add some, each under a heading `## …`, with a model answer")
    for question in questions:
        if not question.answer:
            problem, remedy = "has no model answer", "write one below the heading"
            found.add("questions", file, f"{question.title!r} {problem}", remedy, line=question.line)
        if not question.strong:
            problem = f"{question.title!r} does not say what a strong answer mentions"
            remedy = f"end the answer with a paragraph that begins `{STRONG}:`, its points between semicolons"
            found.add("questions", file, problem, remedy, line=question.line)


def _check_blanks(found: Findings) -> None:
    files = [found.folder / name for name in (*REQUIRED_FILES, *OPTIONAL_FILES)]
    for path in (*files, found.reference, *_mistake_files(found.folder)):
        text = found.read("blanks", path) if path.is_file() else None
        for blank in find_blanks(text or ""):
            remedy = "put your own in its place, then delete the line with BLANK"
            found.add("blanks", path, f"to fill in: {blank.wanted}", remedy, line=blank.line)
