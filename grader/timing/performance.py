"""What a right submission is examined for besides being right: speed, growth, memory. Puts the measuring modules together.

Runs after the required properties have passed; never before, since the speed of wrong code says nothing. Trusted side only.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.catalog import Kata
from grader.timing.comparison import PAIRS
from grader.timing.complexity import examine_growth
from grader.timing.machine import describe_machine
from grader.timing.options import BUDGET, TimingOptions
from grader.timing.pace import pace_of
from grader.timing.speed import SpeedReport, compare_speed, judge, limits_of
from grader.timing.workload import load_workload
from grader.verdict import PropertyResult, Status, Timing
from grader.worker_process import Worker

MOST_PER_MODE = 1 + PAIRS  # decisions


@dataclass(frozen=True, slots=True)
class Performance:
    """What came of it: data for the verdict, properties, and forbidden operators that were called meanwhile."""

    timing: Timing
    results: tuple[PropertyResult, ...] = ()
    alarms: tuple[str, ...] = ()


def examine_performance(
    kata: Kata,
    source: bytes,
    worker: Worker,
    *,
    device: str,
    dtype: str,
    options: TimingOptions,
    until_failure: bool = False,
) -> Performance:
    """Examine the submission in `source`, which is loaded in `worker` too and has been found right.

    Raises WorkerLost where `worker` dies; the workers of timed calls are others, and what happens there is a result. All of
    them share the deadline of `worker`, which is later where the user has asked for more time than usual. With `until_failure`
    nothing more is timed once something is too slow.
    """
    if kata.bench is None:
        return Performance(Timing(skipped=f"{kata.id} does not say what to time"))
    workload = load_workload(kata)
    growth, memory, results = examine_growth(kata, worker, workload, device=device, dtype=getattr(torch, dtype))
    patience = pace_of(device).patience
    limits = limits_of(kata, workload)
    deadline = worker.grade_deadline + len(limits) * MOST_PER_MODE * max(0.0, options.budget * patience - BUDGET)
    report = SpeedReport(stopped=True)
    if not (until_failure and any(result.status is Status.FAILED for result in results)):
        report = compare_speed(
            kata,
            source,
            device=device,
            dtype=dtype,
            budget=options.budget,
            deadline=deadline,
            until_failure=until_failure,
        )
    timing = Timing(
        speeds=report.speeds,
        growth=growth,
        size_name=workload.size_name,
        memory=memory,
        machine=describe_machine(device, gpu=worker.device_name),
    )
    return Performance(timing, (*judge(report, limits), *results), report.alarms)
