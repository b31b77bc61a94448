"""The journal: what was started, graded, hinted and given up, as append-only events in one SQLite file.

It lives in KATA_HOME, else in the user's data folder, and survives a kill at any moment (WAL, one transaction an event)
and several processes at once. It is a convenience and never in the way: where it cannot be read or written there is a
warning and the command goes on; a damaged file is moved aside, never deleted. Knows nothing about katas but their ids.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")

FILE_NAME = "journal.sqlite3"
KINDS = ("start", "reset", "grade", "hint", "solution")

# Each script brings the file from version n to n + 1 (PRAGMA user_version). Only ever add to the end. A statement
# begins on a line of its own.
# `path` is a BLOB: a file name is bytes, and need not be text.
MIGRATIONS = (
    """
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        time TEXT NOT NULL,
        kind TEXT NOT NULL,
        kata TEXT NOT NULL,
        path BLOB,
        data TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(data))
    );
    CREATE INDEX events_by_kata ON events (kata, kind);
    CREATE TRIGGER events_keep_rows BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    CREATE TRIGGER events_keep_values BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    """,
)

_PROGRESS = """
    SELECT kata,
        max(kind IN ('start', 'reset')),
        sum(kind = 'grade' AND verdict IN ('pass', 'fail', 'unusable')),
        max(CASE WHEN verdict IN ('pass', 'fail') THEN passed END),
        max(CASE WHEN verdict IN ('pass', 'fail') THEN required END),
        min(CASE WHEN verdict = 'pass' THEN time END),
        max(CASE WHEN kind = 'hint' THEN rung END),
        max(kind = 'solution'),
        max(CASE WHEN kind = 'grade' THEN time END)
    FROM (
        SELECT kata, kind, time,
            json_extract(data, '$.verdict') AS verdict,
            json_extract(data, '$.passed') AS passed,
            json_extract(data, '$.required') AS required,
            json_extract(data, '$.rung') AS rung
        FROM events
    )
    GROUP BY kata
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """What the journal knows about one kata."""

    started: bool = False
    attempts: int = 0
    best: int | None = None  # most required properties passed in one grade
    required: int | None = None  # of so many
    first_pass: str | None = None  # UTC, ISO 8601
    hints: int = 0
    gave_up: bool = False
    last_grade: str | None = None

    @property
    def passed(self) -> bool:
        return self.first_pass is not None

    @property
    def state(self) -> str:
        """ "new", "started", "failing" or "passed": once passed, always passed."""
        if self.passed:
            return "passed"
        if self.attempts:
            return "failing"
        return "started" if self.started else "new"


def home(environ: Mapping[str, str] | None = None) -> Path:
    """The folder of the journal: KATA_HOME, else the platform's place for a user's data."""
    chosen = (os.environ if environ is None else environ).get("KATA_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("torch-kata", appauthor=False)


def utc_now() -> datetime:
    return datetime.now(UTC)


class Journal:
    """Append and query events. Every method is safe to call whatever the state of the disk.

    `warn` gets one sentence, at most once for each kind of trouble; `now` is the clock.
    """

    def __init__(self, folder: Path, *, warn: Callable[[str], None], now: Callable[[], datetime] = utc_now) -> None:
        self.path = folder / FILE_NAME
        self._warn = warn
        self._now = now
        self._warned: set[str] = set()
        self._connection: sqlite3.Connection | None = None

    def append(self, kind: str, kata: str, path: Path | None = None, data: Mapping[str, Any] | None = None) -> bool:
        """Write one event. Returns whether it was written."""
        if kind not in KINDS:
            raise ValueError(f"unknown kind of event {kind!r}: one of {', '.join(KINDS)} wanted")
        time = self._now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        row = (time, kind, kata, None if path is None else os.fsencode(path), json.dumps(dict(data or {})))

        def insert(connection: sqlite3.Connection) -> bool:
            connection.execute("INSERT INTO events (time, kind, kata, path, data) VALUES (?, ?, ?, ?, ?)", row)
            return True

        return self._guarded(insert, otherwise=False, writing=True)

    def started(self) -> list[tuple[str, Path]]:
        """(kata, path) of every start and reset, newest first, each pair once."""

        def query(connection: sqlite3.Connection) -> list[tuple[str, Path]]:
            rows = connection.execute(
                "SELECT kata, path FROM events WHERE kind IN ('start', 'reset') AND path IS NOT NULL"
                " GROUP BY kata, path ORDER BY max(id) DESC"
            )
            return [(kata, Path(os.fsdecode(path))) for kata, path in rows]

        return self._guarded(query, otherwise=[], writing=False)

    def progress(self) -> dict[str, Progress]:
        """Progress by kata id; a kata without events is absent."""

        def query(connection: sqlite3.Connection) -> dict[str, Progress]:
            progress = {}
            for row in connection.execute(_PROGRESS):
                kata, started, attempts, best, required, first_pass, hints, gave_up, last_grade = row
                progress[kata] = Progress(
                    started=bool(started),
                    attempts=attempts or 0,
                    best=best,
                    required=required,
                    first_pass=first_pass,
                    hints=hints or 0,
                    gave_up=bool(gave_up),
                    last_grade=last_grade,
                )
            return progress

        return self._guarded(query, otherwise={}, writing=False)

    def of(self, kata: str) -> Progress:
        """Progress in one kata."""
        return self.progress().get(kata, Progress())

    def count(self) -> int:
        """How many events there are, for `kata doctor`."""

        def query(connection: sqlite3.Connection) -> int:
            return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])

        return self._guarded(query, otherwise=0, writing=False)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _guarded(self, work: Callable[[sqlite3.Connection], T], *, otherwise: T, writing: bool) -> T:
        """Run `work` on the open file; on damage, set the file aside and try once more; on any other trouble, warn."""
        for attempt in (1, 2):
            try:
                connection = self._open(writing=writing)
                return otherwise if connection is None else work(connection)
            except (OSError, sqlite3.Error) as error:
                self.close()
                if attempt == 1 and _is_damage(error) and self._set_aside():
                    continue
                self._trouble(writing, str(error))
                break
        return otherwise

    def _trouble(self, writing: bool, reason: str) -> None:
        kind = "writing" if writing else "reading"
        if kind not in self._warned:
            self._warned.add(kind)
            what = "progress is not saved" if writing else "earlier progress is not known"
            self._warn(f"{what}: the journal {self.path} cannot be used ({reason}); KATA_HOME=FOLDER chooses another")

    def _open(self, *, writing: bool) -> sqlite3.Connection | None:
        """The connection, made on first use; None where there is nothing to read yet."""
        if self._connection is None:
            if writing:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.exists():
                return None
            try:
                self._connection = _connect(self.path)
            except sqlite3.OperationalError:
                if writing:
                    raise
                self._connection = _connect_read_only(self.path)
        return self._connection

    def _set_aside(self) -> bool:
        """Move a damaged journal away, with its side files, so that a new one can begin. Never deletes."""
        with _lock(self.path.with_suffix(".lock")):
            if not self._is_damaged():  # another process was here first, and the new file is sound
                return True
            aside = self.path.with_name(f"{self.path.name}.damaged-{self._now():%Y%m%d-%H%M%S}-{os.getpid()}")
            try:
                os.replace(self.path, aside)
            except OSError:
                return False
            for suffix in ("-wal", "-shm"):
                with suppress(OSError):
                    os.replace(f"{self.path}{suffix}", f"{aside}{suffix}")
        self._warn(f"the journal was damaged: it is kept as {aside}, and a new one begins")
        return True

    def _is_damaged(self) -> bool:
        try:
            connection = _connect(self.path)
            try:
                return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
            finally:
                connection.close()
        except sqlite3.Error as error:
            return _is_damage(error)


def _is_damage(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=5.0, isolation_level=None)  # every statement is its own transaction
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise sqlite3.OperationalError(f"it was written by a newer torch-kata, in format {version}")
        if version < len(MIGRATIONS):
            connection.execute("PRAGMA journal_mode = WAL")  # stays in the file
            _migrate(connection)
        connection.execute("PRAGMA synchronous = NORMAL")  # enough against a kill
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again under the lock: another process may have done the work meanwhile.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Split a script; `executescript` would commit the transaction that makes a migration whole."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Read a journal in a folder where SQLite cannot make its side files."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != len(MIGRATIONS):
            raise sqlite3.OperationalError(f"its format is {version}, not {len(MIGRATIONS)}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """One process at a time; without effect where the platform has no flock."""
    try:
        import fcntl

        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except (ImportError, OSError):
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
