"""The candidate's files: written once, never overwritten, backed up before a reset, found again for a grade.

Every write goes to a temporary name first and takes the real name in one step, so that a kill at any moment leaves
either the old file or the new one. Nothing here reads what a candidate wrote, and nothing here prints.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from grader import interrupt
from grader.catalog import Kata, normalise, unknown_kata
from grader.errors import UnusableSubmission, UsageError
from grader.submission import FOLDER, read_submission

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFINED = re.compile(r"^(?:class|def)[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Target:
    """What to grade. `shown` is the path as the user gave it."""

    kata: Kata
    path: Path
    shown: str


def start(kata: Kata, folder: Path) -> tuple[Path, bool]:
    """Write the stub into `folder`. Returns the path and whether it was written: what is there stays as it is."""
    target = folder / kata.file_name
    if os.path.lexists(target):
        return target, False
    with _written_beside(target, kata.stub.encode()) as fresh:
        return target, _take_free_name(fresh, target)


def reset(kata: Kata, folder: Path, now: datetime) -> tuple[Path, Path | None]:
    """Put a fresh stub in place. Returns its path and that of the backup, None where there was no file."""
    target = folder / kata.file_name
    if target.is_dir():
        raise UsageError(f"{target.name} is a folder, not a file", "move it away, then run the command again")
    backup = _back_up(target, now) if os.path.lexists(target) else None
    with _written_beside(target, kata.stub.encode()) as fresh:
        os.replace(fresh, target)
    return target, backup


def restore(target: Path, source: bytes, now: datetime) -> tuple[Path | None, bool]:
    """Put an earlier version in place. Returns the backup, None where there was no file, and whether anything changed."""
    if target.is_dir():
        raise UsageError(f"{target.name} is a folder, not a file", "name a file: kata restore N FILE")
    with suppress(OSError):
        if target.is_file() and target.read_bytes() == source:
            return None, False
    backup = _back_up(target, now) if os.path.lexists(target) else None
    with _written_beside(target, source) as fresh:
        os.replace(fresh, target)
    return backup, True


@contextmanager
def write_new(target: Path) -> Iterator[TextIO]:
    """A text file that takes its name once it is whole. What has the name already is never overwritten."""
    taken = UsageError(f"{target.name} is there already and is left as it is", "choose another name")
    if os.path.lexists(target):
        raise taken
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    with interrupt.raising(), _unlinked(fresh):
        try:
            with open(fresh, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if not _take_free_name(fresh, target):
                raise taken
        except OSError as error:
            raise _not_written(target, error) from None


def _back_up(target: Path, now: datetime) -> Path | None:
    if not target.exists():  # a link that leads nowhere
        return None
    copy = target.with_name(f".{target.name}.{os.getpid()}.backup")
    with interrupt.raising(), _unlinked(copy):
        try:
            shutil.copy2(target, copy)
            name = f"{target.name}.{now:%Y%m%d-%H%M%S}.bak"
            for number in range(1, 1000):
                backup = target.with_name(name if number == 1 else f"{name}{number}")
                if _take_free_name(copy, backup):
                    return backup
            raise UsageError(f"there are too many backups named {name}", "move some of them away")
        except OSError as error:
            raise _not_written(target, error) from None


@contextmanager
def _written_beside(target: Path, content: bytes) -> Iterator[Path]:
    """A finished temporary file in the target's folder; gone afterwards if it has not taken another name."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    with interrupt.raising(), _unlinked(fresh):
        try:
            # The umask decides, as for any file.
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            with open(descriptor, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            yield fresh
        except OSError as error:
            raise _not_written(target, error) from None


@contextmanager
def _unlinked(temporary: Path) -> Iterator[None]:
    """Whatever happens in here, the file is gone afterwards."""
    try:
        yield
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _take_free_name(fresh: Path, target: Path) -> bool:
    """Give a finished file the name `target`, unless somebody has it already."""
    try:
        os.link(fresh, target)  # unlike a rename, a link never replaces
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links: a kill between the two steps leaves an empty file, no lost one
        try:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        os.replace(fresh, target)
    return True


def _not_written(target: Path, error: OSError) -> UsageError:
    return UsageError(
        f"cannot write {target.name} in {target.parent}: {error.strerror or error}",
        "change to a folder of yours, then run the command again",
    )


def find_submission(
    argument: str | None,
    kata: Kata | None,
    folder: Path,
    katas: Mapping[str, Kata],
    started: Sequence[tuple[str, Path]],
    verb: str = "kata grade",
) -> Target:
    """What `kata grade [ARGUMENT] [--kata KATA]` means in `folder`; `verb` is the command that a next step names.

    `started` are the (kata id, path) pairs of the journal, newest first. A path need not exist: where its kata is
    known, the grade says what is wrong with it. Raises UsageError where the kata cannot be told, UnusableSubmission
    where there is no file whose kata could be asked for.
    """
    if argument is None:
        return _default(kata, folder, katas, started, verb)
    if kata is not None:
        return Target(kata, folder / argument, argument)
    path = folder / argument
    if not _is_path(argument):
        named = katas.get(normalise(argument))
        if named is not None:
            return Target(named, folder / named.file_name, named.file_name)
        if not os.path.lexists(path):
            raise unknown_kata(argument, katas)
    by_name = katas.get(normalise(path.stem)) if path.suffix == ".py" else None
    if by_name is not None:
        return Target(by_name, path, argument)
    absolute = path.absolute()
    for id, other in started:
        if other == absolute or _same_file(other, absolute):
            if id not in katas:
                raise _of_a_pack(argument, id)
            return Target(katas[id], path, argument)
    if not os.path.exists(path):
        raise UnusableSubmission("there is no such file", "kata list shows the katas, kata start writes a file")
    if os.path.isdir(path):
        raise UnusableSubmission(FOLDER, f"{verb} FILE --kata KATA")
    if not os.path.isfile(path):
        raise UnusableSubmission("this is not a regular file", f"{verb} FILE --kata KATA")
    guess = _kata_by_content(path, katas)
    raise UsageError(
        f"the name {argument} does not say which kata it is for",
        f"{verb} {quote(argument)} --kata {guess.id}"
        if guess is not None
        else f"{verb} {quote(argument)} --kata KATA, with a kata of kata list",
    )


def _kata_by_content(path: Path, katas: Mapping[str, Kata]) -> Kata | None:
    """The one kata whose entry symbols all stand in the file, for advice only.

    Looked at line by line: the file is a stranger's, and a parser can be made to fall over in this process.
    """
    try:
        text = read_submission(path).decode("utf-8", "replace")
    except UnusableSubmission:
        return None
    names = set(_DEFINED.findall(text))
    found = [kata for kata in katas.values() if {entry.name for entry in kata.entries} <= names]
    return found[0] if len(found) == 1 else None


def _of_a_pack(name: str, id: str) -> UsageError:
    return UsageError(
        f"{name} is for {id}, a kata of a pack that is not known here",
        "kata --katas DIR grade, with the folder of its pack; or set KATA_PATH",
    )


def nothing_started(folder: Path, katas: Mapping[str, Kata], started: Sequence[tuple[str, Path]]) -> UsageError:
    """Why no file here can be meant where none is named."""
    here = folder.resolve()
    for id, path in started:
        if id not in katas and path.parent in (here, folder) and path.is_file():
            return _of_a_pack(path.name, id)
    first = next(iter(katas.values()), None)
    return UsageError("no kata was started in this folder", f"kata start {first.id if first else 'KATA'}, or kata list")


def _default(
    kata: Kata | None, folder: Path, katas: Mapping[str, Kata], started: Sequence[tuple[str, Path]], verb: str
) -> Target:
    if kata is not None:
        return Target(kata, folder / kata.file_name, kata.file_name)
    here = current(folder, katas, started)
    if here is not None:
        return here
    # Started on another machine, or by a journal that is lost: a lone file with a kata's name leaves no doubt.
    found = [kata for kata in katas.values() if (folder / kata.file_name).is_file()]
    if len(found) == 1:
        return Target(found[0], folder / found[0].file_name, found[0].file_name)
    if found:
        names = ", ".join(kata.file_name for kata in found)
        raise UsageError(f"several katas are in this folder: {names}", f"{verb} {found[0].id}")
    raise nothing_started(folder, katas, started)


def current(folder: Path, katas: Mapping[str, Kata], started: Sequence[tuple[str, Path]]) -> Target | None:
    """The kata last started in `folder` whose file is still there."""
    here = folder.resolve()
    for id, path in started:
        if id in katas and path.parent in (here, folder) and path.is_file():
            return Target(katas[id], folder / path.name, path.name)
    return None


def _is_path(argument: str) -> bool:
    """A name with a separator or with `.py` is a path; a bare word is first of all a kata."""
    return os.sep in argument or argument.lower().endswith(".py")


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def quote(argument: str) -> str:
    """An argument as a person types it into a shell."""
    import shlex

    return shlex.quote(f"./{argument}" if argument.startswith("-") else argument)
