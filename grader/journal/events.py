"""The journal: what was started, saved, graded, hinted and given up, as append-only events.

It is a convenience and never in the way: whatever the state of the disk, a command goes on after one warning (the file
and its troubles are `file`'s). Knows nothing about katas but their ids, nothing about verdicts but that they
are JSON, and nothing about sessions but that events may belong to one.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.journal.file import JournalFile, home, utc_now
from grader.journal.progress import Progress, read_progress
from grader.journal.schema import BUSY_SECONDS

__all__ = ["KINDS", "Event", "Journal", "Progress", "Session", "home", "utc_now"]

KINDS = ("start", "save", "grade", "hint", "solution", "reset", "restore", "phase", "note")
"""The kinds of events. Within a session any word will do: what it means is the session's affair."""

_WORD = re.compile(r"[a-z]+(-[a-z]+)*")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. Events in the order of their ids are in the order in which this journal learned of them."""

    id: int
    identity: str  # the same on every machine
    time: datetime  # UTC
    kind: str
    kata: str  # "" where it belongs to a session as a whole
    path: Path | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    session: int | None = None
    source: str | None = None  # digest for Journal.source
    has_verdict: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """What several events belong to, an interview for one."""

    id: int
    identity: str
    kind: str
    started: datetime  # UTC
    settings: Mapping[str, Any]
    imported: bool = False  # it began on another machine


class Journal:
    """Append and query events. Every method is safe to call whatever the state of the disk.

    `warn` gets one sentence, at most once for each kind of trouble; `now` is the clock. Another process that writes is
    waited for as long as `busy_seconds`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        warn: Callable[[str], None],
        now: Callable[[], datetime] = utc_now,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.file = JournalFile(folder, warn=warn, now=now, busy_seconds=busy_seconds)
        self._now = now

    @property
    def path(self) -> Path:
        return self.file.path

    def close(self) -> None:
        self.file.close()

    def is_writable(self) -> bool:
        """Whether it takes something now: a page is written, and says what it said."""

        def work(connection: sqlite3.Connection) -> bool:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute(f"PRAGMA user_version = {version}")
            return True

        return self.file.write(work) is not None

    def append(
        self,
        kind: str,
        kata: str,
        path: Path | None = None,
        data: Mapping[str, Any] | None = None,
        *,
        session: int | None = None,
        source: bytes | None = None,
        verdict: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Write one event, with the source and the verdict's document where there are some, all or nothing.

        Returns the event's id, or None where it could not be written.
        """
        if not (_WORD.fullmatch(kind) and (kind in KINDS or session is not None)):
            raise ValueError(f"unknown kind of event {kind!r}: one of {', '.join(KINDS)} wanted")
        encoded = None if path is None else os.fsencode(path)
        row = (_new_identity(), written_time(self._now()), kind, kata, encoded, to_json(data or {}), session)
        body = None if verdict is None else pack(to_json(verdict).encode())

        def insert(connection: sqlite3.Connection) -> int:
            digest = None if source is None else put_source(connection, source)
            columns = "identity, time, kind, kata, path, data, session, source"
            cursor = connection.execute(f"INSERT INTO events ({columns}) VALUES (?,?,?,?,?,?,?,?)", (*row, digest))
            if body is not None:
                connection.execute("INSERT INTO verdicts (event, body) VALUES (?, ?)", (cursor.lastrowid, body))
            return cursor.lastrowid or 0

        return self.file.write(insert)

    def begin_session(self, kind: str, settings: Mapping[str, Any]) -> int | None:
        """A new session that events can belong to: its id, or None where it could not be written."""
        row = (_new_identity(), kind, written_time(self._now()), to_json(settings))

        def insert(connection: sqlite3.Connection) -> int:
            statement = "INSERT INTO sessions (identity, kind, started, settings) VALUES (?,?,?,?)"
            return connection.execute(statement, row).lastrowid or 0

        return self.file.write(insert)

    def sessions(self, kind: str | None = None) -> list[Session]:
        """Every session, or those of one kind, oldest first."""
        statement = (
            "SELECT id, identity, kind, started, settings, imported FROM sessions"
            " WHERE ?1 IS NULL OR kind = ?1 ORDER BY id"
        )

        def query(connection: sqlite3.Connection) -> list[Session]:
            return [
                Session(id, identity, its_kind, datetime.fromisoformat(started), json.loads(settings), bool(imported))
                for id, identity, its_kind, started, settings, imported in connection.execute(statement, (kind,))
            ]

        return self.file.read(query, otherwise=[])

    def next_session(self) -> int:
        """The number that the next session will have, if nobody begins one before."""
        return max((session.id for session in self.sessions()), default=0) + 1

    def events(
        self, *, session: int | None = None, kata: str | None = None, kinds: Collection[str] = (), after: int = 0
    ) -> list[Event]:
        """Events in the order of their ids: of one session, of one kata, of some kinds, later than the id `after`."""
        conditions = ["id > ?"]
        values: list[int | str] = [after]
        for column, value in (("session", session), ("kata", kata)):
            if value is not None:
                conditions.append(f"{column} = ?")
                values.append(value)
        if kinds:
            conditions.append(f"kind IN ({','.join('?' * len(kinds))})")
            values += kinds
        statement = f"SELECT {EVENT_COLUMNS} FROM events WHERE {' AND '.join(conditions)} ORDER BY id"
        return self.file.read(
            lambda connection: [event_of(row) for row in connection.execute(statement, values)], otherwise=[]
        )

    def event(self, id: int) -> Event | None:
        """One event by its id."""
        statement = f"SELECT {EVENT_COLUMNS} FROM events WHERE id = ?"

        def query(connection: sqlite3.Connection) -> Event | None:
            row = connection.execute(statement, (id,)).fetchone()
            return None if row is None else event_of(row)

        return self.file.read(query, otherwise=None)

    def source(self, digest: str) -> bytes | None:
        """The source with this digest, exactly as it was."""
        return self._unpacked("SELECT body FROM sources WHERE digest = ?", digest)

    def verdict(self, event: int) -> dict[str, Any] | None:
        """The document of a grade, as `render.jsonout` made it; None where the event has none."""
        text = self._unpacked("SELECT body FROM verdicts WHERE event = ?", event)
        return None if text is None else json.loads(text)

    def _unpacked(self, statement: str, key: str | int) -> bytes | None:
        def query(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute(statement, (key,)).fetchone()
            return None if row is None else unpack(row[0])

        return self.file.read(query, otherwise=None)

    def started(self) -> list[tuple[str, Path]]:
        """(kata, path) of every start, reset and restore, newest first, each pair once."""
        statement = (
            "SELECT kata, path FROM events WHERE kind IN ('start', 'reset', 'restore') AND path IS NOT NULL"
            " GROUP BY kata, path ORDER BY max(id) DESC"
        )

        def query(connection: sqlite3.Connection) -> list[tuple[str, Path]]:
            return [(kata, Path(os.fsdecode(path))) for kata, path in connection.execute(statement)]

        return self.file.read(query, otherwise=[])

    def progress(self) -> dict[str, Progress]:
        """Progress by kata id; a kata without events is absent."""
        return self.file.read(read_progress, otherwise={})

    def of(self, kata: str) -> Progress:
        """Progress in one kata."""
        return self.progress().get(kata, Progress())

    def count(self) -> int:
        """How many events there are, for `kata doctor`."""
        return self.file.read(
            lambda connection: int(connection.execute("SELECT count(*) FROM events").fetchone()[0]), otherwise=0
        )


EVENT_COLUMNS = (
    "id, identity, time, kind, kata, path, data, session, source,"
    " EXISTS (SELECT 1 FROM verdicts WHERE verdicts.event = events.id)"
)


def event_of(row: tuple[Any, ...]) -> Event:
    """The event in a row of EVENT_COLUMNS."""
    id, identity, time, kind, kata, path, data, session, source, has_verdict = row
    return Event(
        id=id,
        identity=identity,
        time=datetime.fromisoformat(time),
        kind=kind,
        kata=kata,
        path=None if path is None else Path(os.fsdecode(path)),
        data=json.loads(data),
        session=session,
        source=source,
        has_verdict=bool(has_verdict),
    )


def written_time(time: datetime) -> str:
    """A time as the journal writes it: UTC, ISO 8601, to the millisecond; so its text sorts as the times do."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), allow_nan=False)


def put_source(connection: sqlite3.Connection, source: bytes) -> str:
    """Keep a source, once for each content. Returns its digest."""
    from hashlib import sha256

    digest = sha256(source).hexdigest()
    known = connection.execute("SELECT 1 FROM sources WHERE digest = ?", (digest,)).fetchone()
    if known is None:
        connection.execute("INSERT INTO sources (digest, body) VALUES (?, ?)", (digest, pack(source)))
    return digest


def pack(text: bytes) -> bytes:
    import zlib

    return zlib.compress(text)


def unpack(body: bytes) -> bytes:
    import zlib

    try:
        return zlib.decompress(body)
    except zlib.error as error:
        raise sqlite3.DatabaseError(f"a stored text is damaged: {error}") from None


def _new_identity() -> str:
    return os.urandom(16).hex()
