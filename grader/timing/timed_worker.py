"""A worker whose requests are timed from outside, and the calls that are prepared in it.

Every request does as many repetitions as its caller wants, each on new inputs (`ring.py`), and takes random samples of the
answers with it. Work that the process does between requests, when it should be at rest, is charged to the submission.

On a GPU the clock runs from the request until the answer of the last call has arrived here: that the device is at rest then is
not only said by the worker. What the device's events and its allocator tell is a claim, and kept for information.
"""

from __future__ import annotations

import builtins
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from grader.candidate import Candidate, Module
from grader.catalog import Kata
from grader.claims import read_exception
from grader.errors import GraderError, WorkerLost
from grader.failure import PropertyFailed
from grader.timing.decision import repeats
from grader.timing.ring import Material, Recipe, Ring
from grader.timing.stopwatch import Lap, StaleFilter, Stopwatch
from grader.verdict import CandidateException
from grader.worker_process import Worker

WHOLE_SECONDS = 60  # for everything that is asked of one worker
WARM_UP = {False: 5, True: 10}  # calls, forward and with backward: steady from call 2 to 7 on, once 11
CALIBRATIONS = 3  # requests that tell how long a call takes once it is warm
SLOW_CALL = 0.1  # seconds: so slow a call needs no more warming up
SETTLED, SETTLING_SECONDS = (
    0.05,
    1.0,
)  # a GPU's clock rate has settled when three requests differ by less; at most so long
MOST_SECONDS = 1e4  # that a device's event may claim
REST = 0.0001  # seconds of CPU between two requests that are the end of the last one, not work on the side
SAMPLES = 2  # answers taken from each request
LEAST = 0.05  # share of a request that is left to the code itself, whatever is taken off


class TimedCallFailed(Exception):
    """The submission raised, hung, died or gave a wrong answer in a timed call."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """What a request costs besides the calls: seconds for each request, and for each repetition."""

    fixed: float = 0.0
    each: float = 0.0

    def net(self, seconds: float, repeats: int) -> float:
        """Seconds of one call of the code itself."""
        gross = seconds / max(repeats, 1)
        return max((seconds - self.fixed) / max(repeats, 1) - self.each, LEAST * gross)


@dataclass(slots=True)
class Floor:
    """Who ran last. A worker that takes over begins with a call that is not timed: the caches are full of the other's."""

    last: TimedWorker | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What one request took, which places it used, and what the device's events said of it, where it has any."""

    lap: Lap
    order: tuple[int, ...]
    events: float | None = None  # seconds


@dataclass(frozen=True, slots=True)
class Timed:
    """One request: seconds of a call, and some of the answers with what they answer."""

    seconds: float
    lap: Lap
    samples: tuple[tuple[Recipe, dict[str, Tensor]], ...]


class TimedWorker:
    """A fresh worker with one file loaded. `trusted` says that the file is the grader's own."""

    def __init__(
        self,
        kata: Kata,
        source: bytes,
        *,
        device: str,
        trusted: bool,
        rng: random.Random,
        floor: Floor,
        deadline: float = math.inf,
    ) -> None:
        """Loads the file. Until `deadline` (`time.monotonic`) it may compute, unless it is the grader's own."""
        self.kata = kata
        self.floor = floor
        self.device = device
        self.trusted = trusted
        self.rng = rng
        self.call: float | None = None  # seconds of a call of the latest request
        self.owed = 0.0  # seconds of work between requests that nobody has been charged with yet
        self.worker = Worker(source, device=device)
        self.worker.grade_deadline = min(time.monotonic() + WHOLE_SECONDS, math.inf if trusted else deadline)
        self.watch = Stopwatch(self.worker.pid, wall_only=device != "cpu")
        self._candidate = Candidate(self.worker, source.decode("utf-8", errors="replace"), device=device)
        self._modules: dict[str, Module] = {}
        # The alarm goes before every forbidden operator: the library's own code is timed without.
        forbidden = [] if trusted else list(kata.forbidden)
        try:
            self.request({"op": "load", "path": self.worker.path, "forbidden": forbidden, "entries": self._entries()})
            self.worker.forget_alarms()
        except BaseException:
            self.close()
            raise

    def load_also(self, source: bytes, prefix: str) -> None:
        """Load another file of the grader's own; its entries are called `<prefix>.<name>`."""
        path = Path(self.worker.folder, f"{prefix}.py")
        path.write_bytes(source)
        path.chmod(0o644)
        self.request({"op": "load-also", "path": str(path), "prefix": prefix, "entries": self._entries()})

    def subject(self, plan: str, material: Material, *, prefix: str = "", blank: bool = False) -> Subject:
        """Prepare the workload's call of the loaded file, or of the one loaded under `prefix`."""
        case = material.case
        entry = f"{prefix}.{case.entry}" if prefix else case.entry
        module = None
        if case.init is not None and not blank:
            if entry not in self._modules:
                self._modules[entry] = self._construct(entry, material)
            module = self._modules[entry]
        ring = Ring(self.worker.arena, material, module, self.rng)
        settings = [] if module is None else self._settings(material, module, ring.end)
        self.request(ring.request(plan, None if blank else entry, settings))
        return Subject(self, plan, ring)

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """Ask for something that is not timed."""
        fields = self.ask(message)
        self.watch.rest()
        return fields

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Ask, and blame whoever wrote the file where no good answer comes."""
        try:
            reply = self.worker.request(message)
        except WorkerLost as lost:
            raise self._blame(self._explain(lost)) from None
        if reply.error is not None:
            exception = read_exception(reply.error, self._candidate.lines)
            raise self._blame(f"it raised {self._describe(exception)} in a timed call")
        return reply.fields

    def _explain(self, lost: WorkerLost) -> str:
        """Where all the time of a grade has gone is told by how long a call takes, if one has ended at all."""
        if lost.kind != "time-limit":
            return lost.message
        took = "no call ended" if self.call is None else f"a call took {self.call:.2g} s"
        return f"{lost.message} while calls were timed: {took}"

    def _describe(self, exception: CandidateException) -> str:
        """Kind and line of an exception. No word of the code's own: a copy of the reference may lie within its reach."""
        if self.trusted:
            return f"{exception.type}: {exception.message}"
        known = getattr(builtins, exception.type, None)
        kind = exception.type if isinstance(known, type) and issubclass(known, BaseException) else "an exception"
        line = exception.frames[-1].line if exception.frames else None
        return kind if line is None else f"{kind} in line {line}"

    def _blame(self, message: str) -> Exception:
        return GraderError(f"the reference cannot be timed: {message}") if self.trusted else TimedCallFailed(message)

    def _construct(self, entry: str, material: Material) -> Module:
        from dataclasses import replace

        try:
            module = self._candidate.construct(replace(material.case, entry=entry))
        except PropertyFailed as failed:
            what = "" if failed.exception is None else f": {self._describe(failed.exception)}"
            raise self._blame(f"its module could not be prepared for timed calls{what}") from None
        except WorkerLost as lost:
            raise self._blame(lost.message) from None
        self.watch.rest()
        return module

    def _settings(self, material: Material, module: Module, at: int) -> list[list[Any]]:
        return self._candidate.write_parameters(material.case.parameters, module.placements, at)[0]

    def _entries(self) -> list[dict[str, str]]:
        return [{"name": entry.name, "kind": entry.kind} for entry in self.kata.entries]

    def close(self) -> None:
        self.watch.close()
        self.worker.close()

    def __enter__(self) -> TimedWorker:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Subject:
    """One prepared call in one worker. `pays` for what its process does between requests."""

    def __init__(self, host: TimedWorker, plan: str, ring: Ring) -> None:
        self.host = host
        self.plan = plan
        self.ring = ring
        self.pays = False
        self.repeats = 1
        self.overhead = Overhead()
        self.stale = StaleFilter()
        self.laps: list[Lap] = []
        self.events: list[float] = []  # seconds of a call, as the device's events tell
        self.peak = 0  # bytes, as the device's allocator tells

    def warm_up(self, request: float) -> float:
        """Call until the times are steady. Returns the seconds of a call, measured in requests of about `request` seconds."""
        left = WARM_UP[self.ring.material.backward]
        call, step = self._request(1).lap.wall, 1
        left -= 1
        while left > 0 and call < SLOW_CALL:
            step = min(left, self.ring.places)
            made = self._request(step)
            call = made.lap.seconds / len(made.order)
            left -= step
        if self.host.device != "cpu" and call < SLOW_CALL:
            self._settle()
        for _ in range(CALIBRATIONS if call < SLOW_CALL else 0):
            count = min(repeats(call, request, self.ring.places), self.ring.places)
            call = min(call, self._request(count).lap.seconds / count)
        return call

    def time(self) -> Timed | None:
        """Time one request; None where the clock's reading cannot be true."""
        if self.host.floor.last is not self.host:
            first = self._request(1).lap
            if first.waited and first.cpu is not None:
                self.host.owed += (
                    first.awake - first.cpu
                )  # to sleep while no clock counts would use up the time for the decision
        made = self._request(self.repeats)
        lap, order = made.lap, made.order
        sampled = self.host.rng.sample(order, min(SAMPLES, len(order)))
        if self.host.device != "cpu" and order and order[-1] not in sampled:
            sampled[0] = order[-1]  # whose arrival has ended the time: it must be an answer
        self._fetch([slot for place in sampled for slot in self.ring.result_slots(place)])
        samples = tuple(self.ring.take(place) for place in sampled)
        seconds = lap.seconds
        if self.pays:
            seconds, self.host.owed = seconds + self.host.owed, 0.0
        self.laps.append(lap)
        if made.events is not None and order:
            self.events.append(made.events / len(order))
        return Timed(self.overhead.net(seconds, self.repeats), lap, samples) if self.stale.accepts(lap) else None

    def check(self, timed: Timed) -> None:
        """Compare the samples with the reference's answers."""
        wrong = self._wrong(timed)
        if wrong:
            raise TimedCallFailed(f"{wrong} was wrong in a timed call, though right when it was examined")

    def is_right(self, timed: Timed) -> bool:
        """Whether the samples are the reference's answers."""
        return not self._wrong(timed)

    def _wrong(self, timed: Timed) -> str:
        return next((wrong for sample in timed.samples if (wrong := self.ring.wrong(*sample))), "")

    def _request(self, count: int) -> Request:
        host = self.host
        host.floor.last = host
        order = host.rng.sample(range(self.ring.places), min(count, self.ring.places))
        written = self.ring.refresh(order)
        if host.device != "cpu":
            host.request({"op": "carry", "plan": self.plan, "slots": written})
        idle = host.watch.start()
        told = host.ask({"op": "repeat", "plan": self.plan, "order": order})
        if host.device != "cpu":
            last = order[-1] if order else 0
            host.ask({"op": "fetch", "plan": self.plan, "slots": self.ring.result_slots(last)[:1]})
        lap = host.watch.lap()
        host.call = lap.wall / len(order) if order else host.call
        if idle > REST:
            host.owed += idle
        return Request(lap, tuple(order), _read_claim(told.get("device_seconds")))

    def _fetch(self, slots: Sequence[int]) -> None:
        if self.host.device == "cpu":
            return
        told = self.host.request({"op": "fetch", "plan": self.plan, "slots": list(slots)})
        self.peak = max(self.peak, told.get("peak") or 0)

    def _settle(self) -> None:
        """Let a GPU's clock rate rise until it stays."""
        started = time.monotonic()
        recent: list[float] = []
        while time.monotonic() - started < SETTLING_SECONDS:
            recent = [*recent[-2:], self._request(self.ring.places).lap.wall]
            if len(recent) == 3 and max(recent) <= (1 + SETTLED) * min(recent):
                return


def _read_claim(seconds: Any) -> float | None:
    """What a worker says that its device's events say; None where no event can."""
    return seconds if isinstance(seconds, float) and 0 < seconds < MOST_SECONDS else None
