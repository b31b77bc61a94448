"""The kind of a difference that no known mistake explains: hypotheses, each tested on every probe.

Nothing is said that was not found true on all probes; where no hypothesis holds, nothing is said.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from torch import Tensor

from grader.probes import Observation, Probe
from grader.verdict import Diagnosis

CLOSE = 1e-4  # relative: a hypothesis about float answers holds when it explains them to four digits

Pair = tuple[Tensor, Tensor]  # the candidate's and the right answer


def describe_difference(
    probes: Sequence[Probe], seen: Sequence[Observation], right: Sequence[Observation], wrong: Sequence[bool]
) -> Diagnosis | None:
    """What all wrong answers have in common, in one sentence with its evidence."""
    what = _trouble(seen, wrong) or _form(seen, right, wrong) or _mutation(seen, wrong) or _values(seen, right, wrong)
    what = what or _gradients_only(seen, right, wrong)
    where = _trait(probes, wrong)
    if not what and not where:
        return None
    sentence = " ".join(part for part in (what or "The answer is wrong", where) if part)
    evidence = f"found on {sum(wrong)} wrong of {len(probes)} fresh inputs"
    return Diagnosis("difference", "", sentence + ".", "", evidence)


def _trouble(seen: Sequence[Observation], wrong: Sequence[bool]) -> str:
    kinds = {o.trouble for o, bad in zip(seen, wrong, strict=True) if bad}
    if len(kinds) == 1 and (kind := kinds.pop()):
        if kind.startswith("raises"):
            return f"The code {kind}"
        return kind[0].upper() + kind[1:]
    return ""


def _form(seen: Sequence[Observation], right: Sequence[Observation], wrong: Sequence[bool]) -> str:
    pairs = [(s.output, r.output) for s, r, bad in zip(seen, right, wrong, strict=True) if bad and not s.trouble]
    if not pairs or len(pairs) < sum(wrong):
        return ""
    if all(s is not None and r is not None and s.shape != r.shape for s, r in pairs):
        return "The output has another shape"
    if all(s is not None and r is not None and s.dtype != r.dtype for s, r in pairs):
        return "The output has another dtype"
    return ""


def _mutation(seen: Sequence[Observation], wrong: Sequence[bool]) -> str:
    changed = [o.mutated for o, bad in zip(seen, wrong, strict=True) if bad]
    names = frozenset.intersection(*changed) if changed else frozenset()
    return f"The call changes its argument {', '.join(sorted(names))}" if names else ""


def _values(seen: Sequence[Observation], right: Sequence[Observation], wrong: Sequence[bool]) -> str:
    """The wrong outputs are the right ones scaled, shifted, transposed, or wrong in some rows only."""
    pairs = [
        (s.output.double(), r.output.double())
        for s, r, bad in zip(seen, right, wrong, strict=True)
        if bad
        and s.output is not None
        and r.output is not None
        and s.output.shape == r.output.shape
        and s.output.device.type == "cpu"
    ]
    pairs = [(s, r) for s, r in pairs if s.numel() > 1 and not _close(s, r)]
    if len(pairs) < 2:
        return ""
    if any(not s.isfinite().all() for s, _ in pairs):
        return "The output holds NaN or infinity" if all(not s.isfinite().all() for s, _ in pairs) else ""
    return _scaled(pairs) or _shifted(pairs) or _transposed(pairs) or _some_rows(pairs)


def _close(a: Tensor, b: Tensor) -> bool:
    return bool((a - b).abs().max() <= CLOSE * b.abs().max() + 1e-9) if a.shape == b.shape else False


def _scaled(pairs: Sequence[Pair]) -> str:
    factors = [float((s * r).sum() / (r * r).sum()) for s, r in pairs if (r * r).sum() > 0]
    fits = len(factors) == len(pairs) and all(_close(s, c * r) for (s, r), c in zip(pairs, factors, strict=True))
    if not fits:
        return ""
    first = factors[0]
    if all(abs(c - first) <= CLOSE * abs(first) for c in factors):
        return f"The output is {first:.4g} times the right one"
    return "The output is the right one times a factor that changes with the input"


def _shifted(pairs: Sequence[Pair]) -> str:
    shifts = [float((s - r).mean()) for s, r in pairs]
    if all(_close(s, r + c) for (s, r), c in zip(pairs, shifts, strict=True)):
        same = all(abs(c - shifts[0]) <= CLOSE * abs(shifts[0]) for c in shifts)
        return (
            f"The output is the right one plus {shifts[0]:.4g}"
            if same
            else "The output is the right one plus a constant"
        )
    return ""


def _transposed(pairs: Sequence[Pair]) -> str:
    deep = min(s.dim() for s, _ in pairs)
    for i, j in itertools.combinations(range(-deep, 0), 2):
        if all(_close(s, r.transpose(i, j)) for s, r in pairs):
            return f"The output is the right one with dimensions {i} and {j} swapped"
    return ""


def _some_rows(pairs: Sequence[Pair]) -> str:
    """Whether only the first, only the last, or all but the first rows (second to last dimension) are wrong."""
    if any(s.dim() < 2 or s.shape[-2] < 2 for s, _ in pairs):
        return ""
    bad = [((s - r).abs() > CLOSE * r.abs().max() + 1e-9).any(-1).reshape(-1, s.shape[-2]).any(0) for s, r in pairs]
    if all(b[0] and not b[1:].any() for b in bad):
        return "Only the first row of the output is wrong"
    if all(b[-1] and not b[:-1].any() for b in bad):
        return "Only the last row of the output is wrong"
    if all(b[1:].all() and not b[0] for b in bad):
        return "Every row of the output but the first is wrong"
    return ""


def _gradients_only(seen: Sequence[Observation], right: Sequence[Observation], wrong: Sequence[bool]) -> str:
    """The outputs are right and only gradients are wrong: of which arguments?"""
    names: set[str] = set()
    missing: set[str] = set()
    for s, r, bad in zip(seen, right, wrong, strict=True):
        if not bad:
            continue
        if s.output is None or r.output is None or s.output.shape != r.output.shape:
            return ""
        if s.output.device.type == "cpu" and not _close(s.output.double(), r.output.double()):
            return ""
        for name, gradient in r.gradients.items():
            got = s.gradients.get(name)
            if gradient is None or not gradient.any():
                continue
            if got is None:
                missing.add(name)
            elif not _close(got.double(), gradient.double()):
                names.add(name)
    if missing and not names:
        return f"The output is right, but no gradient reaches {', '.join(sorted(missing))}"
    if names:
        return f"The output is right, but the gradient of {', '.join(sorted(names | missing))} is wrong"
    return ""


def _trait(probes: Sequence[Probe], wrong: Sequence[bool]) -> str:
    """A trait that every wrong probe has and no right one."""
    if all(wrong):
        return ""
    traits = sorted(set().union(*(p.traits for p in probes)))
    for trait in traits:
        if [trait in p.traits for p in probes] == list(wrong):
            return f"only where {trait}"
    return ""
