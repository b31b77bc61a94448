"""The journal's SQLite file: where it lies, and how every kind of trouble with it ends.

Nothing here knows what the rows mean; the format is `schema`'s. A kill at any moment and several processes at
once are survived (WAL, one transaction an event); a damaged file is moved aside, never deleted; a disk that is full or
read-only is one warning.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from grader.errors import GraderError
from grader.journal.schema import BUSY_SECONDS, connect, connect_read_only, transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")

FILE_NAME = "journal.sqlite3"


def home(environ: Mapping[str, str] | None = None) -> Path:
    """The folder of the journal: KATA_HOME, else the platform's place for a user's data."""
    chosen = (os.environ if environ is None else environ).get("KATA_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("torch-kata", appauthor=False)


def can_begin(folder: Path) -> bool:
    """Whether a journal could be made there: tried, for the rights of a folder do not tell (those of /proc say yes)."""
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    probe = folder / f".{os.getpid()}.probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.mkdir()
    except OSError:
        return False
    finally:
        for made in (probe, *missing):
            with suppress(OSError):
                made.rmdir()
    return True


def utc_now() -> datetime:
    return datetime.now(UTC)


class JournalFile:
    """The connection, made on first use. `warn` gets one sentence, at most once for each kind of trouble."""

    def __init__(
        self,
        folder: Path,
        *,
        warn: Callable[[str], None],
        now: Callable[[], datetime] = utc_now,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.path = folder / FILE_NAME
        self._warn = warn
        self._now = now
        self._busy_seconds = busy_seconds
        self._warned: set[str] = set()
        self._connection: sqlite3.Connection | None = None

    def read(self, work: Callable[[sqlite3.Connection], T], *, otherwise: T) -> T:
        """What `work` makes of the open file; `otherwise` where there is no file yet, or none that can be read."""
        try:
            return self._run(work, otherwise=otherwise, writing=False)
        except (OSError, sqlite3.Error) as error:
            self._trouble(writing=False, reason=str(error))
            return otherwise

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run `work` in one transaction: all of it is written, or nothing, which is told and gives None."""
        try:
            return self._run(_whole(work), otherwise=None, writing=True)
        except (OSError, sqlite3.Error) as error:
            self._trouble(writing=True, reason=str(error))
            return None

    def demand(self, work: Callable[[sqlite3.Connection], T], *, otherwise: T, writing: bool) -> T:
        """Like `read` or `write`, for a command that is about the journal itself: trouble is a GraderError."""
        try:
            connection = self._open(writing=writing)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        try:  # an OSError of the work is about another file than this one
            return otherwise if connection is None else _whole(work, immediate=writing)(connection)
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> GraderError:
        self.close()
        if _is_damage(error) and self._set_aside():
            return GraderError("the journal was damaged", "kata status shows what there is now")
        return GraderError(f"the journal {self.path} cannot be used ({error})", "kata doctor")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _run(self, work: Callable[[sqlite3.Connection], T], *, otherwise: T, writing: bool) -> T:
        """Run `work`; on damage, set the file aside and try once more."""
        try:
            connection = self._open(writing=writing)
            return otherwise if connection is None else work(connection)
        except (OSError, sqlite3.Error) as error:
            self.close()
            if not (_is_damage(error) and self._set_aside()):
                raise
        try:
            connection = self._open(writing=writing)
            return otherwise if connection is None else work(connection)
        except (OSError, sqlite3.Error):
            self.close()
            raise

    def _trouble(self, *, writing: bool, reason: str) -> None:
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
                self._connection = connect(self.path, self._busy_seconds)
            except sqlite3.OperationalError:
                if writing:
                    raise
                self._connection = connect_read_only(self.path)
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


def _whole(work: Callable[[sqlite3.Connection], T], *, immediate: bool = True) -> Callable[[sqlite3.Connection], T]:
    def whole(connection: sqlite3.Connection) -> T:
        with transaction(connection, immediate=immediate):
            return work(connection)

    return whole


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
