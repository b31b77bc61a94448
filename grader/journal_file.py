"""The journal's SQLite file: opened, brought to the present format, guarded against every kind of trouble.

Nothing here knows what the rows mean. A kill at any moment and several processes at once are survived (WAL, one
transaction an event); a damaged file is moved aside, never deleted; a disk that is full or read-only is one warning.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")

FILE_NAME = "journal.sqlite3"
BUSY_SECONDS = 5.0

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
    # `identity` makes an event the same event on every machine that it is imported to. An older event gets its own
    # from its content and number, so that two copies of one file agree. Sources and verdicts are compressed by zlib.
    """
    DROP TRIGGER events_keep_rows;
    DROP TRIGGER events_keep_values;
    CREATE TABLE sources (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        identity TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        started TEXT NOT NULL,
        settings TEXT NOT NULL CHECK (json_valid(settings))
    );
    ALTER TABLE events RENAME TO events_1;
    DROP INDEX events_by_kata;
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        identity TEXT NOT NULL UNIQUE,
        time TEXT NOT NULL,
        kind TEXT NOT NULL,
        kata TEXT NOT NULL,
        path BLOB,
        data TEXT NOT NULL CHECK (json_valid(data)),
        session INTEGER REFERENCES sessions (id),
        source TEXT REFERENCES sources (digest)
    );
    INSERT INTO events (id, identity, time, kind, kata, path, data)
        SELECT id, identity_of(id, time, kind, kata, path, data), time, kind, kata, path, data FROM events_1 ORDER BY id;
    DROP TABLE events_1;
    CREATE TABLE verdicts (event INTEGER PRIMARY KEY REFERENCES events (id), body BLOB NOT NULL);
    CREATE INDEX events_by_kata ON events (kata, kind);
    CREATE INDEX events_by_session ON events (session) WHERE session IS NOT NULL;
    CREATE INDEX events_by_kind ON events (kind, time);
    CREATE TRIGGER events_keep_rows BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    CREATE TRIGGER events_keep_values BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    CREATE TRIGGER sources_keep_rows BEFORE DELETE ON sources BEGIN SELECT RAISE(ABORT, 'sources are kept'); END;
    CREATE TRIGGER sources_keep_values BEFORE UPDATE ON sources BEGIN SELECT RAISE(ABORT, 'sources are kept'); END;
    CREATE TRIGGER sessions_keep_rows BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'sessions are kept'); END;
    CREATE TRIGGER sessions_keep_values BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'sessions are kept'); END;
    CREATE TRIGGER verdicts_keep_rows BEFORE DELETE ON verdicts BEGIN SELECT RAISE(ABORT, 'verdicts are kept'); END;
    CREATE TRIGGER verdicts_keep_values BEFORE UPDATE ON verdicts BEGIN SELECT RAISE(ABORT, 'verdicts are kept'); END;
    """,
)


def home(environ: Mapping[str, str] | None = None) -> Path:
    """The folder of the journal: KATA_HOME, else the platform's place for a user's data."""
    chosen = (os.environ if environ is None else environ).get("KATA_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("torch-kata", appauthor=False)


def utc_now() -> datetime:
    return datetime.now(UTC)


class JournalFile:
    """The connection, made on first use. `warn` gets one sentence, at most once for each kind of trouble."""

    def __init__(self, folder: Path, *, warn: Callable[[str], None], now: Callable[[], datetime] = utc_now) -> None:
        self.path = folder / FILE_NAME
        self._warn = warn
        self._now = now
        self._warned: set[str] = set()
        self._connection: sqlite3.Connection | None = None

    def read(self, work: Callable[[sqlite3.Connection], T], *, otherwise: T) -> T:
        """What `work` makes of the open file; `otherwise` where there is no file yet, or none that can be read."""
        return self._guarded(work, otherwise=otherwise, writing=False)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run `work` in one transaction: all of it is written, or nothing, which is told and gives None."""

        def whole(connection: sqlite3.Connection) -> T | None:
            with transaction(connection):
                return work(connection)

        return self._guarded(whole, otherwise=None, writing=True)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _guarded(self, work: Callable[[sqlite3.Connection], T], *, otherwise: T, writing: bool) -> T:
        """Run `work`; on damage, set the file aside and try once more; on any other trouble, warn."""
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
        """The connection; None where there is nothing to read yet."""
        if self._connection is None:
            if writing:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.exists():
                return None
            try:
                self._connection = connect(self.path)
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
            connection = connect(self.path)
            try:
                return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
            finally:
                connection.close()
        except sqlite3.Error as error:
            return _is_damage(error)


def _is_damage(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def connect(path: Path) -> sqlite3.Connection:
    """An open journal in the present format."""
    # Without an isolation level every statement is its own transaction, unless `transaction` makes one.
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        version = _version(connection)
        if version < len(MIGRATIONS):
            connection.execute("PRAGMA journal_mode = WAL")  # stays in the file
            _migrate(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")  # enough against a kill
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All statements inside or none; others wait for their turn from the beginning, not in the middle."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors, a full disk among them, have rolled back already
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        raise sqlite3.OperationalError(f"it was written by a newer torch-kata, in format {version}")
    return version


def _migrate(connection: sqlite3.Connection) -> None:
    connection.create_function("identity_of", -1, _identity_of, deterministic=True)
    with transaction(connection):
        # Asked again under the lock: another process may have done the work meanwhile.
        version = _version(connection)
        for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def _identity_of(*values: object) -> str:
    from hashlib import sha256

    return sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _statements(script: str) -> Iterator[str]:
    """Split a script; `executescript` would commit the transaction that makes a migration whole."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Read a journal in a folder where SQLite cannot make its side files; one of an older format, as a copy in memory."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    try:
        if _version(connection) < len(MIGRATIONS):
            copy = sqlite3.connect(":memory:", isolation_level=None)
            connection.backup(copy)
            connection.close()
            connection = copy
            _migrate(connection)
        connection.execute("PRAGMA query_only = ON")  # what is written to a copy in memory would be lost unsaid
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
