"""How fast a submission is beside the readable reference: what the grader and `kata bench` ask, and the properties of it.

How it is measured is in `comparison.py`, how it is decided in `decision.py`. Trusted side only.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from grader.catalog import Kata
from grader.conditions import refuse_dtype, resolve_device
from grader.errors import GraderError, WorkerLost
from grader.render.text import ratio as figure
from grader.timing.comparison import Comparison
from grader.timing.decision import TOO_SLOW, UNDECIDED
from grader.timing.options import BUDGET
from grader.timing.ring import MOST_PLACES, MOST_PLACES_ON_A_GPU, Material
from grader.timing.room import DoesNotFit, lacks_memory, require_room
from grader.timing.workload import Workload, load_workload
from grader.verdict import PropertyResult, Speed, Status, speed_property

FORWARD, BOTH = "forward", "forward + backward"
MODES = (FORWARD, BOTH)


@dataclass(frozen=True, slots=True)
class SpeedReport:
    """Speeds by mode, and why a mode could not be timed, where that is the submission's fault."""

    speeds: tuple[Speed, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    alarms: tuple[str, ...] = ()  # forbidden operators called meanwhile
    stopped: bool = False  # what is missing was left out on purpose, since something had failed


def limits_of(kata: Kata, workload: Workload) -> dict[str, float]:
    """What is timed of a kata, in this order: both passes of the timed call, then its further calls, forward. And how many
    times the reference's time is too much there."""
    assert kata.bench is not None
    usual = kata.bench.limit
    return {mode: workload.other_limits.get(mode, usual) for mode in (*MODES, *workload.others)}


def measure_speed(kata: Kata, source: bytes, **options: Any) -> tuple[Speed, ...]:
    """The speeds of right code in both passes; options as of `compare_speed`. Raises WorkerLost where it cannot be timed."""
    report = compare_speed(kata, source, **{"modes": MODES, **options})
    for mode, message in report.faults.items():
        raise WorkerLost("timing", f"{mode}: {message}")
    return report.speeds


def compare_speed(
    kata: Kata,
    source: bytes,
    *,
    device: str = "cpu",
    dtype: str = "float32",
    size: int | None = None,
    modes: Sequence[str] | None = None,
    budget: float = BUDGET,
    limit: float | None = None,
    across: bool = False,
    seed: int | None = None,
    deadline: float = math.inf,
    until_failure: bool = False,
) -> SpeedReport:
    """Time the submission in `source` beside the kata's reference.

    Args:
        kata: one that has a `bench`.
        source: of a submission that has been found right.
        device: "cpu", "cuda" or "mps"; "auto" is the CPU.
        dtype: of the inputs.
        size: of the workload; by default the kata's.
        modes: of `limits_of(kata, workload)`; by default all.
        budget: seconds for each decision.
        limit: how many times the reference is too slow; by default what the kata says.
        across: decide across workers at once, as if the control could not be trusted.
        seed: of inputs, orders and choices; by default nobody knows it.
        deadline: when the submission may compute no more (`time.monotonic`), in all workers together.
        until_failure: leave out the modes after one that is too slow.

    Raises GraderError where the grader's own side fails, or there is no such device, or no such dtype on it; DoesNotFit where
    the size has no room here.
    """
    if kata.bench is None:
        raise GraderError(f"{kata.id} has no [timing] in its kata.toml: nothing of it is timed", "kata list")
    refuse_dtype(device, dtype)
    device = resolve_device(device)
    torch.set_num_threads(1)
    rng = random.Random(random.SystemRandom().getrandbits(64) if seed is None else seed)
    workload, contents = load_workload(kata), rng.getrandbits(31)
    size, precision = size or kata.bench.size, getattr(torch, dtype)
    places = MOST_PLACES if device == "cpu" else MOST_PLACES_ON_A_GPU
    if size > kata.bench.size:
        require_room(kata, workload, size, precision, device=device)
    limits = limits_of(kata, workload)
    try:
        materials = {
            mode: Material(
                kata,
                workload,
                size,
                precision,
                backward=mode == BOTH,
                seed=contents,
                places=places,
                other="" if mode in MODES else mode,
            )
            for mode in (limits if modes is None else modes)
        }
        limits = dict.fromkeys(limits, limit) if limit else limits
        comparison = Comparison(kata, source, device, materials, limits, budget, rng, deadline)
        speeds, faults = comparison.run(across=across, until_slow=until_failure)
    except (GraderError, RuntimeError, MemoryError) as error:
        if lacks_memory(error):
            raise DoesNotFit from error
        raise
    stopped = until_failure and any(speed.decision == TOO_SLOW for speed in speeds)
    return SpeedReport(speeds, faults, tuple(sorted(comparison.alarms)), stopped)


def judge(report: SpeedReport, limits: Mapping[str, float]) -> list[PropertyResult]:
    """One required property for each mode; `limits` are those of `limits_of`."""
    results = []
    for mode, limit in limits.items():
        speed = next((s for s in report.speeds if s.mode == mode), None)
        status, message = Status.PASSED, ""
        if mode in report.faults:
            status, message = Status.FAILED, report.faults[mode]
        elif speed is None and report.stopped:
            status, message = Status.SKIPPED, "not examined: a required property has failed before"
        elif speed is None:
            status, message = Status.FAILED, f"not timed: {' and '.join(report.faults) or 'another mode'} could not be"
        elif speed.decision == TOO_SLOW:
            note = f" ({speed.note})" if speed.note else ""
            usually = " as a rule" if speed.ratio <= speed.limit else ""  # too slow on average, then
            message = f"it takes {figure(speed.ratio)} times as long as the reference{usually}{note}"
            status = Status.FAILED
        elif speed.decision == UNDECIDED:
            remedy = "too few rounds" if speed.one_sided else "close other programs"
            message = f"undecided after {speed.seconds:.1f} s: {remedy}, or try --timing-budget 10"
        results.append(
            PropertyResult(
                id=speed_property(mode),
                description=f"{_what(mode)} at most {limit:g} times as long as the readable reference.",
                category="timing",
                required=True,
                status=status,
                message=message,
            )
        )
    return results


def _what(mode: str) -> str:
    """Subject and verb of the property about a mode."""
    known = {FORWARD: "The forward pass takes", BOTH: "Forward and backward pass together take"}
    return known.get(mode, f"A call {mode} takes" if " " in mode else f"{mode} takes")
