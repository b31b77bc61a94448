"""Ctrl-C ends the process at once, with `stopped` and 130, unless whoever runs asks for a KeyboardInterrupt.

An exception in the midst of an import is no way to end: C++ swallows it, wraps it or aborts, and nothing that torch was
doing can be undone anyway. So this is set before anything else of ours is imported, and imports itself only what every
Python has imported already. What must not stay behind (a worker, its folder, a note on the terminal) is put down here by
who makes it.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself takes 10 ms: it imports enum
import os
import sys

TYPE_CHECKING = False  # as typing has it, which takes 10 ms more
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130

_undoing: list[Callable[[], None]] = []


def install() -> None:
    """From here on Ctrl-C ends the process; where a shell has us ignore it, in the background, that stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


class raising:
    """Ctrl-C raises KeyboardInterrupt in here, as everywhere without `install`: for what cleans up behind itself."""

    def __enter__(self) -> None:
        self._installed = signal.getsignal(signal.SIGINT) is _end
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *error: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, _end)


def undo(what: Callable[[], None]) -> Callable[[], None]:
    """Have `what` done before Ctrl-C ends the process, the last first. It may run between any two steps of this thread."""
    _undoing.append(what)
    return what


def forget(what: Callable[[], None]) -> None:
    """It is undone already."""
    _undoing.remove(what)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for what in reversed(_undoing):
            try:
                what()
            except BaseException:  # the next one is to be undone too
                continue
        if sys.stderr is not None:  # else its number may be another file's by now
            os.write(2, b"\rstopped\n" if os.isatty(2) else b"stopped\n")
    finally:
        os._exit(INTERRUPTED)
