"""Naming the mistake: compares the candidate's answers on fresh inputs with those of every known mistake.

The candidate runs in a worker, the reference and the mistakes run here: they are ours. One sentence comes out, or none:
a wrong name is worse than none. Order: one known mistake whose answers are the candidate's everywhere (at most two, the most
specific first); else two mistakes at once; else the kind of the difference, found by testing hypotheses on the probes.
"""

from __future__ import annotations

import ast
import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import torch
from torch import Tensor

from grader.candidate import Candidate
from grader.catalog import Kata
from grader.differences import describe_difference
from grader.mistakes import Mistake, combine, read_mistakes, run_tree
from grader.oracle import load_reference, row_max
from grader.probes import Observation, Probe, observe_candidate, observe_module
from grader.verdict import Diagnosis

# Two codes give "the same" answer within this many units in the last place of the row's largest value …
SAME_EPS = 2000
# … and a differing answer is off by at least as much; what lies between is undecided and matches nothing.
COMBINE_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Evidence:
    """A mistake that explains everything, and on how many probes it makes a difference."""

    mistake: Mistake
    differs: int


def diagnose(kata: Kata, candidate: Candidate, probes: Sequence[Probe]) -> Diagnosis | None:
    """The diagnosis of a submission that failed, or None where it is right on every probe."""
    reference = load_reference(kata.reference)
    right = [observe_module(reference, probe, None) for probe in probes]
    shapes = [None if r.output is None else tuple(r.output.shape) for r in right]
    right = [observe_module(reference, p, s) for p, s in zip(probes, shapes, strict=True)]
    seen = [observe_candidate(candidate, p, s) for p, s in zip(probes, shapes, strict=True)]
    wrong = [not same(p, a, b) for p, a, b in zip(probes, seen, right, strict=True)]
    if not any(wrong):
        return None
    matches = sorted(
        find_matches(read_mistakes(kata), probes, shapes, seen, right), key=lambda e: (e.differs, e.mistake.id)
    )
    count = f"{sum(wrong)} of {len(probes)}"
    if matches:
        first, *others = (
            _tell(e.mistake, f"gives exactly your answers on {len(probes)} fresh inputs, {count} of them wrong")
            for e in matches[:2]
        )
        return replace(first, also=tuple(others))
    pair = find_pair(kata, probes, shapes, seen, right)
    if pair is not None:
        one, two = pair
        evidence = f"both together give exactly your answers on {len(probes)} fresh inputs, {count} of them wrong"
        return replace(_tell(one, evidence), kind="two mistakes", also=(_tell(two, evidence),))
    return describe_difference(probes, seen, right, wrong)


def _tell(mistake: Mistake, evidence: str) -> Diagnosis:
    return Diagnosis("mistake", mistake.id, mistake.explanation, mistake.fix, evidence)


def load_probes(kata: Kata) -> list[Probe]:
    """The kata's own choice of inputs: `probes()` in its properties.py; none where it has no such function."""
    choose = getattr(load_reference(kata.properties), "probes", None)
    return list(choose()) if choose is not None else []


def find_matches(
    mistakes: Iterable[Mistake],
    probes: Sequence[Probe],
    shapes: Sequence[tuple[int, ...] | None],
    seen: Sequence[Observation],
    right: Sequence[Observation],
) -> Iterator[Evidence]:
    """The mistakes whose observations are the candidate's on every probe, and that are wrong where the candidate is."""
    for mistake in mistakes:
        for module in mistake.load():
            differs = explains(module, probes, shapes, seen, right)
            if differs:
                yield Evidence(mistake, differs)
                break


def explains(
    module: ModuleType,
    probes: Sequence[Probe],
    shapes: Sequence[tuple[int, ...] | None],
    seen: Sequence[Observation],
    right: Sequence[Observation],
) -> int:
    """On how many probes `module` is wrong, if it answers like the candidate on all of them; else 0."""
    differs = 0
    # Where the candidate is wrong a wrong explanation shows first.
    order = sorted(range(len(probes)), key=lambda i: same(probes[i], seen[i], right[i]))
    for i in order:
        observed = observe_module(module, probes[i], shapes[i])
        if not same(probes[i], observed, seen[i]):
            return 0
        differs += not same(probes[i], observed, right[i])
    return differs


def find_pair(
    kata: Kata,
    probes: Sequence[Probe],
    shapes: Sequence[tuple[int, ...] | None],
    seen: Sequence[Observation],
    right: Sequence[Observation],
) -> tuple[Mistake, Mistake] | None:
    """Two mistakes that explain everything when the reference has both. Looks for a limited time, in a fixed order."""
    reference = ast.parse(kata.reference.read_text(encoding="utf-8"))
    deadline = time.monotonic() + COMBINE_SECONDS
    for one, two in itertools.combinations(read_mistakes(kata), 2):
        if time.monotonic() > deadline:
            return None
        merged = combine(reference, one.tree, two.tree)
        if merged is None:
            continue
        try:
            module = run_tree(merged, "kata_two_mistakes")
        except Exception:  # a merge that makes no sense as code
            continue
        if explains(module, probes, shapes, seen, right):
            return one, two
    return None


def same(probe: Probe, one: Observation, two: Observation) -> bool:
    """Whether two observations of a probe are alike in every respect."""
    if one.trouble or two.trouble:
        return one.trouble == two.trouble
    if one.mutated != two.mutated or one.device != two.device:
        return False
    assert one.output is not None
    assert two.output is not None
    if not same_tensor(one.output, two.output):
        return False
    return all(
        _same_gradient(one.gradients.get(name), two.gradients.get(name)) for name in {*one.gradients, *two.gradients}
    )


def same_tensor(one: Tensor, two: Tensor) -> bool:
    """Same dtype, shape, places of NaN and infinity, and values but for rounding."""
    if one.dtype != two.dtype or one.shape != two.shape:
        return False
    if one.device.type == "meta" or two.device.type == "meta" or one.numel() == 0:
        return True
    if not one.is_floating_point():  # bool, integers, complex
        return bool(torch.equal(one, two))
    a, b = one.double(), two.double()
    finite = a.isfinite()
    if not torch.equal(finite, b.isfinite()) or not torch.equal(a.isnan(), b.isnan()):
        return False
    a, b = a.nan_to_num(0.0, 0.0, 0.0), b.nan_to_num(0.0, 0.0, 0.0)
    scale = torch.maximum(row_max(a.abs()), row_max(b.abs()))
    allowed = SAME_EPS * torch.finfo(one.dtype).eps * torch.maximum(scale, scale.amax() * 1e-3)
    return bool(((a - b).abs() <= allowed + 1e-12).all())


def _same_gradient(one: Tensor | None, two: Tensor | None) -> bool:
    """A gradient that does not arrive is like one of zeros."""
    if one is None or two is None:
        return all(g is None or not g.any() for g in (one, two))
    return same_tensor(one, two)
