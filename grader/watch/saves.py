"""Noticing that a file was saved, however its editor does it: written in place, replaced by a rename, deleted and made anew.

What the file system tells (`watchfiles`) is only a reason to look at once. What counts is what is seen then, and it is
looked now and then without a reason too, because a network file system, a container's mount or a used-up limit of
watches tells nothing. `Saves.look` is pure but for reading the file; the thread that listens only calls `wake`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

LOOK_SECONDS = 0.5  # between looks without a reason
LOOK_SECONDS_DEAF = 0.2  # where nobody tells us anything
AGAIN_SECONDS = 0.02  # while a save seems to be under way
GRACE_SECONDS = 0.3  # an editor may take so long between deleting or emptying the file and writing it
STEP_MILLISECONDS = 10  # how often watchfiles gathers events: it tells after one or two steps


class Change(StrEnum):
    """What a look has found since the last one."""

    SAVED = "saved"
    UNCHANGED = "unchanged"  # written again with the same content, or back again
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class _Stamp:
    """What tells two states of a file apart without reading it."""

    inode: int
    size: int
    written: int


class Saves:
    """The saves of one file. The state at the beginning is no save.

    `wake` is called from another thread when there is a reason to look; without it, looking is up to `rest`.
    """

    def __init__(self, path: Path, wake: Callable[[], None] | None, *, now: float) -> None:
        self.path = path
        self._seen = _stamp(path)
        self._content = _digest(path)
        self._gone = self._seen is None
        self._since: float | None = None  # when a save seemed to begin
        self._looked = now
        self._listener = None if wake is None else _Listener(path, wake)

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()

    def rest(self, now: float) -> float:
        """Seconds until the next look is due if nobody calls before."""
        if self._since is not None:
            return AGAIN_SECONDS
        hears = self._listener is not None and self._listener.hears
        return max(0.0, self._looked + (LOOK_SECONDS if hears else LOOK_SECONDS_DEAF) - now)

    def look(self, now: float) -> Change | None:
        """What happened since the last look; None for nothing, or nothing that is finished."""
        self._looked = now
        stamp = _stamp(self.path)
        if stamp == self._seen and self._since is None:
            return None
        if stamp is None or stamp.size == 0:
            if self._since is None:
                self._since = now
            if now - self._since < GRACE_SECONDS:
                return None
        self._since = None
        if stamp is None:
            self._seen = None
            was_gone, self._gone = self._gone, True
            return None if was_gone else Change.GONE
        content = _digest(self.path)
        if content is None or _stamp(self.path) != stamp:  # it is being written right now
            self._since = now
            return None
        was_gone, self._gone = self._gone, False
        self._seen = stamp
        if content == self._content:
            return Change.UNCHANGED
        self._content = content
        return Change.SAVED


class _Listener:
    """A thread that calls `wake` whenever something happens to the file's name, or to the file that it leads to."""

    def __init__(self, path: Path, wake: Callable[[], None]) -> None:
        self.hears = True
        self._wake = wake
        self._stop = threading.Event()
        places = {path.absolute(), path.resolve()}  # two, where the file is a link
        self._names = {place.name for place in places}
        self._folders = sorted({str(place.parent) for place in places})
        self._thread = threading.Thread(target=self._listen, name="listen for saves", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(1)

    def _listen(self) -> None:
        try:
            from watchfiles import watch

            changes = watch(
                *self._folders,
                watch_filter=lambda _, name: os.path.basename(name) in self._names,
                debounce=10 * STEP_MILLISECONDS,
                step=STEP_MILLISECONDS,
                stop_event=self._stop,
                raise_interrupt=False,
                recursive=False,
                ignore_permission_denied=True,
            )
            for _ in changes:
                self._wake()
        except Exception:  # no such folder any more, no watches left, no watchfiles: then we look more often
            pass
        finally:
            self.hears = False
            with suppress(OSError):
                self._wake()


def _stamp(path: Path) -> _Stamp | None:
    """None where there is no file, or none that can be reached now."""
    try:
        info = path.stat()
    except OSError:
        return None
    return _Stamp(info.st_ino, info.st_size, info.st_mtime_ns)


def _digest(path: Path) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return sha256(stream.read(2 << 20)).digest()  # larger ones are not graded anyway
    except OSError:
        return None
