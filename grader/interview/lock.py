"""One live view to a session, and one beginning of a session at a time: a file lock beside the journal.

The lock dies with its process, whatever ends it. Where the folder cannot be written, or the platform has no flock,
nobody is kept out.
"""

from __future__ import annotations

import os
from pathlib import Path

FILE_NAME = "interview.lock"


class ViewLock:
    """Held by the live view that looks at the files and takes the snapshots; under another name, by who begins a session."""

    def __init__(self, folder: Path, name: str = FILE_NAME) -> None:
        self._path = folder / name
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def acquire(self) -> bool:
        """Take the lock if it is free. True: it is ours now, or there is no way to lock."""
        if self._descriptor is not None:
            return True
        try:
            import fcntl

            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except (ImportError, OSError):
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:  # a file system without locks
            os.close(descriptor)
            return True
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
