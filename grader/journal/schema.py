"""The format of the journal's file: its tables, the way from every older format, and how a connection is opened.

Nothing here knows what the rows mean, and nothing here handles an error: that is `file`'s.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY_SECONDS = 5.0  # as long another process that writes is waited for

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
    # A session that began on another machine is told from one that began here: its clock and its paths are not ours.
    """
    ALTER TABLE sessions ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
    """,
)


def connect(path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """An open journal in the present format."""
    # Without an isolation level every statement is its own transaction, unless `transaction` makes one.
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
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
def transaction(connection: sqlite3.Connection, *, immediate: bool = True) -> Iterator[None]:
    """All statements inside or none. A writer waits for its turn at the beginning, where nothing is lost by it."""
    connection.execute("BEGIN IMMEDIATE" if immediate else "BEGIN")
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


def connect_read_only(path: Path) -> sqlite3.Connection:
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
