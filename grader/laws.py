"""What a kata's `properties.py` is written with: the `law` decorator and the laws that every kata shares.

A property is a pytest function `test_<id>(candidate, oracle, …)`; its docstring is the one line that candidates read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import hypothesis
import torch
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from grader.candidate import Candidate, Mode
from grader.case import Case
from grader.compare import agree, check_form, check_values
from grader.failure import PropertyFailed, fail, require
from grader.oracle import Oracle
from grader.strategies import DTYPES, scattered
from grader.verdict import CATEGORIES

EXAMPLES = 12

# Hypothesis mixes constants into its draws that it finds in the source of whatever modules are loaded, and caches them in a
# folder. Inputs would depend on what happens to be imported, and a grade would leave files behind: turn that off.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = Constants

SETTINGS: dict[str, Any] = {
    "database": None,  # no .hypothesis folder, and no memory between runs
    "deadline": None,
    "report_multiple_bugs": False,
    "print_blob": False,
    "suppress_health_check": list(hypothesis.HealthCheck),
    "phases": (hypothesis.Phase.explicit, hypothesis.Phase.generate, hypothesis.Phase.shrink),
}

Test = TypeVar("Test", bound=Callable[..., None])


@dataclass(frozen=True, slots=True)
class Law:
    """What the decorator says of a property."""

    category: str
    stretch: bool


def law(category: str, *, stretch: bool = False, examples: int = EXAMPLES) -> Callable[[Test], Test]:
    """Mark a property with its category; `stretch` ones are shown and never fail a grade.

    Stands above `@given`. `examples` is the number of inputs to try.
    """
    if category not in CATEGORIES:
        raise ValueError(f"unknown category {category!r}; one of {', '.join(CATEGORIES)}")

    def mark(test: Test) -> Test:
        if hasattr(test, "hypothesis"):
            test = hypothesis.settings(max_examples=examples, **SETTINGS)(test)
            # Without a database there is nothing to look up: else the test's source is read and taken apart for the key.
            test._hypothesis_internal_database_key = None  # type: ignore[attr-defined]
        test.law = Law(category, stretch)  # type: ignore[attr-defined]
        return test

    return mark


def shrink_no_further(test: Any) -> None:
    """Report the first failing input that is found as it is: a person reads the first failure, and shrinking takes time."""
    settings = getattr(test, "_hypothesis_internal_use_settings", None)
    if settings is not None:
        phases = tuple(phase for phase in settings.phases if phase is not hypothesis.Phase.shrink)
        test._hypothesis_internal_use_settings = hypothesis.settings(settings, phases=phases)


# How inputs may come: plainly, requiring a gradient, under `torch.no_grad()`.
MODES: tuple[Mode, ...] = ("plain", "track", "no_grad")


def inputs_stay_unmodified(candidate: Candidate, case: Case) -> None:
    """No argument's content, shape or strides change, with and without gradients."""
    for mode in MODES:
        for name in candidate(case, mode=mode).mutated:
            fail(f"{name} was changed by the call", case, subject=name)


def answers_repeat(candidate: Candidate, oracle: Oracle, first: Case, second: Case) -> None:
    """The same input gives the same answer, whatever was asked between, and no later call changes an earlier answer.

    `first` and `second` have the same shapes and different contents, which come at the same addresses too.
    """
    module = candidate.construct(first) if first.init is not None else None
    for mode in MODES:
        for case in (first, second, first):
            answer = candidate(case, module=module, mode=mode)
            check_form(case, answer, oracle(case).output)
            check_values(oracle, case, answer.output, oracle(case), None, gradients=False)
        kept = candidate(first, keep=True, module=module, mode=mode)
        candidate(second, keep=True, module=module, mode=mode)
        late = candidate.reread(kept, first)
        candidate.release()
        same = bool(torch.equal(kept.output, late))
        require(same, "a later call changed this earlier answer", first, expected=kept.output, got=late)


def layout_does_not_matter(candidate: Candidate, oracle: Oracle, case: Case, *, gradients: bool = True) -> None:
    """Non-contiguous inputs give the same answer, with and without gradients."""
    twisted = case.with_arguments(**{name: scattered(t) for name, t in case.tensors.items()})
    agree(candidate, oracle, twisted)
    if gradients:
        agree(candidate, oracle, twisted, gradients=True)


def dtype_is_kept(candidate: Candidate, case: Case) -> None:
    """The output has the input's dtype and device in every dtype that is graded, with and without `requires_grad`."""
    for case in (case.in_dtype(dtype) for dtype in DTYPES.get()):
        for mode in MODES:
            answer = candidate(case, mode=mode)
            got = answer.output.dtype
            require(
                got == case.dtype, f"the output has dtype {_name(got)} for input of dtype {_name(case.dtype)}", case
            )
            on_device = answer.device == candidate.device
            require(on_device, f"the output is on {answer.device}, the input on {candidate.device}", case)


def raises_value_error(candidate: Candidate, case: Case, why: str) -> None:
    """The call (for a module: its construction) raises ValueError or a subclass; `why` completes the message."""
    try:
        if case.init is not None:
            candidate.parameters(case)
        else:
            candidate(case)
    except PropertyFailed as error:
        if error.value_error:
            return
        if error.exception is not None:
            fail(f"raised {error.exception.type}, expected ValueError: {why}", case, exception=error.exception)
        raise
    fail(f"no ValueError was raised: {why}", case)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
