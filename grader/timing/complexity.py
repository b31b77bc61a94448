"""How work and memory grow with the size of the inputs, told without a clock, so that it repeats exactly.

The meter in the worker counts (`worker/meter.py`); here the exponents come of the counts and limits are applied. Counts can be
dodged (by numpy, by native code, by operators that do much inside themselves): where linear growth is required,
`cpu_growth.py` asks the clock too. Trusted side only.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import torch

from grader.answer import Counts
from grader.candidate import Candidate, Mode
from grader.case import Case
from grader.catalog import Kata
from grader.errors import WorkerLost
from grader.failure import PropertyFailed, fail
from grader.oracle import cotangent
from grader.strategies import Filler
from grader.timing.memory import describe_largest, distinct_sizes, find_matrix
from grader.timing.workload import Workload
from grader.verdict import Growth, PropertyResult
from grader.worker_process import Worker

FORWARD, BOTH = "forward", "forward + backward"
MODES = (FORWARD, BOTH)
TRACK, NO_GRAD = "forward, inputs that require gradients", "forward under no_grad"
CALLED: dict[str, Mode] = {TRACK: "track", NO_GRAD: "no_grad"}
WHERE = {BOTH: " with the backward pass", TRACK: " where inputs require gradients", NO_GRAD: " under no_grad"}

# From N = 256 to 512 linear code grows like N^1.00 in every count (measured on products, loops, running sums, chunks, outer
# products, transforms), and quadratic code like N^1.7 or more in one of them.
LINEAR, BEYOND_DOUBT = 1.2, 1.7

WORK, OWN_WORK = "work", "work of the code itself"  # the latter without that of autograd's engine
LARGEST_TENSOR, PEAK, OPERATIONS = "largest tensor", "peak memory", "floating-point operations"
COUNTED = {  # the unit, and the field of Counts
    WORK: ("elements", "work"),
    OWN_WORK: ("elements", "own"),
    LARGEST_TENSOR: ("elements", "largest"),
    PEAK: ("bytes", "peak"),
    OPERATIONS: ("FLOP", "flops"),
}
SIZES, SIZES_OF_A_LOOP = (128, 256, 512), (32, 64, 128)
SIZES_OF_A_FORM = 400, 600  # the smaller is drawn between them, an eighth of that in a loop; the larger is twice it
FORMS = 2  # drawn besides that of the timed call
SMALL = 4  # the size of what does not grow: then what grows soon outweighs it


def examine_growth(
    kata: Kata, worker: Worker, workload: Workload, *, device: str, dtype: torch.dtype, seed: int | None = None
) -> tuple[tuple[Growth, ...], str, tuple[PropertyResult, ...]]:
    """Growth of the counts, memory in words, and the property `linear-time` where the workload has a limit.

    The submission has been loaded in `worker`. Raises WorkerLost where that dies, unless a long call is stopped: that is slow
    code. Where a call fails nothing is shown.

    What is shown is counted at small widths, which repeats exactly. What is judged is counted in the form of the timed call
    too, in that of practice, and in forms that are drawn from `seed`; by default nobody knows it. On a GPU, counts alone judge.
    """
    from grader.timing import cpu_growth

    candidate = Candidate(worker, "", device=device)
    make = sized(workload, dtype)
    judged = workload.growth_limit is not None
    timed = judged and device == "cpu"  # on a GPU the processor's clock says nothing about growth
    try:
        growth = measure_growth(candidate, make, choose_sizes(candidate, make), limit=workload.growth_limit)
        memory, matrix = examine_memory(candidate, workload, dtype)
    except PropertyFailed as error:
        return (), "", (cpu_growth.failed(error.message, error),) if judged else ()
    if not judged:
        return growth, memory, ()
    try:
        steep = next(lasting(candidate, make, growth), None)
    except PropertyFailed as error:
        return growth, memory, (cpu_growth.failed(error.message, error),)
    if steep is not None:  # what counts tell, no clock need tell
        return growth, memory, (cpu_growth.failed(describe_steep(steep)),)
    if matrix:
        return growth, memory, (cpu_growth.failed(f"where its sizes differ, a call holds an {matrix} tensor"),)
    rng = random.Random(random.SystemRandom().getrandbits(64) if seed is None else seed)
    try:
        for form, modes in other_forms(workload, dtype, rng):
            require_growth_of_form(candidate, form, rng, modes, limit=workload.growth_limit or LINEAR)
        if not timed:
            return growth, memory, ()
        times, result = cpu_growth.examine_time(candidate, make, kata, growth)
    except PropertyFailed as error:
        return growth, memory, (cpu_growth.failed(error.message, error),)
    except WorkerLost as lost:
        if lost.kind != "timeout":
            raise
        return growth, memory, (cpu_growth.failed(f"at the sizes of practice, {lost.message}"),)  # quick at small ones
    return (*growth, *times), memory, (result,)


def timed_form(workload: Workload, dtype: torch.dtype) -> Callable[[int], Case]:
    """The timed call at a size, with other contents each time."""
    fill = Filler(0, dtype)
    return lambda size: workload.make(size, fill)


def realistic_form(
    workload: Workload, grow: Callable[[Mapping[str, int], Filler], Case], dtype: torch.dtype
) -> Callable[[int], Case]:
    """The call at a size, all else being as in practice."""
    fill = Filler(0, dtype)
    return lambda size: grow({**workload.realistic, **dict.fromkeys(workload.growing, size)}, fill)


def other_forms(
    workload: Workload, dtype: torch.dtype, rng: random.Random
) -> Iterator[tuple[Callable[[int], Case], Sequence[str]]]:
    """Calls at a size, and in which modes: as speed is timed, as memory is told, and some in widths that are drawn."""
    yield timed_form(workload, dtype), MODES
    if workload.grow is not None:
        yield realistic_form(workload, workload.grow, dtype), (FORWARD,)  # large: seconds, where code is slow
    if workload.vary is not None:
        for _ in range(FORMS):
            yield workload.vary(rng, Filler(rng.getrandbits(31), dtype)), MODES


def require_growth_of_form(
    candidate: Candidate, make: Callable[[int], Case], rng: random.Random, modes: Iterable[str] = MODES, *, limit: float
) -> None:
    """Raise PropertyFailed where a count of this form grows faster than `limit` from a size that is drawn to its double."""
    small = rng.randint(*SIZES_OF_A_FORM) // (1 if choose_sizes(candidate, make) == SIZES else 8)
    require_growth(candidate, make, (small, 2 * small), modes, limit=limit)


def sized(workload: Workload, dtype: torch.dtype, *, seed: int = 0) -> Callable[[int], Case]:
    """The function that makes the call at a size, all else being small; contents differ from call to call."""
    fill = Filler(seed, dtype)

    def make(size: int) -> Case:
        if workload.grow is None:
            return workload.make(size, fill)
        fixed = {name: min(SMALL, usual) for name, usual in workload.realistic.items()}
        return workload.grow(fixed | dict.fromkeys(workload.growing, size), fill)

    return make


def choose_sizes(candidate: Candidate, make: Callable[[int], Case]) -> tuple[int, ...]:
    """Smaller ones for code whose number of operators grows, because it loops in Python: that takes long."""
    few, more = (count(candidate, make(size), FORWARD).operators for size in SIZES_OF_A_LOOP[:2])
    return SIZES if more <= few else SIZES_OF_A_LOOP


def count(candidate: Candidate, case: Case, mode: str) -> Counts:
    """The counts of one call. In the mode "forward + backward" the inputs require a gradient in the forward pass too."""
    if mode == BOTH:
        vector = cotangent(case, candidate(case, mode="track").output.shape)
        counts = candidate(case, cotangent=vector, count=True).counts
    else:
        counts = candidate(case, mode=CALLED.get(mode, "plain"), count=True).counts
    if counts is None:
        fail("the call's work was not counted", case)
    return counts


def measure_growth(
    candidate: Candidate,
    make: Callable[[int], Case],
    sizes: Sequence[int],
    modes: Iterable[str] = MODES,
    *,
    limit: float | None = None,
    what: Iterable[str] = tuple(COUNTED),
) -> tuple[Growth, ...]:
    """Count calls at growing sizes; the exponent is the slope from the last size but one to the last.

    With a `limit` it is put on every count but the whole work of the backward pass, which in a loop is not the code's doing.
    """
    rows = []
    for mode in modes:
        counts = [count(candidate, make(size), mode) for size in sizes]
        for name in what:
            unit, field = COUNTED[name]
            values = tuple(float(getattr(c, field)) for c in counts)
            if not any(values) or (name == OWN_WORK and mode != BOTH):
                continue
            judged = limit if (name, mode) != (WORK, BOTH) else None
            rows.append(Growth(name, unit, mode, tuple(sizes), values, exponent(sizes, values), judged))
    return tuple(rows)


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The slope from the last size but one to the last; from nothing to something is no growth that could be fitted."""
    small, large = (max(value, 1.0) for value in values[-2:])
    return math.log(large / small) / math.log(sizes[-1] / sizes[-2])


def lasting(candidate: Candidate, make: Callable[[int], Case], growth: Iterable[Growth]) -> Iterator[Growth]:
    """The steep counts that are steep over the next doubling too, unless they are so steep that there is no doubt.

    Where a second block begins, autograd keeps a gradient of full size that it did not need before: a step, and no growth.
    """
    for each in steep_counts(growth):
        sizes = (each.sizes[-1], 2 * each.sizes[-1])
        if each.exponent >= BEYOND_DOUBT or steep_counts(
            measure_growth(candidate, make, sizes, [each.mode], limit=each.limit, what=[each.what])
        ):
            yield each


def steep_counts(growth: Iterable[Growth]) -> list[Growth]:
    """The counts that exceed their limits, the steepest first; operations last, for they say least."""
    steep = [g for g in growth if g.limit is not None and g.exponent > g.limit]
    return sorted(steep, key=lambda g: (g.what == OPERATIONS, -g.exponent))


def require_growth(
    candidate: Candidate,
    make: Callable[[int], Case],
    sizes: Sequence[int],
    modes: Iterable[str] = MODES,
    *,
    limit: float = LINEAR,
    what: Iterable[str] = tuple(COUNTED),
) -> None:
    """Raise PropertyFailed where a count grows faster than `limit`."""
    for mode in modes:
        steep = next(
            lasting(candidate, make, measure_growth(candidate, make, sizes, [mode], limit=limit, what=what)), None
        )
        if steep is not None:
            fail(describe_steep(steep), make(sizes[-1]))


def describe_steep(growth: Growth) -> str:
    """Which count grows too fast, and what that usually means."""
    name = {LARGEST_TENSOR: "the largest tensor", OPERATIONS: "the number of operations"}.get(growth.what, growth.what)
    where = WHERE.get(growth.mode, "")
    matrix = growth.what in (LARGEST_TENSOR, PEAK)
    why = "there is an L×S matrix" if matrix else "the whole sequence is gone through again and again"
    return f"{name}{where} grows like N^{growth.exponent:.2f} from N = {growth.sizes[-2]} to {growth.sizes[-1]}: {why}"


def examine_memory(candidate: Candidate, workload: Workload, dtype: torch.dtype) -> tuple[str, str]:
    """The largest tensor that a forward pass makes, in words, and the name of one that grows in two dimensions, if one does.

    Both are empty where the workload cannot choose its sizes one by one.
    """
    if workload.grow is None:
        return "", ""
    sizes = distinct_sizes(workload.realistic, workload.growing)
    case = workload.grow(sizes, Filler(0, dtype))
    given = [
        (tuple(t.shape), t.numel() * t.element_size()) for t in (*case.tensors.values(), *case.parameters.values())
    ]
    made = count(candidate, case, FORWARD).shapes
    told = describe_largest(made, given, sizes, workload.realistic)
    return told, find_matrix(made, sizes, workload.realistic, workload.growing)
