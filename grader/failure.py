"""How a property fails: one exception, raised in one place, with a counterexample that a person can read.

Raising from a single line lets hypothesis shrink across all kinds of failure of a property to the smallest input of any.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, NoReturn

from torch import Tensor

from grader.case import Case
from grader.verdict import Argument, CandidateException, Counterexample, TensorView
from grader.worker.arena import dtype_name

PRINTABLE = 64  # elements

# The failure raised last in the property that is running: what is told when time runs out while hypothesis shrinks it.
latest_failure: ContextVar[PropertyFailed | None] = ContextVar("latest_failure", default=None)


class PropertyFailed(AssertionError):
    """A property does not hold for the submission. The only exception that counts against a candidate.

    `ratio` is the largest error in units of the allowed one, where values were compared.
    """

    def __init__(
        self,
        message: str,
        counterexample: Counterexample,
        exception: CandidateException | None = None,
        *,
        ratio: float | None = None,
        value_error: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.counterexample = counterexample
        self.exception = exception
        self.ratio = ratio
        self.value_error = value_error


class RoleError(Exception):
    """The module's parameters do not fit the contract. The message lists what was found and what was wanted.

    `missing` names the roles, or groups of roles, for which no parameter was found.
    """

    def __init__(self, message: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.missing = missing


def fail(
    message: str,
    case: Case,
    *,
    expected: Tensor | None = None,
    got: Tensor | None = None,
    subject: str = "output",
    worst: tuple[int, ...] | None = None,
    error: float | None = None,
    allowed: float | None = None,
    ratio: float | None = None,
    exception: CandidateException | None = None,
    value_error: bool = False,
) -> NoReturn:
    """Raise PropertyFailed. `got` and `expected` are shown side by side under the name `subject`."""
    shown = counterexample(
        case,
        subject=subject,
        expected=None if expected is None else view(subject, expected),
        got=None if got is None else view(subject, got),
        worst=worst,
        error=error,
        allowed=allowed,
    )
    failure = PropertyFailed(message, shown, exception, ratio=ratio, value_error=value_error)
    latest_failure.set(failure)
    raise failure


def counterexample(case: Case, **details: Any) -> Counterexample:
    """The case as data, with what is compared in `details`."""
    return Counterexample(call=case.describe(), arguments=tuple(_arguments(case)), **details)


def require(condition: bool, message: str, case: Case, **details: Any) -> None:
    """Fail the property with `message` unless `condition`."""
    if not condition:
        fail(message, case, **details)


def view(name: str, tensor: Tensor) -> TensorView:
    """A tensor as frozen numbers; without them where there are too many to read."""
    values = tensor.tolist() if tensor.numel() <= PRINTABLE and tensor.device.type != "meta" else None
    note = "" if tensor.is_contiguous() else f"not contiguous, strides {tuple(tensor.stride())}"
    return TensorView(name, dtype_name(tensor.dtype), tuple(tensor.shape), values, tensor.device.type, note)


def _arguments(case: Case) -> list[Argument]:
    shown = []
    for name, value in {**case.arguments, **case.parameters}.items():
        if isinstance(value, Tensor):
            shown.append(Argument(name, tensor=view(name, value)))
        else:
            shown.append(Argument(name, text=repr(value)))
    return shown
