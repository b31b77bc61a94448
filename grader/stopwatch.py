"""Reading another process's clock from outside, so that nothing the process says or patches can change a time.

On Linux the parent reads the CPU clock of the worker's process (all its threads, nobody else's load) and how long it waited
for a processor. Elsewhere there is only the parent's own wall clock. Knows nothing of workers, katas or decisions; standard
library only.
"""

from __future__ import annotations

import bisect
import contextlib
import os
import sys
import time
from collections import deque
from dataclasses import dataclass

# Code that neither computes nor waits for a processor for more than this share of its CPU time is waiting for something else.
WAITING = 1.25
WAKING = 0.0005  # seconds that the way through the pipe may take, there and back, before anything counts as waiting
STALE = 0.7  # a reading below this share of the running median is the clock's error: 4 in 84,000, each followed by a double one
REMEMBERED = 31  # readings in the running median


@dataclass(frozen=True, slots=True)
class Lap:
    """What passed between two readings, in seconds. `cpu` and `delay` are None where the system does not tell."""

    wall: float
    cpu: float | None = None
    delay: float | None = None  # ready to run, while other processes had the processor

    @property
    def waited(self) -> bool:
        """Whether it slept, or let somebody else work: time passed that was neither computed nor taken by other processes."""
        if self.cpu is None:
            return False
        share = WAITING if self.delay is not None else 2 * WAITING  # other processes' time may be in it
        return self._awake > share * self.cpu + WAKING

    @property
    def seconds(self) -> float:
        """The time that the code is charged with: CPU time, and where it waited the time it let pass, so that sleep costs."""
        return self.cpu if self.cpu is not None and not self.waited else self._awake

    @property
    def noise(self) -> float:
        """Wall time ÷ CPU time: 1 on a quiet machine."""
        return self.wall / self.cpu if self.cpu else 1.0

    @property
    def _awake(self) -> float:
        return self.wall - (self.delay or 0.0)


class Stopwatch:
    """Reads the clocks of the process `pid`, which may be any process of this machine."""

    def __init__(self, pid: int) -> None:
        self._clock: int | None = None
        self._schedstat: int | None = None
        self._started: tuple[float, float | None, float | None] = (0.0, None, None)
        if sys.platform == "linux":
            clock = (
                ~pid << 3
            ) | 2  # what clock_getcpuclockid(3) returns: the scheduler's clock of all the process's threads
            with contextlib.suppress(OSError):
                time.clock_gettime(clock)
                self._clock = clock
            with contextlib.suppress(OSError):
                self._schedstat = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        self.start()

    @property
    def reads_cpu(self) -> bool:
        return self._clock is not None

    def start(self) -> None:
        self._started = self._read()

    def lap(self) -> Lap:
        """What passed since `start`."""
        (wall, cpu, delay), (wall_0, cpu_0, delay_0) = self._read(), self._started
        return Lap(wall - wall_0, _difference(cpu, cpu_0), _difference(delay, delay_0))

    def close(self) -> None:
        if self._schedstat is not None:
            os.close(self._schedstat)
            self._schedstat = None

    def _read(self) -> tuple[float, float | None, float | None]:
        """Wall clock, CPU clock, delay. A process that is gone has no clock: its lap is wall time, and nobody will ask."""
        cpu = delay = None
        if self._clock is not None:
            with contextlib.suppress(OSError):
                cpu = time.clock_gettime(self._clock)
        if self._schedstat is not None:
            with contextlib.suppress(OSError, ValueError, IndexError):
                delay = int(os.pread(self._schedstat, 100, 0).split()[1]) / 1e9
        return time.perf_counter(), cpu, delay


def _difference(now: float | None, then: float | None) -> float | None:
    return None if now is None or then is None else now - then


class StaleFilter:
    """Drops readings that are too short to be true, and counts them."""

    def __init__(self) -> None:
        self.dropped = 0
        self._recent: deque[float] = deque(maxlen=REMEMBERED)
        self._sorted: list[float] = []

    def accepts(self, seconds: float) -> bool:
        """Whether to believe it. A rejected one is remembered too: if the code really got faster, the median follows."""
        believed = not self._sorted or seconds >= STALE * self._sorted[len(self._sorted) // 2]
        if len(self._recent) == REMEMBERED:
            del self._sorted[bisect.bisect_left(self._sorted, self._recent[0])]
        self._recent.append(seconds)
        bisect.insort(self._sorted, seconds)
        self.dropped += not believed
        return believed
