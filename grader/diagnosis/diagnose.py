"""Naming the mistake: compares the candidate's answers on fresh inputs with those of every known mistake.

The candidate runs in a worker, the reference and the mistakes run here: they are ours. One sentence comes out, or none:
a wrong name is worse than none. Order: one known mistake whose answers are the candidate's everywhere (at most two, the most
specific first); else two mistakes at once; else the kind of the difference, found by testing hypotheses on the probes.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from types import ModuleType

from torch import Tensor

from grader.candidate import Candidate
from grader.catalog import Kata
from grader.diagnosis.differences import describe_difference
from grader.diagnosis.mistakes import Merger, Mistake, read_mistakes, run_tree
from grader.diagnosis.probes import Observation, Probe, observe_module
from grader.diagnosis.sameness import Bench, complaint
from grader.oracle import load_reference
from grader.verdict import Diagnosis

MOST_PAIRS = 300  # merged and compared, at most


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


Pair = tuple[Suspect, Suspect]


def diagnose(kata: Kata, candidate: Candidate, bench: Bench) -> Diagnosis | None:
    """The diagnosis of a submission that failed, or None where it is right on every probe, or nothing can be said."""
    probes = bench.probes
    seen = bench.observe(candidate)
    wrong = bench.wrong(seen)
    if not any(wrong):
        return None
    if all(s.trouble and not complaint(s) for s, r in zip(seen, bench.right, strict=True) if not r.trouble):
        return describe_difference(probes, seen, bench.right, wrong)  # code that never answers could be any mistake's
    count = f"{sum(wrong)} of {len(probes)} fresh inputs"
    mistakes = read_mistakes(kata)
    matches = _best(_find_matches(bench, mistakes, seen, wrong))
    if matches:
        evidence = f"it answers exactly as your code does, wrongly on {count}"
        if all(s.trouble.startswith("registers") for s, bad in zip(seen, wrong, strict=True) if bad):
            evidence = "it registers the same parameters as your module does; answers could not be compared"
        first, *others = (_tell(m.mistake, evidence) for m in matches)
        return replace(first, also=tuple(others))
    pair = _find_pair(bench, kata, mistakes, seen, wrong)
    if pair is not None:
        one, two = pair
        evidence = f"with both, the reference answers exactly as your code does, wrongly on {count}"
        if one.reported_id == two.reported_id:
            return _tell(one, evidence.replace("with both", "with this mistake in two places"))
        return replace(_tell(one, evidence), kind="two mistakes", also=(_tell(two, evidence),))
    return describe_difference(probes, seen, bench.right, wrong)


def load_bench(kata: Kata) -> Bench:
    """The kata's probes with all that is known of them. Who grades again has it already, with what the mistakes answered."""
    return _load_bench(kata, *(path.read_text(encoding="utf-8") for path in (kata.reference, kata.properties)))


@lru_cache(maxsize=16)
def _load_bench(kata: Kata, reference: str, properties: str) -> Bench:
    """The same while the texts are the same."""
    return Bench(kata, load_probes(kata))


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


def _find_matches(
    bench: Bench, mistakes: Iterable[Mistake], seen: Sequence[Observation], wrong: Sequence[bool]
) -> Iterator[Match]:
    """The mistakes whose observations are the candidate's on every probe."""
    for mistake in mistakes:
        for variant in range(len(mistake.variants)):
            observe = partial(bench.observe_mistake, mistake, variant)
            exact = _explains(bench, observe, seen, wrong, rounding=mistake.rounding)
            if exact is not None:
                yield Match(mistake, exact)
                break


def _find_pair(
    bench: Bench, kata: Kata, mistakes: Iterable[Mistake], seen: Sequence[Observation], wrong: Sequence[bool]
) -> tuple[Mistake, Mistake] | None:
    """Two mistakes that explain everything when the reference has both."""
    if all(observed.trouble for observed, bad in zip(seen, wrong, strict=True) if bad):
        return None  # exceptions alone are weak evidence
    merger = Merger(ast.parse(kata.reference.read_text(encoding="utf-8")))
    changes = cache(lambda suspect: merger.changes(suspect.mistake.variant_tree(suspect.variant)))
    for one, two in _choose_pairs(bench, mistakes, seen, wrong)[:MOST_PAIRS]:
        merged = merger.merge(changes(one), changes(two))
        if merged is None:
            continue
        try:
            module = run_tree(merged, "kata_two_mistakes")
        except Exception:  # a merge that makes no sense as code
            continue
        observe = partial(_observe_module, bench, module)
        if _explains(bench, observe, seen, wrong) is not None:
            return one.mistake, two.mistake
    return None


def _observe_module(bench: Bench, module: ModuleType, i: int) -> Observation:
    return observe_module(module, bench.probes[i])


def _choose_pairs(
    bench: Bench, mistakes: Iterable[Mistake], seen: Sequence[Observation], wrong: Sequence[bool]
) -> list[Pair]:
    """The pairs that are worth a try, the best first: both are right where the candidate is, one is wrong where it is
    wrong, and where just one is wrong it answers as the candidate does."""
    suspects = [Suspect(m, variant) for m in mistakes for variant in range(min(2, len(m.variants)))]
    pairs = [(a, b) for a, b in itertools.combinations(suspects, 2) if a.mistake is not b.mistake]
    evidence = dict.fromkeys(suspects, 0)
    for i in sorted(range(len(wrong)), key=lambda i: wrong[i]):
        here, right, gradients = seen[i], bench.right[i], True
        answers = (_without_gradients(here), _without_gradients(right))
        if not bench.same(i, *answers):  # where the answer itself is wrong it alone is compared: that is quicker
            (here, right), gradients = answers, False
        off, alike, ruled_out = {}, {}, set()
        for suspect in dict.fromkeys(itertools.chain.from_iterable(pairs)):
            observed = bench.observe_mistake(suspect.mistake, suspect.variant, i, gradients=gradients)
            off[suspect] = not bench.same(i, observed, right)
            alike[suspect] = off[suspect] and bench.same(i, observed, here)
            evidence[suspect] += alike[suspect]
            if off[suspect] and (not wrong[i] or (not right.trouble and _is_worse(observed, here))):
                ruled_out.add(suspect)
        pairs = [(a, b) for a, b in pairs if a not in ruled_out and b not in ruled_out]
        if wrong[i]:
            pairs = [(a, b) for a, b in pairs if (off[a] and off[b]) or alike[a] or alike[b]]
    return sorted(pairs, key=lambda pair: -evidence[pair[0]] - evidence[pair[1]])


def _explains(
    bench: Bench,
    observe: Callable[[int], Observation],
    seen: Sequence[Observation],
    wrong: Sequence[bool],
    *,
    rounding: bool = False,
) -> bool | None:
    """Whether what `observe` sees on a probe is the very same exceptions, if it is the candidate's answers everywhere; else
    None."""
    exact = True
    for i in sorted(range(len(wrong)), key=lambda i: not wrong[i]):  # a wrong explanation shows first there
        observed = observe(i)
        by_rounding = rounding and wrong[i] and not bench.same(i, observed, bench.right[i])
        if not by_rounding and not bench.same(i, observed, seen[i]):
            return None
        exact &= observed.trouble == seen[i].trouble
    return exact


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
