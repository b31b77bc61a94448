"""The journal as JSON Lines, to move between machines: `export` writes every event, `import` adds those that are new.

The first line is the version. Sessions and sources stand before the events that name them. An event keeps its identity,
so that importing a file again adds nothing. What comes in is a stranger's text: every value is checked, a wrong line is
named and then nothing at all is imported; nothing that it says is run, opened or written to.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from grader.errors import UsageError
from grader.journal.events import (
    EVENT_COLUMNS,
    Event,
    Journal,
    Session,
    event_of,
    pack,
    put_source,
    to_json,
    unpack,
    written_time,
)

Kept = tuple[Event, bytes | None, Mapping[str, Any] | None]
"""An event with its source and its verdict's document."""

VERSION = 1
LONGEST_MINUTES, LONGEST_CREDIT = 600, 86_400  # of a round; in seconds
LONGEST_LINE = 1 << 24  # characters; a source has at most 1 MiB, what a grade printed at most 64 KiB

_WORD = re.compile(r"[a-z]+(-[a-z]+)*")
_KATA = re.compile(r"([a-z0-9]+(-[a-z0-9]+)*)?")
_IDENTITY = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OUTCOMES = ("pass", "fail", "unusable", "grader-error")


@dataclass(slots=True)
class Imported:
    """What an import found: events and sessions that are new here, and events that were known."""

    events: int = 0
    sessions: int = 0
    known: int = 0


def export(journal: Journal, write: Callable[[str], Any]) -> int:
    """Write the whole journal, one state of it, line by line. Returns the number of events."""

    def work(connection: sqlite3.Connection) -> int:
        events = 0
        for record in _records(connection):
            write(json.dumps(record, allow_nan=False) + "\n")
            events += record["type"] == "event"
        return events

    write(json.dumps({"type": "torch-kata journal", "version": VERSION}) + "\n")
    return journal.file.demand(work, otherwise=0, writing=False)


def _records(connection: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    identities: dict[int | None, str | None] = {None: None}
    for id, identity, kind, started, settings in connection.execute(
        "SELECT id, identity, kind, started, settings FROM sessions ORDER BY id"
    ):
        identities[id] = identity
        facts = {"identity": identity, "kind": kind, "started": started, "settings": json.loads(settings)}
        yield {"type": "session", **facts}
    written: set[str | None] = {None}
    for row in connection.execute(f"SELECT {EVENT_COLUMNS} FROM events ORDER BY id"):
        event = event_of(row)
        if event.source not in written:
            written.add(event.source)
            (body,) = connection.execute("SELECT body FROM sources WHERE digest = ?", (event.source,)).fetchone()
            yield {"type": "source", "digest": event.source, **_source_fields(unpack(body))}
        record = _event_record(event, identities[event.session])
        if event.has_verdict:
            (body,) = connection.execute("SELECT body FROM verdicts WHERE event = ?", (event.id,)).fetchone()
            record["verdict"] = json.loads(unpack(body))
        yield record


def export_session(session: Session, kept: Iterable[Kept], write: Callable[[str], Any]) -> None:
    """Write one session that the journal could not take: its identity and those of its events are given."""
    facts = {"identity": session.identity, "kind": session.kind, "started": written_time(session.started)}
    records: list[dict[str, Any]] = [
        {"type": "torch-kata journal", "version": VERSION},
        {"type": "session", **facts, "settings": session.settings},
    ]
    for event, source, verdict in kept:
        if source is not None:
            records.append({"type": "source", "digest": event.source, **_source_fields(source)})
        record = {**_event_record(event, session.identity), "source": None if source is None else event.source}
        records.append(record if verdict is None else {**record, "verdict": verdict})
    for record in records:
        write(json.dumps(record, allow_nan=False) + "\n")


def _event_record(event: Event, session: str | None) -> dict[str, Any]:
    return {
        "type": "event",
        "identity": event.identity,
        "time": written_time(event.time),
        "kind": event.kind,
        "kata": event.kata,
        # A file name is bytes; those that are no text travel as lone surrogates, which JSON can escape.
        "path": None if event.path is None else os.fsencode(event.path).decode("utf-8", "surrogateescape"),
        "data": event.data,
        "session": session,
        "source": event.source,
    }


def _source_fields(source: bytes) -> dict[str, str]:
    try:
        return {"text": source.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(source).decode("ascii")}


def merge(journal: Journal, lines: Iterable[bytes], name: str) -> Imported:
    """Add what is new in the lines of an export, all or nothing. UsageError names the line that is wrong."""

    def work(connection: sqlite3.Connection) -> Imported:
        merging = _Merge(connection)
        number = 0
        for number, line in enumerate(lines, start=1):
            try:
                merging.take(number, line)
            except (ValueError, OverflowError, RecursionError, sqlite3.IntegrityError) as error:
                # A JSON error counts lines of its own; an error of SQLite's is a check of the table's.
                reason = "not JSON" if isinstance(error, json.JSONDecodeError) else str(error)
                raise UsageError(
                    f"{name}, line {number}: {reason}; nothing was imported",
                    "kata export FILE once more, on the machine that it is from",
                ) from None
        if number == 0:
            raise UsageError(f"{name} is empty", "kata export FILE writes one")
        return merging.result

    return journal.file.demand(work, otherwise=Imported(), writing=True)


@dataclass(slots=True)
class _Merge:
    """The state of one import."""

    connection: sqlite3.Connection
    result: Imported = field(default_factory=Imported)
    sessions: dict[str, int] = field(default_factory=dict)  # id here, by identity
    ours: set[int] = field(default_factory=set)  # ids of those that began here
    sources: set[str] = field(default_factory=set)

    def take(self, number: int, line: bytes) -> None:
        """One line. ValueError says what is wrong with it."""
        if len(line) > LONGEST_LINE:
            raise ValueError("longer than any line of an export")
        record = _Record(json.loads(line.decode("utf-8")))
        kind = record.text("type")
        if number == 1:
            if kind != "torch-kata journal":
                raise ValueError("the first line of an export names its version; this is something else")
            if record.take("version", int) != VERSION:
                raise ValueError("exported by a newer torch-kata: update this one")
        elif kind == "session":
            self._session(record)
        elif kind == "source":
            self._source(record)
        elif kind == "event":
            self._event(record)
        else:
            raise ValueError(f"type: session, source or event wanted, {kind!r:.40} found")

    def _session(self, record: _Record) -> None:
        identity = record.text("identity", _IDENTITY)
        settings = record.take("settings", dict)
        _check_rounds(settings)
        row = (record.text("kind", _WORD), record.time("started"), to_json(settings))
        known = self.connection.execute("SELECT id, imported FROM sessions WHERE identity = ?", (identity,)).fetchone()
        if known is None:
            statement = "INSERT INTO sessions (identity, kind, started, settings, imported) VALUES (?,?,?,?,1)"
            known = self.connection.execute(statement, (identity, *row)).lastrowid, True
            self.result.sessions += 1
        self.sessions[identity] = known[0]
        if not known[1]:
            self.ours.add(known[0])

    def _source(self, record: _Record) -> None:
        if record.has("text"):
            source = record.text("text").encode("utf-8")
        else:
            source = base64.b64decode(record.text("base64"), validate=True)
        digest = sha256(source).hexdigest()
        if record.text("digest", _DIGEST) != digest:
            raise ValueError("digest: the source is not the one that was exported")
        put_source(self.connection, source)
        self.sources.add(digest)

    def _event(self, record: _Record) -> None:
        identity = record.text("identity", _IDENTITY)
        kind = record.text("kind", _WORD)
        path = record.text("path") if record.has("path") else None
        if path is not None and "\0" in path:
            raise ValueError("path: a file name has no null byte")
        encoded = None if path is None else path.encode("utf-8", "surrogateescape")
        row = (record.time("time"), kind, record.text("kata", _KATA), encoded, to_json(_checked(kind, record)))
        session = source = body = None
        if record.has("session"):
            session = self.sessions.get(record.text("session"))
            if session is None:
                raise ValueError("session: no line before this one describes it")
            if session in self.ours:  # it opens the files of its events: never one that a stranger names
                row = (*row[:3], None, row[4])
        if record.has("source"):
            source = record.text("source")
            if source not in self.sources:
                raise ValueError("source: no line before this one holds it")
        if record.has("verdict"):
            body = pack(to_json(record.take("verdict", dict)).encode())
        if self.connection.execute("SELECT 1 FROM events WHERE identity = ?", (identity,)).fetchone():
            self.result.known += 1
            return
        columns = "identity, time, kind, kata, path, data, session, source"
        values = (identity, *row, session, source)
        cursor = self.connection.execute(f"INSERT INTO events ({columns}) VALUES (?,?,?,?,?,?,?,?)", values)
        if body is not None:
            self.connection.execute("INSERT INTO verdicts (event, body) VALUES (?, ?)", (cursor.lastrowid, body))
        self.result.events += 1


def _check_rounds(settings: dict[str, Any]) -> None:
    """The minutes of a session's rounds, of which clocks are made; what else is in its settings is the session's affair."""
    rounds = settings.get("rounds")
    for number, each in enumerate(rounds if isinstance(rounds, list) else []):
        if isinstance(each, dict) and "minutes" in each:
            _Record(each, f"settings.rounds[{number}].").number("minutes", LONGEST_MINUTES)


def _checked(kind: str, record: _Record) -> dict[str, Any]:
    """The data of an event, of which other rooms count the numbers and show the words."""
    data: dict[str, Any] = record.take("data", dict)
    inner = _Record(data, "data.")
    if kind == "hint":
        inner.count("rung")
    if kind == "credit" and inner.has("seconds"):
        inner.number("seconds", LONGEST_CREDIT)
    if kind == "grade":
        if inner.text("verdict") not in _OUTCOMES:
            raise ValueError(f"data.verdict: one of {', '.join(_OUTCOMES)} wanted")
        for key in ("passed", "required", "hints"):
            if inner.has(key):
                inner.count(key)
    return data


class _Record:
    """A JSON object of which nothing is believed: what is missing or of another type is a ValueError."""

    def __init__(self, value: Any, where: str = "") -> None:
        if not isinstance(value, dict):
            raise ValueError("an object wanted")
        self._value, self._where = value, where

    def has(self, key: str) -> bool:
        return self._value.get(key) is not None

    def take(self, key: str, kind: type[Any]) -> Any:
        if key not in self._value:
            raise ValueError(f"{self._where}{key}: missing")
        value = self._value[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ValueError(f"{self._where}{key}: {kind.__name__} wanted, {type(value).__name__} found")
        return value

    def text(self, key: str, pattern: re.Pattern[str] | None = None) -> str:
        value: str = self.take(key, str)
        if pattern is not None and not (len(value) <= 200 and pattern.fullmatch(value)):
            raise ValueError(f"{self._where}{key}: {value!r:.40} cannot be right")
        return value

    def count(self, key: str) -> int:
        value: int = self.take(key, int)
        if not 0 <= value < 10_000:
            raise ValueError(f"{self._where}{key}: a small number wanted")
        return value

    def number(self, key: str, most: float) -> float:
        value = self._value.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
            raise ValueError(f"{self._where}{key}: a number up to {most:g} wanted")
        return float(value)

    def time(self, key: str) -> str:
        value = datetime.fromisoformat(self.text(key))
        if value.tzinfo is None:
            raise ValueError(f"{self._where}{key}: a time zone is missing")
        return written_time(value)
