"""Whether the clock agrees with the counts: how the CPU time of the worker, read from outside, grows with the size.

For katas that require linear growth. What counts cannot see (numpy, native code, another thread, an operator that does much
inside itself, sleep) takes time all the same. Asked at small widths: there it shows soon, and no cache is left behind while
sizes grow. Coarse on purpose: the slope of linear code lies below 1.35, of quadratic code above 1.55. Trusted side only.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from torch import Tensor

from grader.candidate import Candidate
from grader.case import Case
from grader.catalog import Kata
from grader.failure import PropertyFailed, fail
from grader.oracle import Oracle, cotangent
from grader.timing.bench import slope
from grader.timing.complexity import BOTH, FORWARD, LINEAR, WORK, measure_growth
from grader.timing.stopwatch import Stopwatch
from grader.timing.timed_worker import REST
from grader.verdict import Growth, PropertyResult, Status

CPU_TIME = "CPU time"
LIMIT = 1.5
LINEAR_AT_ONCE, CLEARLY_LINEAR, CLEARLY_NOT = 1.2, 1.35, 1.75
TINY, SMALLEST, LARGEST = 4, 64, 32768
DRAWN = 0.75, 1.25  # times SMALLEST, before it is doubled: lengths that nobody can foresee
BLOCKS_SHOW = (2048, 8192)  # sizes that are counted, each with its double, to see what autograd adds to blocks
LONG, TOO_LONG = 0.15, 0.5  # seconds of a call: no larger size is tried, the former if time has grown until then
GROWN = 2.5  # times over two doublings: less is not enough to tell how
FITTED = 3  # sizes, the largest ones: at small ones a call's own cost hides the growth
# Rounds after the two calls at each size that found the sizes: until it is clear, or for good. A neighbour on the machine can
# slow some sizes down for a while; of two readings one is enough to make quadratic code look like N^1.3.
UNCLEAR_ROUNDS, MOST_ROUNDS = 4, 10
CHECKED = 1 / 3  # of the calls with a backward pass have their gradients compared
WRONG = 0.01  # of the largest number: far above any rounding error


def examine_time(
    candidate: Candidate, make: Callable[[int], Case], kata: Kata, counted: Sequence[Growth]
) -> tuple[tuple[Growth, ...], PropertyResult]:
    """The growth of CPU time, and the property `linear-time` that it is about linear.

    Timed with the backward pass too where that is linear by the counts; it is not in a loop, which is autograd's doing.
    """
    total = next((g.exponent for g in counted if (g.what, g.mode) == (WORK, BOTH)), None)
    linear = total is not None and total <= LINEAR and not _autograd_grows(candidate, make)
    modes = (FORWARD, BOTH) if linear else (FORWARD,)
    measured: list[Growth] = []
    try:
        for mode in modes:
            measured.append(measure_time(candidate, make, Oracle(kata.reference), mode))
    except PropertyFailed as error:
        return tuple(measured), failed(error.message, error)
    return tuple(measured), judge_time(measured)


def _autograd_grows(candidate: Candidate, make: Callable[[int], Case]) -> bool:
    """Whether the work of the backward pass is not linear at the sizes that are timed: blocks that were one at small sizes.

    Code that is slow is not timed at the larger sizes, and not asked about them.
    """
    for size in BLOCKS_SHOW:
        started = time.monotonic()
        growth = measure_growth(candidate, make, (size, 2 * size), [BOTH], what=[WORK])
        if any(each.exponent > LINEAR for each in growth):
            return True
        if time.monotonic() - started > TOO_LONG:
            return False
    return False


def measure_time(candidate: Candidate, make: Callable[[int], Case], oracle: Oracle, mode: str) -> Growth:
    """Seconds of a call at three sizes as large as can be afforded; the median of several each, in turns.

    Not the quickest: code that is quadratic in most calls is quadratic. The first call of a size, which touches its memory
    first, does not count.
    """
    stopwatch = Stopwatch(candidate.worker.pid)
    taken: dict[int, list[float]] = {}
    try:
        fixed = min(_time_call(stopwatch, candidate, make(TINY), oracle, mode) for _ in range(3))
        size = round(SMALLEST * random.uniform(*DRAWN))
        while len(taken) < FITTED or (size <= LARGEST and not _is_enough(taken)):
            taken[size] = [_time_call(stopwatch, candidate, make(size), oracle, mode) for _ in range(2)][1:]
            size *= 2
        sizes = sorted(taken)[-FITTED:]
        for number in range(1, MOST_ROUNDS + 1):
            for size in sizes:
                taken[size].append(_time_call(stopwatch, candidate, make(size), oracle, mode))
            seconds = tuple(median(taken[size]) for size in sizes)
            exponent = time_exponent(sizes, seconds, fixed)
            unclear = CLEARLY_LINEAR < exponent < CLEARLY_NOT
            at_once = exponent <= LINEAR_AT_ONCE and list(seconds) == sorted(seconds)
            if at_once or (number >= UNCLEAR_ROUNDS and not unclear):
                break
    finally:
        stopwatch.close()
    return Growth(CPU_TIME, "seconds", mode, tuple(sizes), seconds, exponent, LIMIT)


def _is_enough(taken: Mapping[int, Sequence[float]]) -> bool:
    """Whether calls are long, and longer than at smaller sizes: time that does not grow would hide what grows."""
    first, *_, last = (median(taken[size]) for size in sorted(taken)[-FITTED:])
    return last >= TOO_LONG or (last >= LONG and last >= GROWN * first)


def time_exponent(sizes: Sequence[int], seconds: Sequence[float], fixed: float) -> float:
    """How time grows, without what a call costs at any size: `fixed`, as measured at a tiny one."""
    floor = 0.1 * min(seconds)
    return slope(sizes, [max(each - fixed, floor) for each in seconds]) or 0.0


def judge_time(measured: Sequence[Growth]) -> PropertyResult:
    """Whether no mode's time is too steep."""
    steep = max((g for g in measured if g.exponent > LIMIT), key=lambda g: g.exponent, default=None)
    if steep is None:
        return _result(Status.PASSED)
    where = "" if steep.mode == FORWARD else " with the backward pass"
    message = (
        f"CPU time{where} grows like N^{steep.exponent:.1f} from N = {steep.sizes[0]} to {steep.sizes[-1]}, although what "
        "torch was asked to do does not: something is quadratic outside of torch's operators, or inside one"
    )
    return failed(message)


def failed(message: str, error: PropertyFailed | None = None) -> PropertyResult:
    """The property where it does not hold; `error` where a call that was to be timed failed."""
    return _result(Status.FAILED, message, error)


def _result(status: Status, message: str = "", error: PropertyFailed | None = None) -> PropertyResult:
    return PropertyResult(
        id="linear-time",
        description="CPU time, too, grows about linearly with the size of the inputs.",
        category="timing",
        required=True,
        status=status,
        message=message,
        counterexample=None if error is None else error.counterexample,
        exception=None if error is None else error.exception,
    )


def _time_call(stopwatch: Stopwatch, candidate: Candidate, case: Case, oracle: Oracle, mode: str) -> float:
    """Seconds that the worker computes, or lets pass, for one call, whose answer must be right."""
    gradients = mode == BOTH and random.random() < CHECKED  # of which calls, is decided out of the code's sight
    expected = oracle(case, gradients=gradients)
    vector = cotangent(case, expected.output.shape) if mode == BOTH else None
    idle = stopwatch.start()  # computed since the last call, when it should have been at rest
    answer = candidate(case, cotangent=vector)
    lap = stopwatch.lap()
    if _is_wrong(answer.output, expected.output):
        fail("the answer is wrong while it is timed", case)
    for name, wanted in expected.gradients.items():
        got = answer.gradients.get(name)
        if got is None or _is_wrong(got, wanted):
            fail(f"the gradient of {name} is wrong while it is timed", case)
    return lap.seconds + (idle if idle > REST else 0.0)


def _is_wrong(got: Tensor, expected: Tensor) -> bool:
    got = got.to(expected.dtype)
    return got.shape != expected.shape or not bool((got - expected).abs().max() <= WRONG * expected.abs().max())
