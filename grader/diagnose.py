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
from grader.oracle import Oracle, load_reference, row_max
from grader.probes import Observation, Probe, observe_candidate, observe_module
from grader.verdict import Diagnosis

# Two codes answer alike within this many units in the last place of the row's largest value, or within this multiple of
# what rounding does to the reference there.
SAME_ULPS = 500
SAME_NOISE = 4
PAIR_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Match:
    """A mistake that explains everything: on how many probes it is wrong, and whether it even raises the same exceptions."""

    mistake: Mistake
    differs: int
    exact: bool


def diagnose(kata: Kata, candidate: Candidate, probes: Sequence[Probe]) -> Diagnosis | None:
    """The diagnosis of a submission that failed, or None where it is right on every probe, or nothing can be said."""
    bench = Bench(kata, probes)
    seen = bench.observe(candidate)
    wrong = [not bench.same(i, s, r) for i, (s, r) in enumerate(zip(seen, bench.right, strict=True))]
    if not any(wrong):
        return None
    count = f"{sum(wrong)} of {len(probes)} fresh inputs"
    matches = _best(bench.find_matches(read_mistakes(kata), seen, wrong))
    if matches:
        first, *others = (
            _tell(m.mistake, f"it answers exactly as your code does, wrongly on {count}") for m in matches
        )
        return replace(first, also=tuple(others))
    pair = bench.find_pair(kata, seen, wrong)
    if pair is not None:
        one, two = pair
        evidence = f"with both, the reference answers exactly as your code does, wrongly on {count}"
        return replace(_tell(one, evidence), kind="two mistakes", also=(_tell(two, evidence),))
    return describe_difference(probes, seen, bench.right, wrong)


def load_probes(kata: Kata) -> list[Probe]:
    """The kata's own choice of inputs: `probes()` in its properties.py; none where it has no such function."""
    choose = getattr(load_reference(kata.properties), "probes", None)
    return list(choose()) if choose is not None else []


def _best(matches: Iterable[Match]) -> list[Match]:
    """At most two, of different ids, the most specific first: same exceptions, then wrong on the fewest probes."""
    chosen: dict[str, Match] = {}
    for match in sorted(matches, key=lambda m: (not m.exact, m.differs, m.mistake.id)):
        chosen.setdefault(match.mistake.reported_id, match)
    best = list(chosen.values())
    return [m for m in best if m.exact == best[0].exact][:2]


def _tell(mistake: Mistake, evidence: str) -> Diagnosis:
    return Diagnosis("mistake", mistake.reported_id, mistake.explanation, mistake.fix, evidence)


class Bench:
    """The probes of a kata, the right observations, and what may count as the same answer."""

    def __init__(self, kata: Kata, probes: Sequence[Probe]) -> None:
        self.probes = probes
        self._oracle = Oracle(kata.reference)
        self._slack: dict[tuple[int, str | None], Tensor] = {}
        reference = load_reference(kata.reference)
        self.shapes: list[tuple[int, ...] | None] = []
        self.right: list[Observation] = []
        for probe in probes:
            plain = observe_module(reference, replace(probe, gradients=False), None).output
            self.shapes.append(None if plain is None else tuple(plain.shape))
            self.right.append(observe_module(reference, probe, self.shapes[-1]))

    def observe(self, candidate: Candidate) -> list[Observation]:
        return [observe_candidate(candidate, p, s) for p, s in zip(self.probes, self.shapes, strict=True)]

    def find_matches(
        self, mistakes: Iterable[Mistake], seen: Sequence[Observation], wrong: Sequence[bool]
    ) -> Iterator[Match]:
        """The mistakes whose observations are the candidate's on every probe."""
        for mistake in mistakes:
            for module in mistake.load():
                match = self._explain(module, seen, wrong, rounding=mistake.rounding)
                if match is not None:
                    yield Match(mistake, *match)
                    break

    def find_pair(
        self, kata: Kata, seen: Sequence[Observation], wrong: Sequence[bool]
    ) -> tuple[Mistake, Mistake] | None:
        """Two mistakes that explain everything when the reference has both. Looks for a limited time, in a fixed order."""
        reference = ast.parse(kata.reference.read_text(encoding="utf-8"))
        deadline = time.monotonic() + PAIR_SECONDS
        for one, two in itertools.combinations(read_mistakes(kata), 2):
            if time.monotonic() > deadline:
                return None
            merged = combine(reference, one.tree, two.tree)
            if merged is None or one.reported_id == two.reported_id:
                continue
            try:
                module = run_tree(merged, "kata_two_mistakes")
            except Exception:  # a merge that makes no sense as code
                continue
            if self._explain(module, seen, wrong, rounding=False) is not None:
                return one, two
        return None

    def _explain(
        self, module: ModuleType, seen: Sequence[Observation], wrong: Sequence[bool], *, rounding: bool
    ) -> tuple[int, bool] | None:
        """On how many probes `module` is wrong, if it answers like the candidate; and whether it raises the very same.

        Of several entry symbols each is explained on its own: where the candidate's is right, the mistake need not be there.
        """
        differs, exact = 0, True
        entries = dict.fromkeys(p.case.entry for p in self.probes)
        for entry in entries:
            numbers = [i for i, p in enumerate(self.probes) if p.case.entry == entry]
            if not any(wrong[i] for i in numbers):
                if len(entries) > 1:
                    continue
                return None
            for i in sorted(
                numbers, key=lambda i: not wrong[i]
            ):  # a wrong explanation shows first where answers are wrong
                observed = observe_module(module, self.probes[i], self.shapes[i])
                off = not self.same(i, observed, self.right[i])
                alike = off == wrong[i] if rounding and off else self.same(i, observed, seen[i])
                if not alike:
                    return None
                differs += off
                exact &= observed.trouble == seen[i].trouble
        return (differs, exact) if differs else None

    def same(self, i: int, one: Observation, two: Observation) -> bool:
        """Whether two observations of probe `i` are alike in every respect that the contract asks about."""
        expected = self.right[i].trouble if i < len(self.right) else ""
        if expected:  # only this exception is right, and whatever else happens is alike
            return (one.trouble == expected) == (two.trouble == expected)
        if one.trouble or two.trouble:
            return one.trouble == two.trouble
        if (one.mutated, one.device, one.superlinear, one.random) != (
            two.mutated,
            two.device,
            two.superlinear,
            two.random,
        ):
            return False
        assert one.output is not None
        assert two.output is not None
        if one.random:
            return one.output.shape == two.output.shape
        if not self._same_tensor(i, None, one.output, two.output):
            return False
        if one.mutated:
            return True  # whether autograd refuses the change, or sees it, depends on how it is written
        if one.gradient_trouble or two.gradient_trouble:
            return one.gradient_trouble == two.gradient_trouble
        names = {*one.gradients, *two.gradients}
        return all(self._same_gradient(i, n, one.gradients.get(n), two.gradients.get(n)) for n in names)

    def _same_gradient(self, i: int, name: str, one: Tensor | None, two: Tensor | None) -> bool:
        """A gradient that does not arrive is like one of zeros."""
        if one is None and two is None:
            return True
        known = one if one is not None else two
        assert known is not None
        zeros = torch.zeros_like(known)
        return self._same_tensor(i, name, zeros if one is None else one, zeros if two is None else two)

    def _same_tensor(self, i: int, name: str | None, one: Tensor, two: Tensor) -> bool:
        """Same dtype, shape, places of NaN and infinity, and values but for rounding."""
        if one.dtype != two.dtype or one.shape != two.shape:
            return False
        if one.device.type == "meta" or two.device.type == "meta" or one.numel() == 0:
            return True
        if not one.is_floating_point():  # bool, integers, complex
            return bool(torch.equal(one, two))
        a, b = one.double(), two.double()
        if not torch.equal(a.isfinite(), b.isfinite()) or not torch.equal(a.isnan(), b.isnan()):
            return False
        a, b = a.nan_to_num(0.0, 0.0, 0.0), b.nan_to_num(0.0, 0.0, 0.0)
        error = (a - b).abs()
        scale = torch.maximum(row_max(a.abs()), row_max(b.abs()))
        allowed = SAME_ULPS * torch.finfo(one.dtype).eps * torch.maximum(scale, scale.amax() * 1e-3) + 1e-12
        return bool((error <= allowed).all()) or bool((error <= allowed + self._noise(i, name, error)).all())

    def _noise(self, i: int, name: str | None, like: Tensor) -> Tensor:
        """What rounding may do to the reference on this probe: large where the input is ill-conditioned."""
        if (i, name) not in self._slack:
            case = self.probes[i].case
            eps = torch.finfo(case.dtype).eps
            noise = self._oracle.tolerance(case, name, gradients=name is not None, eps=eps)
            self._slack[i, name] = SAME_NOISE * noise.nan_to_num(0.0)
        noise = self._slack[i, name]
        return noise if noise.shape == like.shape else noise.amax().expand_as(like) if noise.numel() else like * 0
