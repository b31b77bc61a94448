"""What a kata's `properties.py` is written with: the `law` decorator and the laws that every kata shares.

A property is a pytest function `test_<id>(candidate, oracle, …)`; its docstring is the one line that candidates read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import hypothesis
import torch
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from grader.answer import Answer
from grader.candidate import Candidate, Mode
from grader.case import Case
from grader.compare import agree, check_form, check_values
from grader.failure import PropertyFailed, fail, require
from grader.oracle import Answers, Oracle
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
        _check_unmodified(case, candidate(case, mode=mode))


def _check_unmodified(case: Case, answer: Answer) -> None:
    for name in answer.mutated:
        fail(f"{name} was changed by the call", case, subject=name)


def agree_in_every_mode(candidate: Candidate, oracle: Oracle, case: Case) -> None:
    """The output is right and no argument changes, under `torch.no_grad()` too."""
    _check_unmodified(case, agree(candidate, oracle, case))
    answer = candidate(case, mode="no_grad")
    _check_unmodified(case, answer)
    _check_output(oracle, case, answer, oracle(case))


def _check_output(oracle: Oracle, case: Case, answer: Answer, expected: Answers) -> None:
    check_form(case, answer, expected.output)
    check_values(oracle, case, answer.output, expected, None, gradients=False)


def answers_repeat(candidate: Candidate, oracle: Oracle, first: Case, second: Case) -> None:
    """The same input gives the same answer, whatever was asked between, and no later call changes an earlier answer.

    `first` and `second` have the same shapes and different contents, which come at the same addresses too, and in the very
    objects of the call before, with nothing else renewed: what a call does to the parameters is seen as well.
    """
    expected = {id(case): oracle(case) for case in (first, second)}
    module = candidate.construct(first) if first.init is not None else None
    for mode in MODES:
        for one, two, keep in ((first, second, False), (second, first, True)):
            answer = candidate(one, then=two, keep=keep, module=module, mode=mode)
            for name in answer.changed:
                fail(f"the call changed the parameter {name}: the next call no longer gives the same answer", one)
            assert answer.then is not None
            _check_output(oracle, one, answer, expected[id(one)])
            with _telling("in a second call, for which new values were written into the same tensors"):
                _check_output(oracle, two, answer.then, expected[id(two)])
            kept = answer.then.output
        candidate(second, keep=True, module=module, mode=mode)
        late = candidate.reread(answer, first)
        candidate.release()
        same = bool(torch.equal(kept, late))
        require(same, "a later call changed this earlier answer", first, expected=kept, got=late)


def layout_does_not_matter(candidate: Candidate, oracle: Oracle, case: Case, *, gradients: bool = True) -> None:
    """Non-contiguous inputs give the same answer and stay as they are, with and without gradients.

    The gradient that comes back to the output need not be contiguous either.
    """
    twisted = case.with_arguments(**{name: scattered(t) for name, t in case.tensors.items()})
    agree_in_every_mode(candidate, oracle, twisted)
    if not gradients:
        return
    if case.seed % 4 == 1:
        told, arriving = "is expanded, as from out.sum()", replace(twisted, arrival="expanded")
    else:
        told, arriving = "is not contiguous, as from out.transpose(…)", replace(twisted, arrival="scattered")
    with _telling(f"where the gradient that comes back to the output {told}"):
        agree(candidate, oracle, arriving, gradients=True)


@contextmanager
def _telling(words: str) -> Iterator[None]:
    """Complete the message of what fails inside."""
    try:
        yield
    except PropertyFailed as error:
        error.message = f"{error.message}, {words}"
        raise


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
