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
THREADS = 1.15  # CPU time of the process ÷ CPU time of its main thread, above which other threads compute
WAKING = 0.0005  # seconds that the way through the pipe may take, there and back, before anything counts as waiting
STALE = 0.7  # a reading below this share of the running median is the clock's error: 4 in 84,000, each followed by a double one
REMEMBERED = 31  # readings in the running median


@dataclass(frozen=True, slots=True)
class Lap:
    """What passed between two readings, in seconds. `cpu` and `delay` are None where the system does not tell."""

    wall: float
    cpu: float | None = None
    delay: float | None = None  # it or this process was ready to run, while other processes had the processor
    main: float | None = None  # CPU time of the main thread alone

    @property
    def waited(self) -> bool:
        """Whether it slept, or let somebody else work: time passed that was neither computed nor taken by other processes."""
        if self.cpu is None:
            return False
        share = WAITING if self.delay is not None else 2 * WAITING  # other processes' time may be in it
        return self.awake > share * self.cpu + WAKING

    @property
    def threaded(self) -> bool:
        """Whether other threads than the main one computed; their time is in `cpu`."""
        return self.cpu is not None and self.main is not None and self.cpu > THREADS * self.main + WAKING

    @property
    def seconds(self) -> float:
        """The time that the code is charged with: CPU time, and where it waited the time it let pass, so that sleep costs."""
        return self.cpu if self.cpu is not None and not self.waited else self.awake

    @property
    def longest(self) -> float:
        """The time that it took by whichever clock counts more."""
        return max(self.awake, self.cpu or 0.0)

    @property
    def noise(self) -> float:
        """Wall time ÷ CPU time: 1 on a quiet machine."""
        return self.wall / self.cpu if self.cpu else 1.0

    @property
    def awake(self) -> float:
        """Wall time without the time that other processes took, as far as that is known."""
        return self.wall - (self.delay or 0.0)


@dataclass(frozen=True, slots=True)
class _Reading:
    wall: float
    cpu: float | None
    delay: float | None
    main: float | None


class Stopwatch:
    """Reads the clocks of the process `pid`, which may be any process of this machine."""

    def __init__(self, pid: int, *, wall_only: bool = False) -> None:
        """With `wall_only` a lap is what the wall clock says, for the work is done elsewhere, on a GPU.

        What the process computes between laps is told all the same: it may be sending work there.
        """
        self._wall_only = wall_only
        self._clock: int | None = None
        self._schedstat: int | None = None
        self._own: int | None = None  # schedstat of the thread that reads the clocks
        if sys.platform == "linux":
            clock = (~pid << 3) | 2  # what clock_getcpuclockid(3) returns: the scheduler's clock of all its threads
            with contextlib.suppress(OSError):
                time.clock_gettime(clock)
                self._clock = clock
            with contextlib.suppress(OSError):
                self._schedstat = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
                self._own = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        self._started = self._ended = self._read()

    @property
    def reads_cpu(self) -> bool:
        return self._clock is not None and not self._wall_only

    def rest(self) -> None:
        """What the process has done until now is not to be counted as idle work."""
        self._ended = self._read()

    def start(self) -> float:
        """Begin a lap. Returns the CPU time since the last one ended, when the process should have been at rest."""
        self._started = self._read()
        return _difference(self._started.cpu, self._ended.cpu) or 0.0

    def lap(self) -> Lap:
        """What passed since `start`."""
        now, then = self._read(), self._started
        self._ended = now
        if self._wall_only:
            return Lap(now.wall - then.wall)
        return Lap(
            now.wall - then.wall,
            _difference(now.cpu, then.cpu),
            _difference(now.delay, then.delay),
            _difference(now.main, then.main),
        )

    def close(self) -> None:
        for descriptor in (self._schedstat, self._own):
            if descriptor is not None:
                os.close(descriptor)
        self._schedstat = self._own = None

    def _read(self) -> _Reading:
        """All clocks. A process that is gone has none but the wall's, and nobody will ask for its lap."""
        cpu = delay = main = None
        if self._clock is not None:
            with contextlib.suppress(OSError):
                cpu = time.clock_gettime(self._clock)
        if self._schedstat is not None and self._own is not None:
            with contextlib.suppress(OSError, ValueError):
                main_ns, delay_ns, _ = os.pread(self._schedstat, 100, 0).split()
                _, own_ns, _ = os.pread(self._own, 100, 0).split()
                main, delay = int(main_ns) / 1e9, (int(delay_ns) + int(own_ns)) / 1e9
        return _Reading(time.perf_counter(), cpu, delay, main)


def _difference(now: float | None, then: float | None) -> float | None:
    return None if now is None or then is None else now - then


class StaleFilter:
    """Drops readings of a clock that had not caught up yet, and counts them.

    Too short for the running median is not enough: a processor whose neighbour falls silent is faster at once. The wall clock
    must contradict it too.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._recent: deque[float] = deque(maxlen=REMEMBERED)
        self._sorted: list[float] = []

    def accepts(self, lap: Lap) -> bool:
        """Whether to believe it. A rejected one is remembered too: if the code really got faster, the median follows."""
        if lap.cpu is None:
            return True
        short = bool(self._sorted) and lap.cpu < STALE * self._sorted[len(self._sorted) // 2]
        stale = lap.cpu <= 0 or (short and lap.cpu < STALE * lap.awake)  # no call takes no time, whatever the wall says
        if len(self._recent) == REMEMBERED:
            del self._sorted[bisect.bisect_left(self._sorted, self._recent[0])]
        self._recent.append(lap.cpu)
        bisect.insort(self._sorted, lap.cpu)
        self.dropped += stale
        return not stale
