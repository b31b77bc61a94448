"""What a file holds, and which content counts at a deadline when nobody may have been there to look.

`choose` is pure and carries the rule. Nothing is executed or parsed here; a file is bytes.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from grader.interview.clock import Reading
from grader.interview.model import Interview, Round
from grader.submission import MAX_BYTES

ON_TIME = 2.0  # seconds after a deadline at which a look at the file is still a look at the deadline


@dataclass(frozen=True, slots=True)
class FileState:
    """A file at one moment: its content, or why there is none."""

    source: bytes | None
    mtime: float | None = None
    why: str = ""
    signature: tuple[int, ...] = ()  # changes when the file does

    @property
    def digest(self) -> str | None:
        return None if self.source is None else sha256(self.source).hexdigest()


def read_state(path: Path) -> FileState:
    """Read a file that may be missing, a folder, endless or half written. Never raises, never blocks on a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        return FileState(None, why=error.strerror or str(error))
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            return FileState(None, why="it is no regular file")
        if info.st_size > MAX_BYTES:
            return FileState(None, info.st_mtime, "it is larger than 1 MiB", _signature(info))
        with open(descriptor, "rb", closefd=False) as stream:
            source = stream.read(MAX_BYTES + 1)
        return FileState(source, info.st_mtime, "", _signature(info))
    except OSError as error:
        return FileState(None, why=error.strerror or str(error))
    finally:
        os.close(descriptor)


def signature_of(path: Path) -> tuple[int, ...]:
    """The signature of a file without reading it; () where there is none."""
    try:
        return _signature(os.stat(path))
    except OSError:
        return ()


def _signature(info: os.stat_result) -> tuple[int, ...]:
    return info.st_mtime_ns, info.st_size, info.st_ino, info.st_mode


@dataclass(frozen=True, slots=True)
class Choice:
    """The content that counts. `unseen`: edits may have been made before the deadline that nobody saw."""

    source: bytes | None
    digest: str | None  # of an earlier event's source, where `source` is None
    how: str  # "on-time", "unchanged-since", "last-save" or "missing"
    unseen: bool = False


def choose(interview: Interview, each: Round, kata: str, file: FileState, reading: Reading) -> Choice:
    """What counts at the deadline of a round, by a look at the file at or after it.

    A look in time sees what there was. A later look sees it too, if the file was not written since: its time of change
    tells, unless the wall's clock ran back meanwhile. Else the last content that was seen before the deadline counts:
    it may lack the last edits, but it certainly has none that came too late.
    """
    late = interview.now(reading) - each.deadline
    known = interview.last_source(kata, before=each.deadline)
    last_seen = None if known is None else known.event.source
    if file.source is not None:
        if late <= ON_TIME:
            return Choice(file.source, file.digest, "on-time")
        written_before = file.mtime is not None and file.mtime <= interview.wall_of(each.deadline, reading)
        if file.digest == last_seen or (written_before and not interview.clock_set_back):
            return Choice(file.source, file.digest, "unchanged-since")
    if last_seen is None:
        return Choice(None, None, "missing", unseen=True)
    return Choice(None, last_seen, "last-save", unseen=late > ON_TIME)
