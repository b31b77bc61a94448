"""Two clocks together: the wall's, which a person can set, and one that only runs forward, sleep included.

A session's time is what either clock shows to have passed, whichever shows more, so that setting the wall's clock back
gives nobody time, and neither does a reboot. Pure but for `SystemClock`, the only place that asks the machine.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

_LATEST = 4e9  # seconds that a clock may show: the year 2096; a stranger's event may say anything
TOLERANCE = 2.0  # seconds that a wall clock may be corrected by without a word


@dataclass(frozen=True, slots=True)
class Reading:
    """Both clocks at one moment. `ticks` of different boots cannot be compared."""

    wall: float  # seconds since 1970, UTC
    ticks: float  # seconds since some fixed moment of this boot
    boot: str  # "" is never the same boot as anything

    def document(self) -> dict[str, Any]:
        """As an event keeps it."""
        return {"wall": round(self.wall, 3), "ticks": round(self.ticks, 3), "boot": self.boot}

    @classmethod
    def of(cls, document: Any, wall: float) -> Reading:
        """The reading in a document; where there is none, or a strange one, the wall's clock alone."""
        if isinstance(document, Mapping):
            values = document.get("wall"), document.get("ticks"), document.get("boot")
            if (
                isinstance(values[0], (int, float))
                and isinstance(values[1], (int, float))
                and isinstance(values[2], str)
                and 0 <= values[0] <= _LATEST
                and 0 <= values[1] <= _LATEST
            ):
                return cls(float(values[0]), float(values[1]), values[2])
        return cls(wall, 0.0, "")


class Clock(Protocol):
    """What can be read."""

    def read(self) -> Reading: ...


class SystemClock:
    """The clocks of this machine."""

    def read(self) -> Reading:
        return Reading(time.time(), _ticks(), self._boot)

    @cached_property
    def _boot(self) -> str:
        return (
            _boot_id() or f"process {os.getpid()} {os.urandom(8).hex()}"
        )  # then only this process compares with itself


def _ticks() -> float:
    """Linux's CLOCK_BOOTTIME and the CLOCK_MONOTONIC of macOS go on while the machine sleeps; time.monotonic does not."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.monotonic()


def _boot_id() -> str:
    if sys.platform == "darwin":
        return _boot_id_of_macos()
    with suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
        return stream.read().strip()
    return ""


def _boot_id_of_macos() -> str:
    import ctypes

    buffer = ctypes.create_string_buffer(64)
    size = ctypes.c_size_t(len(buffer))
    with suppress(OSError, AttributeError):
        if ctypes.CDLL(None).sysctlbyname(b"kern.bootsessionuuid", buffer, ctypes.byref(size), None, 0) == 0:
            return buffer.value.decode("ascii", "replace")
    return ""


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Seconds since a first reading. Never runs back, whatever the readings say."""

    anchor: Reading  # the first reading of this boot
    at_anchor: float
    last: Reading
    seconds: float  # at `last`
    set_back: bool = False  # whether the wall's clock was seen to run back

    @classmethod
    def start(cls, reading: Reading) -> Elapsed:
        return cls(reading, 0.0, reading, 0.0)

    def at(self, reading: Reading) -> float:
        """Seconds at a later reading."""
        if _same_boot(reading, self.anchor):
            passed = self.at_anchor + max(reading.wall - self.anchor.wall, reading.ticks - self.anchor.ticks)
        else:
            passed = self.seconds + reading.wall - self.last.wall
        return max(self.seconds, passed)

    def moved(self, reading: Reading) -> Elapsed:
        """The same, brought forward to a later reading."""
        seconds = self.at(reading)
        same = _same_boot(reading, self.last)
        ran_back = reading.wall - self.last.wall < (reading.ticks - self.last.ticks if same else 0.0) - TOLERANCE
        moved = replace(self, last=reading, seconds=seconds, set_back=self.set_back or ran_back)
        return moved if _same_boot(reading, self.anchor) else replace(moved, anchor=reading, at_anchor=seconds)


def _same_boot(one: Reading, other: Reading) -> bool:
    return one.boot == other.boot != ""
