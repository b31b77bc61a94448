"""What is wrong with a kata, and how to mend it: the checks behind `kata dev check`.

Here are the checks that read files; those that grade (and so need torch) are in `dev_trial.py`. What comes out are
findings, frozen data; nothing here prints. A check that cannot look because an earlier one failed keeps silent.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import Kata, is_id, kata_folders, load_kata, normalise, pack_root, reference_of
from grader.dev_source import ANSWER, Property, constants, defines, find_blanks, find_properties, find_questions
from grader.errors import GraderError, UsageError
from grader.mistakes import Mistake, read_mistake
from grader.verdict import CATEGORIES

REQUIRED_FILES = ("kata.toml", "brief.md", "stub.py", "properties.py", "hints.md", "questions.md")
OPTIONAL_FILES = ("brief.zh-CN.md",)
MISTAKES = "mistakes"
LEAST_PROPERTIES = 8
LEAST_QUESTIONS = 5
LONGEST_EXPLANATION = 160

Progress = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend. `where` is a path below the pack, with a line where there is one."""

    kata: str
    check: str
    where: str
    problem: str
    remedy: str


class Findings:
    """The findings of one kata, as they come up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reference = reference_of(folder)
        self.all: list[Finding] = []

    def add(self, check: str, path: Path, problem: str, remedy: str, *, line: int | None = None) -> None:
        """Note what is wrong with the file (or folder) at `path`."""
        where = path.relative_to(self.folder.parent.parent).as_posix()
        where = where if line is None else f"{where}:{line}"
        self.all.append(Finding(self.folder.name, check, where, problem, remedy))

    def read(self, check: str, path: Path) -> str | None:
        """The text of a file; None where it is not there (`_check_files` says so) or no text."""
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self.add(check, path, f"cannot be read: {error}", "make it a readable text file in UTF-8")
            return None

    def parse(self, check: str, path: Path) -> ast.Module | None:
        """The syntax tree of a file; None where there is none."""
        text = self.read(check, path)
        if text is None:
            return None
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError) as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            what = error.msg if isinstance(error, SyntaxError) else str(error)
            self.add(check, path, f"is not valid Python: {what}", "mend the syntax", line=line)
            return None


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one kata."""

    kata: str
    folder: Path
    properties: int
    mistakes: int
    findings: tuple[Finding, ...]


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
    path = here / argument
    if path.is_dir():
        path = path.resolve()
        pack = pack_root(path)
        found = [path] if path.parent.name == "katas" else [] if pack is None else _candidates(pack)
        if found:
            return found
        why = "it holds no katas" if pack is not None else "it is neither a kata (PACK/katas/ID) nor a pack (with katas/)"
        raise UsageError(f"nothing to check in {argument}: {why}", "kata dev new ID writes a kata to begin with")
    named = [folder for folder in known if folder.name == normalise(argument)]
    if not named:
        near = difflib.get_close_matches(normalise(argument), [folder.name for folder in known], n=1, cutoff=0.5)
        guess = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"{argument!r} is neither a folder nor a kata{guess}", "kata dev check --help")
    return named


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
        _check_unique(found, kata, others)
        _check_brief(found, kata)
        _check_hints(found, kata)
    _check_questions(found)
    stub = _check_module(found, "stub", folder / "stub.py", "the contract in a few lines: what to call with which shapes")
    reference = _check_module(found, "reference", found.reference, "the formula, the shapes and the paper")
    tree = found.parse("properties", folder / "properties.py")
    properties = [] if tree is None else find_properties(tree)
    runnable = tree is not None and _check_properties(found, properties)
    probed = tree is not None and _check_probes(found, tree)
    files = _mistake_files(folder)
    mistakes = [mistake for path in files if (mistake := _check_mistake(found, path, properties)) is not None]
    _check_blanks(found)
    if kata is not None and reference and runnable:
        from grader.dev_trial import Trial

        trial = Trial(found, kata, progress)
        if trial.reference_passes():
            if stub:
                trial.check_stub()
            if not fast:
                trial.check_mistakes(mistakes, compare=probed and len(mistakes) == len(files))
    return Report(folder.name, folder, len(properties), len(files), tuple(found.all))


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
    allowed = {*REQUIRED_FILES, *OPTIONAL_FILES}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        ignored = "__pycache__" in name.parts or path.is_dir() and name.as_posix() == MISTAKES
        in_mistakes = path.is_file() and name.parent.as_posix() == MISTAKES and path.suffix == ".py"
        if not ignored and not in_mistakes and name.as_posix() not in allowed and name.parts[0] not in _reported(found):
            remedy = f"delete it, or move it out of the folder; allowed are {', '.join(sorted(allowed))}, {MISTAKES}/*.py"
            found.add("files", path, "does not belong here", remedy)


def _mistake_files(folder: Path) -> list[Path]:
    return sorted((folder / MISTAKES).glob("*.py"))
