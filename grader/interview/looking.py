"""Looks at the candidate's files for a session: where each is, what it holds, and whether that can be meant.

An editor that saves may empty a file, or take it away, for a moment: what is seen then is not believed at first sight.
Nothing is written here, and of a session that began on another machine no file is opened: its paths are a stranger's.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from grader.interview.clock import Reading
from grader.interview.log import SessionLog
from grader.interview.snapshot import ON_TIME, FileState, read_state, signature_of

SETTLED = 0.5  # seconds after a change from which on a file is taken to be whole
_NOTHING = sha256(b"").hexdigest()


class Looking:
    """One session's files, and how each was when it was last looked at."""

    def __init__(self, log: SessionLog) -> None:
        self._log = log
        self._looked: dict[str, tuple[int, ...]] = {}  # signature of each file as it was last read
        self._emptied: dict[str, float] = {}  # ticks at which a file was first seen empty

    @property
    def _elsewhere(self) -> bool:
        return self._log.session.imported

    def path(self, kata: str) -> Path:
        """The candidate's file: where its stub was written."""
        interview = self._log.interview
        start = next(interview.of("start", kata=kata), None)
        known = None if start is None else start.event.path
        return known or Path(interview.plan.folder, f"{kata.replace('-', '_')}.py")

    def read(self, kata: str) -> FileState:
        """The file as it is now."""
        if self._elsewhere:
            return FileState(None, why="its interview began on another machine")
        return read_state(self.path(kata))

    def note(self, kata: str, file: FileState) -> None:
        """What it is now is known."""
        self._looked[kata] = file.signature

    def is_unsettled(self, kata: str, file: FileState, reading: Reading) -> bool:
        """Whether it may be in the middle of being saved: gone or empty where there was something, or changed just now."""
        known = self._log.interview.last_source(kata)
        if self._elsewhere or known is None or known.event.source in (_NOTHING, file.digest):
            return False
        if file.mtime is None:
            return True
        age = abs(reading.wall - file.mtime)
        if not file.source:
            return age < ON_TIME
        return age < SETTLED and file.signature != self._looked.get(kata)

    def news(self, kata: str, *, closely: bool) -> FileState | None:
        """The file, where it holds something else than what was last known; `closely` reads it whatever its times say."""
        if self._elsewhere or (not closely and signature_of(self.path(kata)) == self._looked.get(kata, ())):
            return None
        file, reading = self.read(kata), self._log.clock.read()
        if file.source == b"":
            since = self._emptied.setdefault(kata, reading.ticks)
            believed = reading.ticks - since >= SETTLED
            if not believed and (not closely or self.is_unsettled(kata, file, reading)):
                return None  # an editor may be about to write
        self._emptied.pop(kata, None)
        self._looked[kata] = file.signature
        known = self._log.interview.last_source(kata)
        return file if file.source is not None and (known is None or known.event.source != file.digest) else None
