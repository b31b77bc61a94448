"""One session's events, in the journal and in memory: a session goes on when the journal cannot be written.

What could not be written is kept here and written as soon as the journal takes it again, in its order and with the
clock of its own moment. Where the session itself is gone, because the journal was damaged and set aside, the whole of
it is written again. Knows nothing about files of the candidate, grades or terminals.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from grader.interview.clock import Clock, Reading
from grader.interview.model import KIND, Interview, rebuild
from grader.interview.plan import Plan
from grader.journal.events import Event, Journal, Session

RETRY_SECONDS = 5.0  # between attempts to write what is still unwritten


@dataclass(slots=True)
class _Kept:
    """An event, and what belongs to it until it is written."""

    event: Event
    source: bytes | None = None
    verdict: Mapping[str, Any] | None = None


class SessionLog:
    """Append to one session and read it back."""

    def __init__(self, journal: Journal, clock: Clock, session: Session, events: list[Event]) -> None:
        self.journal, self.clock, self.session = journal, clock, session
        self._kept = [_Kept(event) for event in events]
        self._polled = max((event.id for event in events), default=0)
        self.fresh: list[Event] = []  # written by other processes; for the owner of this log to take
        self._failed_at: float | None = None  # ticks of the last attempt to write that failed

    @classmethod
    def begin(cls, journal: Journal, clock: Clock, plan: Plan) -> SessionLog:
        """A new session. Its clock starts with the event `begin`, which is the caller's."""
        id = journal.begin_session(KIND, plan.settings())
        started = datetime.fromtimestamp(clock.read().wall, UTC)
        return cls(journal, clock, Session(id or 0, "", KIND, started, plan.settings()), [])

    @classmethod
    def load(cls, journal: Journal, clock: Clock, session: Session) -> SessionLog:
        return cls(journal, clock, session, journal.events(session=session.id))

    @property
    def unwritten(self) -> int:
        """Events that only this process knows."""
        return sum(kept.event.id <= 0 for kept in self._kept)

    @cached_property
    def interview(self) -> Interview:
        return rebuild(self.session, [kept.event for kept in self._kept])

    @property
    def at(self) -> float:
        """The session's clock now."""
        return self.interview.now(self.clock.read())

    def add(
        self,
        kind: str,
        kata: str = "",
        data: Mapping[str, Any] | None = None,
        *,
        path: Path | None = None,
        source: bytes | None = None,
        verdict: Mapping[str, Any] | None = None,
        reading: Reading | None = None,
    ) -> Event:
        """Add an event, with the clock of this moment or of `reading`. Its id is 0 while it could not be written."""
        self.poll()  # what others wrote before comes before
        reading = reading or self.clock.read()
        event = Event(
            id=0,
            identity="",
            time=datetime.fromtimestamp(reading.wall, UTC),
            kind=kind,
            kata=kata,
            path=path,
            data={**(data or {}), "clock": reading.document()},
            session=self.session.id,
            source=None if source is None else sha256(source).hexdigest(),
            has_verdict=verdict is not None,
        )
        kept = _Kept(event, source, verdict)
        self._kept.append(kept)
        self._changed()
        self._write(reading)
        return kept.event

    def poll(self) -> None:
        """Take in what other processes wrote since the last time, and write what is still unwritten."""
        self._write(self.clock.read())
        if not self.session.id:
            return
        # Others may have written between our own events, so what we know is told by its id, not by being early.
        known = {kept.event.id for kept in self._kept}
        found = self.journal.events(session=self.session.id, after=self._polled)
        new = [event for event in found if event.id not in known]
        self._polled = max((event.id for event in found), default=self._polled)
        if new:
            self._kept += [_Kept(event) for event in new]
            self._kept.sort(key=lambda kept: kept.event.id or sys.maxsize)
            self.fresh += new
            self._changed()

    def source(self, digest: str) -> bytes | None:
        """A source by its digest, unwritten ones too."""
        own = (kept.source for kept in self._kept if kept.source is not None and kept.event.source == digest)
        return next(own, None) or self.journal.source(digest)

    def verdict(self, event: Event) -> Mapping[str, Any] | None:
        """The document of a grade, unwritten ones too."""
        own = next((kept.verdict for kept in self._kept if kept.event is event), None)
        return own or (self.journal.verdict(event.id) if event.id > 0 else None)

    def export(self, folder: Path) -> Path:
        """Write the whole session into a new file that `kata import` takes. OSError where the folder takes none."""
        from grader.journal.exchange import export_session

        stored = {event.id: event.identity for event in self.journal.events(session=self.session.id or -1)}
        sessions = {each.id: each.identity for each in self.journal.sessions(KIND)}
        session = replace(self.session, identity=sessions.get(self.session.id) or os.urandom(16).hex())
        events = [
            replace(event, identity=stored.get(event.id) or event.identity or os.urandom(16).hex())
            for event in (kept.event for kept in self._kept)
        ]
        documents = [self.verdict(kept.event) if kept.event.has_verdict else None for kept in self._kept]
        sources = [None if event.source is None else self.source(event.source) for event in events]
        descriptor, name = tempfile.mkstemp(".jsonl", "interview-", folder)
        try:
            with open(descriptor, "w", encoding="utf-8") as stream:
                export_session(session, zip(events, sources, documents, strict=True), stream.write)
        except OSError:
            os.unlink(name)
            raise
        return Path(name)

    def _changed(self) -> None:
        self.__dict__.pop("interview", None)

    def _write(self, reading: Reading) -> None:
        """Write what is unwritten, oldest first, until one fails; then leave the disk alone for a while."""
        if not self.unwritten:
            return
        if self._failed_at is not None and 0 <= reading.ticks - self._failed_at < RETRY_SECONDS:
            return
        written = self._write_waiting() or (self._is_lost() and self._begin_again() and self._write_waiting())
        self._failed_at = None if written else reading.ticks
        self._changed()

    def _write_waiting(self) -> bool:
        for kept in self._kept:
            event = kept.event
            if event.id > 0:
                continue
            if not self.session.id:
                return False
            id = self.journal.append(
                event.kind,
                event.kata,
                event.path,
                event.data,
                session=self.session.id,
                source=kept.source,
                verdict=kept.verdict,
            )
            if id is None:
                return False
            kept.event = replace(event, id=id, session=self.session.id)
        return True

    def _is_lost(self) -> bool:
        """Whether the journal does not know this session: it never could be written, or its journal was set aside."""
        return all(session.id != self.session.id for session in self.journal.sessions(KIND))

    def _begin_again(self) -> bool:
        """Write the session anew into the journal that is there now; sources of earlier processes stay in the old one."""
        id = self.journal.begin_session(KIND, self.session.settings)
        if id is None:
            return False
        self.session = replace(self.session, id=id)
        for kept in self._kept:
            kept.event = replace(kept.event, id=0, session=id)
        self._polled = 0
        return True
