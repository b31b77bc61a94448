"""Naming the mistake: compares the candidate's answers on fresh inputs with those of every known mistake.

The candidate runs in a worker, the reference and the mistakes run here: they are ours. One sentence comes out, or none:
a wrong name is worse than none. Order: one known mistake whose answers are the candidate's everywhere (at most two, the most
specific first); else two mistakes at once; else the kind of the difference, found by testing hypotheses on the probes.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType

import torch
from torch import Tensor

from grader.candidate import Candidate
from grader.catalog import Kata
from grader.diagnosis.differences import describe_difference
from grader.diagnosis.mistakes import Merger, Mistake, read_mistakes, run_tree
from grader.diagnosis.probes import Observation, Probe, observe_candidate, observe_module
from grader.oracle import Oracle, load_reference, row_max
from grader.verdict import Diagnosis

# Two codes answer alike within this many units in the last place of the row's largest value, or within this multiple of
# what rounding does to the reference there; never where they are further apart than COARSE times the root of such a unit.
SAME_ULPS = 500
SAME_NOISE = 4
COARSE = 10

MOST_PAIRS = 300  # merged and compared, at most

# What becomes of a call that nobody checks. An exception of another type, or from a `raise` of its own, is told apart.
UNCHECKED = frozenset({"", "raises RuntimeError", "raises EinopsError", "raises IndexError"})


@dataclass(frozen=True, slots=True)
class Match:
    """A mistake that explains everything, and whether it even raises the very same exceptions."""

    mistake: Mistake
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Suspect:
    """A mistake, in one of its variants, that might be one of two."""

    mistake: Mistake
    variant: int

    @property
    def module(self) -> ModuleType:
        return self.mistake.module(self.variant)


Pair = tuple[Suspect, Suspect]


def diagnose(kata: Kata, candidate: Candidate, probes: Sequence[Probe]) -> Diagnosis | None:
    """The diagnosis of a submission that failed, or None where it is right on every probe, or nothing can be said."""
    bench = Bench(kata, probes)
    seen = bench.observe(candidate)
    wrong = bench.wrong(seen)
    if not any(wrong):
        return None
    if all(s.trouble and not _complaint(s) for s, r in zip(seen, bench.right, strict=True) if not r.trouble):
        return describe_difference(probes, seen, bench.right, wrong)  # code that never answers could be any mistake's
    count = f"{sum(wrong)} of {len(probes)} fresh inputs"
    mistakes = read_mistakes(kata)
    matches = _best(bench.find_matches(mistakes, seen, wrong))
    if matches:
        evidence = f"it answers exactly as your code does, wrongly on {count}"
        if all(s.trouble.startswith("registers") for s, bad in zip(seen, wrong, strict=True) if bad):
            evidence = "it registers the same parameters as your module does; answers could not be compared"
        first, *others = (_tell(m.mistake, evidence) for m in matches)
        return replace(first, also=tuple(others))
    pair = bench.find_pair(kata, mistakes, seen, wrong)
    if pair is not None:
        one, two = pair
        evidence = f"with both, the reference answers exactly as your code does, wrongly on {count}"
        if one.reported_id == two.reported_id:
            return _tell(one, evidence.replace("with both", "with this mistake in two places"))
        return replace(_tell(one, evidence), kind="two mistakes", also=(_tell(two, evidence),))
    return describe_difference(probes, seen, bench.right, wrong)


def load_probes(kata: Kata) -> list[Probe]:
    """The kata's own choice of inputs: `probes()` in its properties.py; none where it has no such function."""
    choose = getattr(load_reference(kata.properties), "probes", None)
    return list(choose()) if choose is not None else []


def _best(matches: Iterable[Match]) -> list[Match]:
    """At most two, of different ids: those with the very same exceptions where there are any."""
    chosen: dict[str, Match] = {}
    for match in sorted(matches, key=lambda m: (not m.exact, m.mistake.id)):
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
        self._slack: dict[tuple[int, str | None, float], Tensor] = {}
        reference = load_reference(kata.reference)
        self.right = [observe_module(reference, probe) for probe in probes]
        # Gradients that are zero but for rounding are judged beside the others of the same call.
        self._sizes = [max((_size(g) for g in right.gradients.values()), default=0.0) for right in self.right]

    def observe(self, candidate: Candidate) -> list[Observation]:
        return [observe_candidate(candidate, p, r.output) for p, r in zip(self.probes, self.right, strict=True)]

    def wrong(self, seen: Sequence[Observation]) -> list[bool]:
        return [not self.same(i, s, r) for i, (s, r) in enumerate(zip(seen, self.right, strict=True))]

    def find_matches(
        self, mistakes: Iterable[Mistake], seen: Sequence[Observation], wrong: Sequence[bool]
    ) -> Iterator[Match]:
        """The mistakes whose observations are the candidate's on every probe."""
        for mistake in mistakes:
            for variant in range(len(mistake.variants)):
                exact = self._explains(mistake.module(variant), seen, wrong, rounding=mistake.rounding)
                if exact is not None:
                    yield Match(mistake, exact)
                    break

    def find_pair(
        self, kata: Kata, mistakes: Iterable[Mistake], seen: Sequence[Observation], wrong: Sequence[bool]
    ) -> tuple[Mistake, Mistake] | None:
        """Two mistakes that explain everything when the reference has both."""
        if all(observed.trouble for observed, bad in zip(seen, wrong, strict=True) if bad):
            return None  # exceptions alone are weak evidence
        merger = Merger(ast.parse(kata.reference.read_text(encoding="utf-8")))
        changes = cache(lambda suspect: merger.changes(suspect.mistake.variant_tree(suspect.variant)))
        for one, two in self._choose_pairs(mistakes, seen, wrong)[:MOST_PAIRS]:
            merged = merger.merge(changes(one), changes(two))
            if merged is None:
                continue
            try:
                module = run_tree(merged, "kata_two_mistakes")
            except Exception:  # a merge that makes no sense as code
                continue
            if self._explains(module, seen, wrong) is not None:
                return one.mistake, two.mistake
        return None

    def _choose_pairs(
        self, mistakes: Iterable[Mistake], seen: Sequence[Observation], wrong: Sequence[bool]
    ) -> list[Pair]:
        """The pairs that are worth a try, the best first: both are right where the candidate is, one is wrong where it is
        wrong, and where just one is wrong it answers as the candidate does."""
        suspects = [Suspect(m, variant) for m in mistakes for variant in range(min(2, len(m.variants)))]
        pairs = [(a, b) for a, b in itertools.combinations(suspects, 2) if a.mistake is not b.mistake]
        evidence = dict.fromkeys(suspects, 0)
        for i in sorted(range(len(wrong)), key=lambda i: wrong[i]):
            probe, here, right = self.probes[i], seen[i], self.right[i]
            answers = (_without_gradients(here), _without_gradients(right))
            if not self.same(i, *answers):  # where the answer itself is wrong it alone is compared: that is quicker
                probe, (here, right) = replace(probe, gradients=False), answers
            off, alike, ruled_out = {}, {}, set()
            for suspect in dict.fromkeys(itertools.chain.from_iterable(pairs)):
                observed = observe_module(suspect.module, probe)
                off[suspect] = not self.same(i, observed, right)
                alike[suspect] = off[suspect] and self.same(i, observed, here)
                evidence[suspect] += alike[suspect]
                if off[suspect] and (not wrong[i] or (not right.trouble and _is_worse(observed, here))):
                    ruled_out.add(suspect)
            pairs = [(a, b) for a, b in pairs if a not in ruled_out and b not in ruled_out]
            if wrong[i]:
                pairs = [(a, b) for a, b in pairs if (off[a] and off[b]) or alike[a] or alike[b]]
        return sorted(pairs, key=lambda pair: -evidence[pair[0]] - evidence[pair[1]])

    def _explains(
        self, module: ModuleType, seen: Sequence[Observation], wrong: Sequence[bool], *, rounding: bool = False
    ) -> bool | None:
        """Whether `module` raises the very same exceptions, if it answers like the candidate everywhere; else None."""
        exact = True
        for i in sorted(range(len(wrong)), key=lambda i: not wrong[i]):  # a wrong explanation shows first there
            observed = observe_module(module, self.probes[i])
            by_rounding = rounding and wrong[i] and not self.same(i, observed, self.right[i])
            if not by_rounding and not self.same(i, observed, seen[i]):
                return None
            exact &= observed.trouble == seen[i].trouble
        return exact

    def same(self, i: int, one: Observation, two: Observation) -> bool:
        """Whether two observations of probe `i` are alike in every respect that the contract asks about."""
        expected = self.right[i].trouble if i < len(self.right) else ""
        if expected:  # only this exception is right, and whatever else happens without a check is alike
            return _complaint(one) == _complaint(two)
        if one.trouble or two.trouble:
            accidents = all(o.trouble and not _complaint(o) for o in (one, two))
            return accidents or (_complaint(one), one.detail) == (_complaint(two), two.detail) != ("", "")
        respects = [(o.mutated, o.device, o.superlinear, o.random) for o in (one, two)]
        if respects[0] != respects[1]:
            return False
        assert one.output is not None
        assert two.output is not None
        if one.random:
            return one.output.shape == two.output.shape
        if not self._same_tensor(i, None, one.output, two.output):
            return False
        if self.probes[i].exact_zeros and not _same_zeros(one.output, two.output):
            return False
        right = self.right[i].output
        if one.mutated or (right is not None and one.output.shape != right.shape):
            return True  # what autograd makes of a change depends on how it is written; a cotangent has the right shape
        if one.gradient_trouble or two.gradient_trouble:
            return one.gradient_trouble == two.gradient_trouble
        eps = _eps(one.output)
        names = {*one.gradients, *two.gradients}
        return all(self._same_gradient(i, n, one.gradients.get(n), two.gradients.get(n), eps) for n in names)

    def _same_gradient(self, i: int, name: str, one: Tensor | None, two: Tensor | None, eps: float) -> bool:
        """A gradient that does not arrive is like one of zeros. It is no more precise than the output, that is `eps`."""
        if one is None and two is None:
            return True
        known = one if one is not None else two
        assert known is not None
        zeros = torch.zeros_like(known)
        return self._same_tensor(i, name, zeros if one is None else one, zeros if two is None else two, eps)

    def _same_tensor(self, i: int, name: str | None, one: Tensor, two: Tensor, eps: float = 0.0) -> bool:
        """Same dtype, shape, spoilt rows, and values but for rounding. Where a row holds NaN or infinity the rest is chance."""
        if one.dtype != two.dtype or one.shape != two.shape:
            return False
        if one.device.type == "meta" or two.device.type == "meta" or one.numel() == 0:
            return True
        if not one.is_floating_point():  # bool, integers, complex
            return bool(torch.equal(one, two))
        eps = max(eps, _eps(one))
        a, b = (t.double().reshape(-1, t.shape[-1] if t.dim() else 1) for t in (one, two))
        largest, apart = float(torch.maximum(a.abs(), b.abs()).max()), float((a - b).abs().max())
        floor = largest * 1e-3 if name is None else self._sizes[i] * 1e-2
        if apart <= SAME_ULPS * eps * floor:
            return True
        if apart > COARSE * math.sqrt(eps) * max(largest, floor):
            return False
        sound = a.isfinite().all(-1, keepdim=True)
        if not torch.equal(sound, b.isfinite().all(-1, keepdim=True)):
            return False
        a, b = a.where(sound, 0.0), b.where(sound, 0.0)
        error, scale = (a - b).abs(), torch.maximum(row_max(a.abs()), row_max(b.abs()))
        scale = scale.clamp(min=floor if math.isfinite(floor) else 0.0)
        allowed = SAME_ULPS * eps * scale + 1e-12
        if (error <= allowed).all():
            return True
        if (error > COARSE * math.sqrt(eps) * scale).any():
            return False
        return bool((error <= allowed + self._noise(i, name, eps, error)).all())

    def _noise(self, i: int, name: str | None, eps: float, like: Tensor) -> Tensor:
        """What rounding by `eps` may do to the reference on this probe: large where the input is ill-conditioned."""
        key = (i, name, eps)
        if key not in self._slack:
            noise = self._oracle.tolerance(self.probes[i].case, name, gradients=name is not None, eps=eps)
            self._slack[key] = SAME_NOISE * noise.nan_to_num(0.0)
        noise = self._slack[key]
        if noise.numel() == like.numel():
            return noise.reshape(like.shape)
        return noise.amax().expand_as(like) if noise.numel() else like * 0


def _is_worse(suspected: Observation, seen: Observation) -> bool:
    """Whether something is broken that is not in the candidate: another mistake would hardly mend it."""
    if suspected.trouble or seen.trouble:
        return not seen.trouble
    one, two = suspected.output, seen.output
    assert one is not None
    assert two is not None
    if one.shape != two.shape or _is_finite(one) < _is_finite(two):
        return True
    if suspected.random > seen.random or suspected.superlinear > seen.superlinear:
        return True
    return bool(suspected.mutated - seen.mutated)


def _is_finite(tensor: Tensor) -> bool:
    return tensor.device.type == "meta" or bool(tensor.isfinite().all())


def _without_gradients(observed: Observation) -> Observation:
    return replace(observed, gradients={}, gradient_trouble="")


def _size(tensor: Tensor | None) -> float:
    """The largest number in it."""
    return 0.0 if tensor is None or not tensor.numel() else float(tensor.abs().nan_to_num(0.0, 0.0, 0.0).max())


def _same_zeros(one: Tensor, two: Tensor) -> bool:
    """Zeros in the same places, but for rows that hold NaN or infinity."""
    sound = one.isfinite().all(-1)
    return bool(torch.equal(one[sound] == 0, two[sound] == 0))


def _eps(tensor: Tensor) -> float:
    return torch.finfo(tensor.dtype).eps if tensor.is_floating_point() else 0.0


def _complaint(observed: Observation) -> str:
    """Trouble that tells more than that nothing was checked."""
    return "" if observed.trouble in UNCHECKED and not observed.deliberate else observed.trouble
