"""What counts as the same answer: the probes of a kata, the right observations of them, and comparing others with these.

The reference and the known mistakes run here, they are ours; the candidate runs in a worker. Nothing is concluded here.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from grader.candidate import Candidate
from grader.catalog import Kata
from grader.diagnosis.mistakes import Mistake
from grader.diagnosis.probes import Observation, Probe, observe_candidate, observe_module
from grader.oracle import Oracle, load_reference, row_max

# Two codes answer alike within this many units in the last place of the row's largest value, or within this multiple of
# what rounding does to the reference there; never where they are further apart than COARSE times the root of such a unit.
SAME_ULPS = 500
SAME_NOISE = 4
COARSE = 10

# What becomes of a call that nobody checks. An exception of another type, or from a `raise` of its own, is told apart.
UNCHECKED = frozenset({"", "raises RuntimeError", "raises EinopsError", "raises IndexError"})


class Bench:
    """The probes of a kata, the right observations, and what may count as the same answer."""

    def __init__(self, kata: Kata, probes: Sequence[Probe]) -> None:
        self.probes = probes
        self._oracle = Oracle(kata.reference)
        self._mistakes: dict[tuple[ast.Module, int, int, bool], Observation] = {}
        self._slack: dict[tuple[int, str | None, float], Tensor] = {}
        reference = load_reference(kata.reference)
        self.right = [observe_module(reference, probe) for probe in probes]
        # Gradients that are zero but for rounding are judged beside the others of the same call.
        self._sizes = [max((_size(g) for g in right.gradients.values()), default=0.0) for right in self.right]

    def observe(self, candidate: Candidate) -> list[Observation]:
        return [observe_candidate(candidate, p, r.output) for p, r in zip(self.probes, self.right, strict=True)]

    def observe_mistake(self, mistake: Mistake, variant: int, i: int, *, gradients: bool = True) -> Observation:
        """What a variant of the mistake does on probe `i`: always the same, so it is run once."""
        key = (mistake.tree, variant, i, gradients)
        if key not in self._mistakes:
            probe = self.probes[i] if gradients else replace(self.probes[i], gradients=False)
            self._mistakes[key] = observe_module(mistake.module(variant), probe)
        return self._mistakes[key]

    def wrong(self, seen: Sequence[Observation]) -> list[bool]:
        return [not self.same(i, s, r) for i, (s, r) in enumerate(zip(seen, self.right, strict=True))]

    def same(self, i: int, one: Observation, two: Observation) -> bool:
        """Whether two observations of probe `i` are alike in every respect that the contract asks about."""
        expected = self.right[i].trouble if i < len(self.right) else ""
        if expected:  # only this exception is right, and whatever else happens without a check is alike
            return complaint(one) == complaint(two)
        if one.trouble or two.trouble:
            accidents = all(o.trouble and not complaint(o) for o in (one, two))
            return accidents or (complaint(one), one.detail) == (complaint(two), two.detail) != ("", "")
        respects = [(o.mutated, o.changed, o.device, o.superlinear, o.random) for o in (one, two)]
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


def _size(tensor: Tensor | None) -> float:
    """The largest number in it."""
    return 0.0 if tensor is None or not tensor.numel() else float(tensor.abs().nan_to_num(0.0, 0.0, 0.0).max())


def _same_zeros(one: Tensor, two: Tensor) -> bool:
    """Zeros in the same places, but for rows that hold NaN or infinity."""
    sound = one.isfinite().all(-1)
    return bool(torch.equal(one[sound] == 0, two[sound] == 0))


def _eps(tensor: Tensor) -> float:
    return torch.finfo(tensor.dtype).eps if tensor.is_floating_point() else 0.0


def complaint(observed: Observation) -> str:
    """Trouble that tells more than that nothing was checked."""
    return "" if observed.trouble in UNCHECKED and not observed.deliberate else observed.trouble
