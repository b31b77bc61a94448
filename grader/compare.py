"""Comparing the candidate's answer with the expected one, and turning the first difference into words and numbers.

Order: device, dtype, shape, finiteness, then values, then gradients, so that NaN or a broadcastable wrong shape never passes.
"""

from __future__ import annotations

import torch
from torch import Tensor

from grader.answer import Answer
from grader.candidate import Candidate
from grader.case import Case
from grader.failure import PropertyFailed, fail
from grader.oracle import Answers, Oracle, base_tolerance, cotangent
from grader.strategies import scattered
from grader.worker.arena import dtype_name


def agree(
    candidate: Candidate, oracle: Oracle, case: Case, *, gradients: bool = False, only: tuple[str, ...] = ()
) -> Answer:
    """Require that the candidate's answer is the reference's, within the measured tolerance.

    With `gradients` the vector-Jacobian products are compared instead of the output's values: of every
    differentiable argument and parameter, or of those named in `only`.
    """
    expected = oracle(case, gradients=gradients)
    direction = cotangent(case, expected.output.shape) if gradients else None
    if direction is not None and case.arrival == "scattered":
        direction = scattered(direction)
    answer = candidate(case, cotangent=direction, mode="track" if case.seed % 2 else "plain")
    check_form(case, answer, expected.output)
    if answer.cotangent_changed:
        fail("the backward pass changed the gradient that it was given, which others may hold too", case)
    if gradients:
        check_gradients(candidate, oracle, case, answer, expected, only)
    else:
        check_values(oracle, case, answer.output, expected, None, gradients=gradients)
    return answer


def agree_exactly(candidate: Candidate, oracle: Oracle, case: Case, *, gradients: bool = False) -> Answer:
    """Like `agree`, for functions that only move numbers: each must arrive as it was, unrounded."""
    answer = agree(candidate, oracle, case, gradients=gradients)
    expected = oracle(case, gradients=gradients)
    if not gradients:
        require_close(case, "output", answer.output, expected.output, 0.0)
        return answer
    for name, wanted in expected.gradients.items():
        got = answer.gradients[name]
        if got is not None:
            require_close(case, f"gradient of {name}", got, wanted, 0.0)
    return answer


def check_form(case: Case, answer: Answer, expected: Tensor, *, device: str | None = None) -> None:
    """Device, dtype and shape of the output."""
    wanted_dtype = expected.dtype if not expected.is_floating_point() else case.dtype
    got = answer.output
    if device is not None and answer.device != device:
        fail(f"the output is on device {answer.device}, expected {device}", case)
    if got.dtype != wanted_dtype:
        fail(f"the output has dtype {dtype_name(got.dtype)}, expected {dtype_name(wanted_dtype)}", case)
    if got.shape != expected.shape:
        message = f"the output has shape {tuple(got.shape)}, expected {tuple(expected.shape)}"
        fail(message, case, expected=expected, got=got)


def check_values(
    oracle: Oracle, case: Case, got: Tensor, answers: Answers, gradient_of: str | None, *, gradients: bool
) -> float:
    """Finiteness and values of the output or of one gradient. Returns the largest error in units of the allowed one."""
    subject = "output" if gradient_of is None else f"gradient of {gradient_of}"
    expected = answers.output if gradient_of is None else answers.gradients[gradient_of]
    if not expected.is_floating_point():
        wrong = got != expected
        if wrong.any():
            count = int(wrong.sum())
            message = f"{count} of {got.numel()} elements of the {subject} are wrong"
            fail(message, case, expected=expected, got=got, subject=subject, worst=_first(wrong))
        return 0.0
    if not got.isfinite().all():
        bad = ~got.isfinite()
        what = "NaN" if got.isnan().any() else "infinity"
        fail(f"the {subject} holds {what}", case, expected=expected, got=got, subject=subject, worst=_first(bad))
    eps = torch.finfo(case.dtype).eps
    error = (got.double() - expected).abs()
    allowed = base_tolerance(expected, eps)
    for allowed in oracle.tolerances(case, gradient_of, gradients=gradients, eps=eps):
        if (error <= allowed).all():
            break
    ratio = error / allowed
    if (error > allowed).any():
        worst = _position(ratio)
        message = f"the {subject} is wrong by up to {float(error.max()):.3g}"
        fail(
            message,
            case,
            expected=expected,
            got=got,
            subject=subject,
            worst=worst,
            error=float(error[worst]),
            allowed=float(allowed[worst]),
            ratio=float(ratio.max()),
        )
    return float(ratio.max()) if ratio.numel() else 0.0


def check_gradients(
    candidate: Candidate, oracle: Oracle, case: Case, answer: Answer, expected: Answers, only: tuple[str, ...]
) -> None:
    """Every vector-Jacobian product; all of them are noted in the gradient table before the first wrong one fails."""
    failure: PropertyFailed | None = None
    for name in only or expected.gradients:
        kind = "parameter" if name in case.parameters else "input"
        got = answer.gradients.get(name)
        wanted = expected.gradients[name]
        try:
            if got is None:
                allowed = oracle.tolerance(case, name, gradients=True, eps=torch.finfo(case.dtype).eps)
                if (wanted.abs() > allowed).any():  # a gradient that is zero but for rounding need not arrive
                    fail(f"no gradient reaches {name}", case, expected=wanted, subject=f"gradient of {name}")
                continue
            if got.shape != wanted.shape:
                fail(f"the gradient of {name} has shape {tuple(got.shape)}, expected {tuple(wanted.shape)}", case)
            ratio = check_values(oracle, case, got, expected, name, gradients=True)
            candidate.note_gradient(name, kind, received=True, matches=True, error=ratio)
        except PropertyFailed as error:
            candidate.note_gradient(name, kind, received=got is not None, matches=False, error=error.ratio)
            failure = failure or error
    if failure is not None:
        raise failure


def require_close(case: Case, subject: str, got: Tensor, expected: Tensor, allowed: Tensor | float) -> None:
    """A law about the candidate's own output: every element of `got` within `allowed` of `expected`."""
    expected = expected.double().expand_as(got)
    limit = torch.as_tensor(allowed, dtype=torch.float64).expand_as(got)
    error = (got.double() - expected).abs()
    wrong = ~(error <= limit)  # NaN is wrong
    if wrong.any():
        worst = _position(torch.where(wrong, (error / limit).nan_to_num(float("inf")), torch.zeros_like(error)))
        amount = float(error[worst])
        message = f"the {subject} is off by {amount:.3g}"
        fail(
            message,
            case,
            expected=expected,
            got=got,
            subject=subject,
            worst=worst,
            error=amount,
            allowed=float(limit[worst]),
        )


def _first(mask: Tensor) -> tuple[int, ...]:
    return tuple(int(i) for i in mask.nonzero()[0])


def _position(ratio: Tensor) -> tuple[int, ...]:
    flat = int(ratio.nan_to_num(float("inf")).argmax())
    return tuple(int(i) for i in torch.unravel_index(torch.tensor(flat), ratio.shape)) if ratio.dim() else ()
