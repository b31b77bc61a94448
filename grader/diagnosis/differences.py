"""The kind of a difference that no known mistake explains: hypotheses, each tested on every probe.

Nothing is said that was not found true on all probes; where no hypothesis holds, nothing is said.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, float64

from grader.diagnosis.probes import Observation, Probe
from grader.verdict import Diagnosis

CLOSE = 1e-4  # relative: a hypothesis about float answers holds when it explains them to four digits
SINGLE = 1e-6  # relative: as much as float32 numbers err by in a float64 computation of a few steps
ROUGH = 2e-2  # relative: still the right answer, computed too roughly

Pair = tuple[Tensor, Tensor]  # the candidate's and the right answer


@dataclass(frozen=True, slots=True)
class Wrong:
    """A probe on which the candidate is wrong: what was seen, and what is right."""

    seen: Observation
    right: Observation

    @property
    def pair(self) -> Pair | None:
        """Both outputs in float64, where both are numbers on the CPU."""
        one, two = self.seen.output, self.right.output
        if one is None or two is None or "meta" in (one.device.type, two.device.type):
            return None
        return one.double(), two.double()


def describe_difference(
    probes: Sequence[Probe], seen: Sequence[Observation], right: Sequence[Observation], wrong: Sequence[bool]
) -> Diagnosis | None:
    """What all wrong answers have in common, in one sentence with its evidence."""
    found = [Wrong(s, r) for s, r, bad in zip(seen, right, wrong, strict=True) if bad]
    hypotheses = (_trouble, _behaviour, _mutation, _dtype, _values, _shape, _gradient_trouble, _gradients_only)
    what = next((said for hypothesis in hypotheses if (said := hypothesis(found))), "")
    entry = _entry(probes, wrong)
    where = _trait(probes, wrong, entry)
    if not what and not where:
        return None
    sentence = " ".join(part for part in (what or "The answer is wrong", where) if part)
    if entry:
        sentence = f"In {entry}: {sentence[0].lower()}{sentence[1:]}"
    return Diagnosis("difference", "", sentence + ".", "", f"found on {len(found)} wrong of {len(probes)} fresh inputs")


def _trouble(found: Sequence[Wrong]) -> str:
    """The call raises, or returns nothing that could be compared."""
    kinds = {w.seen.trouble for w in found}
    expected = {w.right.trouble for w in found}
    if kinds == {""} and "" not in expected:
        return f"The code does not {expected.pop().replace('raises', 'raise')}"
    if "" in kinds:
        return ""
    if len(kinds) == 1:
        return f"The code {kinds.pop()}"
    if all(kind.startswith("registers") for kind in kinds):
        return "The code registers other parameters than it should"
    return "The code raises an exception" if all(kind.startswith("raises") for kind in kinds) else ""


def _behaviour(found: Sequence[Wrong]) -> str:
    """What a call does besides answering."""
    if any(w.seen.random and not w.right.random for w in found):
        return "The same input gives another answer when it comes again"
    if all(w.seen.superlinear and not w.right.superlinear for w in found):
        return "Work or memory grow faster than the length"
    return ""


def _mutation(found: Sequence[Wrong]) -> str:
    names = frozenset.intersection(*(w.seen.mutated for w in found))
    if names:
        return f"The call changes its argument {', '.join(sorted(names))}"
    parameters = frozenset.intersection(*(w.seen.changed for w in found))
    plural = "s" if len(parameters) > 1 else ""
    return f"The call changes the parameter{plural} {', '.join(sorted(parameters))}" if parameters else ""


def _dtype(found: Sequence[Wrong]) -> str:
    pairs = _outputs(found)
    if pairs and all(w.seen.device != w.right.device for w in found):
        return "The output is on another device"
    return "The output has another dtype" if pairs and all(s.dtype != r.dtype for s, r in pairs) else ""


def _shape(found: Sequence[Wrong]) -> str:
    pairs = _outputs(found)
    return "The output has another shape" if pairs and all(s.shape != r.shape for s, r in pairs) else ""


def _outputs(found: Sequence[Wrong]) -> list[Pair]:
    """The candidate's and the right output, where there is one on every probe."""
    outputs = [(w.seen.output, w.right.output) for w in found]
    pairs = [(s, r) for s, r in outputs if s is not None and r is not None]
    return pairs if len(pairs) == len(found) else []


def _values(found: Sequence[Wrong]) -> str:
    """The wrong outputs are the right ones scaled, shifted, transposed, or wrong in some rows only."""
    pairs = [pair for w in found if (pair := w.pair) is not None]
    if len(pairs) < len(found) or any(s.numel() == 0 for s, _ in pairs):
        return ""
    finite = [bool(s.isfinite().all()) for s, _ in pairs]
    if not any(finite):
        return "The output holds NaN or infinity"
    pairs = [(s, r) for s, r in pairs if s.shape != r.shape or not _close(s, r, 1e-9)]
    if len(pairs) < 2 or not all(finite):
        return ""
    if any(s.shape != r.shape for s, r in pairs):
        return _transposed(pairs)
    return (
        _scaled(pairs)
        or _shifted(pairs)
        or _transposed(pairs)
        or _moved(pairs)
        or _some_rows(pairs)
        or _rough(pairs, in_double=all(w.seen.output is not None and w.seen.output.dtype == float64 for w in found))
    )


def _close(a: Tensor, b: Tensor, relative: float = CLOSE) -> bool:
    return bool((a - b).abs().max() <= relative * b.abs().max() + 1e-12) if a.shape == b.shape else False


def _scaled(pairs: Sequence[Pair]) -> str:
    factors = [float((s * r).sum() / (r * r).sum()) for s, r in pairs if (r * r).sum() > 0]
    if all(not s.any() for s, _ in pairs):
        return "The output is zero everywhere"
    fits = len(factors) == len(pairs) and all(_close(s, c * r) for (s, r), c in zip(pairs, factors, strict=True))
    if not fits or all(abs(c - 1) < CLOSE for c in factors):
        return ""
    if _equal(factors):
        return f"The output is {factors[0]:.4g} times the right one"
    return "The output is the right one times a factor that changes with the input"


def _shifted(pairs: Sequence[Pair]) -> str:
    shifts = [float((s - r).mean()) for s, r in pairs]
    if not all(_close(s, r + c) and not _close(s, r) for (s, r), c in zip(pairs, shifts, strict=True)):
        return ""
    if _equal(shifts):
        return f"The output is the right one plus {shifts[0]:.4g}"
    return "The output is the right one plus a number that changes with the input"


def _equal(numbers: Sequence[float]) -> bool:
    return all(abs(c - numbers[0]) <= CLOSE * abs(numbers[0]) for c in numbers)


def _transposed(pairs: Sequence[Pair]) -> str:
    deep = min(r.dim() for _, r in pairs)
    for i, j in itertools.combinations(range(-deep, 0), 2):
        if all(_close(s, r.transpose(i, j)) for s, r in pairs):
            return f"The output is the right one with dimensions {i} and {j} swapped"
    return ""


def _moved(pairs: Sequence[Pair]) -> str:
    """Reversed, or moved on by one place, along one dimension."""
    for dim in range(-min(r.dim() for _, r in pairs), 0):
        if all(_close(s, r.flip(dim)) for s, r in pairs):
            return f"The output is the right one in reverse order along dimension {dim}"
        if any(all(_close(s, r.roll(step, dim)) for s, r in pairs) for step in (1, -1)):
            return f"The output is the right one moved by one place along dimension {dim}"
    return ""


def _some_rows(pairs: Sequence[Pair]) -> str:
    """Whether only the first, only the last, or all but the first or the last row or column is wrong."""
    for dim, name in ((-2, "row"), (-1, "column")):
        if any(s.dim() < 2 or s.shape[dim] < 2 for s, _ in pairs):
            return ""
        bad = [_wrong_places(s, r, dim) for s, r in pairs]
        for which, index in (("first", 0), ("last", -1)):
            if all(sum(b) == 1 and b[index] for b in bad):
                return f"Only the {which} {name} of the output is wrong"
            if all(sum(b) == len(b) - 1 and not b[index] for b in bad):
                return f"Every {name} of the output but the {which} is wrong"
    return ""


def _wrong_places(seen: Tensor, right: Tensor, dim: int) -> list[bool]:
    """For each index along `dim` whether anything there is wrong."""
    wrong = (seen - right).abs() > CLOSE * right.abs().max() + 1e-9
    return [bool(flag) for flag in wrong.movedim(dim, 0).flatten(1).any(1)]


def _rough(pairs: Sequence[Pair], *, in_double: bool) -> str:
    """Right to some digits: computed in too low a precision, or with a small constant too many."""
    worst = max(float((s - r).abs().max() / r.abs().max()) for s, r in pairs if r.any())
    if not 0 < worst < ROUGH:
        return ""
    sentence = f"The output is right to about {max(1, round(-math.log10(worst)))} digits only"
    if in_double and worst < SINGLE:
        sentence += (
            ", as if a float32 number took part: make every number in the input's dtype, or take math.sqrt for a scale"
        )
    return sentence


def _gradient_trouble(found: Sequence[Wrong]) -> str:
    kinds = {w.seen.gradient_trouble for w in found}
    if len(kinds) == 1 and "" not in kinds:
        return f"The output is right, but the code {kinds.pop()} where its inputs require a gradient"
    return ""


def _gradients_only(found: Sequence[Wrong]) -> str:
    """The outputs are right and only gradients are wrong: of which arguments, and how?"""
    wrong: dict[str, list[Pair]] = {}
    missing: set[str] = set()
    right_ones: set[str] = set()
    for w in found:
        pair = w.pair
        if pair is None or w.seen.trouble or w.seen.gradient_trouble or not _close(*pair):
            return ""
        largest = max((float(g.abs().max()) for g in w.right.gradients.values() if g is not None), default=0.0)
        for name, right in w.right.gradients.items():
            got = w.seen.gradients.get(name)
            if right is None or right.abs().max() < CLOSE * largest:
                continue  # zero but for rounding
            if got is None or not got.any():
                missing.add(name)
            elif not _close(got.double(), right.double()):
                wrong.setdefault(name, []).append((got.double(), right.double()))
            else:
                right_ones.add(name)
    if missing and not wrong:
        what = _list_names(missing) if right_ones else "any input"
        return f"The output is right, but no gradient reaches {what}"
    if not wrong:
        return ""
    names = _list_names({*wrong, *missing}) if right_ones else "every input"
    scaled = {_scaled(pairs) for pairs in wrong.values()} if not missing else {""}
    if len(scaled) == 1 and (sentence := scaled.pop()):
        return f"The output is right, but the gradient of {names} is {sentence.removeprefix('The output is ')}"
    return f"The output is right, but the gradient of {names} is wrong"


def _list_names(names: set[str]) -> str:
    """In alphabetical order; a tensor that is passed more than once ("query = key") only where there is nothing else."""
    plain = sorted(name for name in names if " = " not in name) or sorted(names)
    return ", ".join(plain)


def _entry(probes: Sequence[Probe], wrong: Sequence[bool]) -> str:
    """The one entry symbol in which answers are wrong, where there are several symbols."""
    wrong_entries = {p.case.entry for p, bad in zip(probes, wrong, strict=True) if bad}
    return wrong_entries.pop() if len(wrong_entries) == 1 and len({p.case.entry for p in probes}) > 1 else ""


def _trait(probes: Sequence[Probe], wrong: Sequence[bool], entry: str) -> str:
    """A trait that every wrong probe has and no right one; among the probes of the one entry that is wrong, if it is one."""
    here = [(p, bad) for p, bad in zip(probes, wrong, strict=True) if not entry or p.case.entry == entry]
    if all(bad for _, bad in here):
        return ""
    traits = sorted(set().union(*(p.traits for p, _ in here)))
    return next((f"only where {t}" for t in traits if all((t in p.traits) == bad for p, bad in here)), "")
