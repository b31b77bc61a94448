"""The expected answer: the reference in float64, its vector-Jacobian products, and how far right code may be from it.

The tolerance is measured, not guessed. The reference is run again with every intermediate result (and every operand of a
reduction) multiplied by about 1 ± eps of the dtype under test, forward and backward: Monte Carlo arithmetic (Parker 1997).
What moves the reference moves any right implementation as much: sizes of scores, cancellation, saturated softmax, a gradient
that is about zero. A softmax is taken apart in its usual forms, of which the log-sum-exp errs by the size of the scores. Two
more runs add a constant to every denominator, because the contract tolerates one of 1e-9 there.

Trusted side only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from grader.case import Case

NOISE_RUNS = 6
NOISE_FACTOR = 8  # right code with another algorithm stays within this multiple of the measured noise
BASE_FACTOR = 8  # in units of eps times the row's largest value
DENOMINATOR_CONSTANT = 1e-9

REDUCTIONS = {
    "matmul",
    "__matmul__",
    "__rmatmul__",
    "bmm",
    "mm",
    "baddbmm",
    "einsum",
    "linear",
    "sum",
    "mean",
    "cumsum",
}
DIVISIONS = {"div", "true_divide", "__truediv__", "divide"}


@dataclass(frozen=True, slots=True)
class Answers:
    """Output and gradients (by leaf or role name) of one run of the reference, in float64 unless it answers in bool."""

    output: Tensor
    gradients: dict[str, Tensor]


class Oracle:
    """Runs the reference of one kata on cases."""

    def __init__(self, reference: Path) -> None:
        self._module = load_reference(reference)
        self._modules: dict[tuple[Any, ...], torch.nn.Module] = {}  # the reference's, by constructor arguments
        self._last: tuple[Case, bool, Answers] | None = None
        self._runs: tuple[Any, list[Any], Iterator[Any]] | None = None  # of the last case whose tolerance was asked for

    def __call__(self, case: Case, *, gradients: bool = False) -> Answers:
        """The expected answers in float64. The cotangent is `cotangent(case, shape)`."""
        if self._last is not None and self._last[0] is case and self._last[1] >= gradients:
            return self._last[2]
        answers = self._run(case, gradients)
        self._last = (case, gradients, answers)
        return answers

    def tolerance(self, case: Case, name: str | None, *, gradients: bool, eps: float) -> Tensor:
        """Allowed absolute error, elementwise, of the output (`name` None) or of the gradient called `name`."""
        return list(self.tolerances(case, name, gradients=gradients, eps=eps))[-1]

    def tolerances(self, case: Case, name: str | None, *, gradients: bool, eps: float) -> Iterator[Tensor]:
        """Bounds that grow with every disturbed run, up to the tolerance: what meets an early one need not wait."""

        def pick(answers: Answers) -> Tensor:
            return answers.output if name is None else answers.gradients[name]

        expected = pick(self(case, gradients=gradients))
        allowed = base = base_tolerance(expected, eps)
        yield base
        spread, shifted = torch.zeros_like(expected), torch.zeros_like(expected)
        for disturbed, exact, is_noise in self._disturbed(case, gradients, eps):
            moved = (pick(disturbed) - pick(exact)).abs().nan_to_num(0.0)
            if is_noise:
                spread = torch.maximum(spread, moved)
            else:
                shifted = torch.maximum(shifted, moved)
            allowed = base + row_max(NOISE_FACTOR * spread + 2 * shifted)
            yield allowed

    def _disturbed(self, case: Case, gradients: bool, eps: float) -> Iterator[tuple[Answers, Answers, bool]]:
        """Disturbed runs with what they would be undisturbed; those of the last case are kept, for its other gradients."""
        asked = (case, gradients, eps)
        if self._runs is None or self._runs[0][0] is not case or self._runs[0] != asked:
            self._runs = (asked, [], self._disturb(case, gradients, eps))
        _, done, rest = self._runs
        yield from done
        for run in rest:
            done.append(run)
            yield run

    def _disturb(self, case: Case, gradients: bool, eps: float) -> Iterator[tuple[Answers, Answers, bool]]:
        here = nearby = self(case, gradients=gradients)
        for run in range(NOISE_RUNS):
            elsewhere = gradients and run >= NOISE_RUNS // 2
            if elsewhere and nearby is here:
                nearby = self._run(case, gradients, nearby=True)
            with _Noise(eps, case.seed * NOISE_RUNS + run, SOFTMAX_FORMS[run % len(SOFTMAX_FORMS)]):
                noisy = self._run(case, gradients, nearby=elsewhere)
            yield noisy, nearby if elsewhere else here, True
        for softmax in SOFTMAX_FORMS[:2]:
            with _Denominators(softmax):
                moved = self._run(case, gradients)
            yield moved, here, False

    def _construct(self, case: Case, function: Callable[..., Any]) -> torch.nn.Module:
        key = (case.entry, *case.init.values())  # type: ignore[union-attr]
        if key not in self._modules:
            self._modules[key] = function(*key[1:]).double().eval()
        return self._modules[key]

    def _run(self, case: Case, gradients: bool, *, nearby: bool = False) -> Answers:
        """One run of the reference; with `nearby` for another cotangent of about the same size."""
        converted: dict[int, Tensor] = {}

        def convert(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            if id(value) not in converted:
                copy = value.detach().clone()
                converted[id(value)] = copy.double() if copy.is_floating_point() else copy
            return converted[id(value)]

        args = [convert(value) for value in case.arguments.values()]
        leaves = {name: convert(tensor) for name, tensor in case.leaves.items()}
        function: Callable[..., Any] = getattr(self._module, case.entry)
        if case.init is not None:
            module = self._construct(case, function)
            named = dict(module.named_parameters())
            with torch.no_grad():
                for role, value in case.parameters.items():
                    named[role].copy_(value)
            if gradients:
                leaves |= {role: named[role] for role in case.parameters}
            function = module
        if gradients:
            for leaf in leaves.values():
                leaf.requires_grad_()
        with torch.set_grad_enabled(gradients):
            output = function(*args)
        if not gradients:
            return Answers(output.detach(), {})
        vector = cotangent(case, output.shape).double()
        if nearby:
            vector = vector * _other_sizes(case, vector.shape)
        products = torch.autograd.grad((output * vector).sum(), list(leaves.values()))
        return Answers(output.detach(), dict(zip(leaves, products, strict=True)))


def cotangent(case: Case, shape: tuple[int, ...] | torch.Size) -> Tensor:
    """The random vector of the vector-Jacobian product: small integers, the same for candidate and reference."""
    if case.arrival == "expanded":
        return torch.tensor(float(case.seed % 3 + 1), dtype=case.dtype).expand(tuple(shape))
    generator = torch.Generator().manual_seed(case.seed * 7919 + 17)
    vector = torch.randint(1, 4, tuple(shape), generator=generator)
    sign = torch.randint(0, 2, tuple(shape), generator=generator) * 2 - 1
    return (vector * sign).to(case.dtype)


def _other_sizes(case: Case, shape: torch.Size) -> Tensor:
    """Factors from 0.5 to 1.5, of either sign: small integers cancel exactly, and then an error is seen nearby only."""
    generator = torch.Generator().manual_seed(case.seed * 7919 + 19)
    size = torch.rand(shape, generator=generator, dtype=torch.float64) + 0.5
    return size.copysign(torch.rand(shape, generator=generator, dtype=torch.float64) - 0.5)


def base_tolerance(expected: Tensor, eps: float) -> Tensor:
    """The floor of every tolerance: a few units in the last place of the row's largest value."""
    return BASE_FACTOR * eps * row_max(expected.abs().nan_to_num(0.0)) + 1e-37


def row_max(tensor: Tensor) -> Tensor:
    """The maximum along the last dimension, kept in place for broadcasting."""
    return tensor.amax(-1, keepdim=True).expand_as(tensor) if tensor.dim() and tensor.numel() else tensor


def load_reference(path: Path) -> ModuleType:
    """Load a reference by path, outside `sys.modules`: no import statement can reach it.

    From its text: bytecode that lies beside it may be of another text of the same second and length.
    """
    module = ModuleType(f"kata_reference_{path.stem}")
    module.__file__ = str(path)
    exec(_compiled(path, path.read_text(encoding="utf-8")), vars(module))
    return module


@lru_cache(maxsize=64)
def _compiled(path: Path, text: str) -> CodeType:
    return compile(text, str(path), "exec", dont_inherit=True)


def _softmax_shifted(x: Tensor, dim: int, *_: Any, **__: Any) -> Tensor:
    exp = (x - x.amax(dim, keepdim=True)).exp()
    return exp / exp.sum(dim, keepdim=True)


def _softmax_shifted_by_constant(x: Tensor, dim: int, *_: Any, **__: Any) -> Tensor:
    exp = (x - x.amax(dim, keepdim=True).detach()).exp()
    return exp / exp.sum(dim, keepdim=True)


def _softmax_by_logsumexp(x: Tensor, dim: int, *_: Any, **__: Any) -> Tensor:
    """exp(x - lse), where both directions use the rounded lse, as torch.logsumexp does: the weights' sum errs by its size."""
    fixed = x.detach()
    top = fixed.amax(dim, keepdim=True)
    lse = (fixed - top).exp().sum(dim, keepdim=True).log() + top
    one = (x - lse).exp().sum(dim, keepdim=True)  # its gradient is logsumexp's; a row may hold -inf
    return (x - (lse + (one - one.detach()))).exp()


# The usual ways to write a softmax: each of their steps is disturbed on its own.
SOFTMAX_FORMS = (_softmax_shifted, _softmax_shifted_by_constant, _softmax_by_logsumexp)


class _Disturbance(TorchFunctionMode):
    """Runs the reference with its softmax taken apart."""

    def __init__(self, softmax: Callable[..., Tensor]) -> None:
        super().__init__()
        self.softmax = softmax

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name == "softmax":
            with self:
                return self.softmax(*args, **(kwargs or {}))
        return self.disturb(func, name, args, kwargs or {})

    def disturb(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        raise NotImplementedError


class _Noise(_Disturbance):
    """Multiplies every floating result, and every operand of a reduction, by a random number about eps from 1."""

    def __init__(self, eps: float, seed: int, softmax: Callable[..., Tensor]) -> None:
        super().__init__(softmax)
        self.eps = eps
        self.generator = torch.Generator().manual_seed(seed)

    def disturb(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        if name in REDUCTIONS:
            args = [self._shake_all(a) for a in args]
        result = func(*args, **kwargs)
        if isinstance(result, Tensor) and result.is_floating_point() and not result._is_view():
            return self._shake(result)
        return result

    def _shake_all(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._shake_all(v) for v in value]
        return self._shake(value) if isinstance(value, Tensor) and value.is_floating_point() else value

    def _shake(self, tensor: Tensor) -> Tensor:
        shaken: Tensor = _Shake.apply(tensor, self._factor(tensor), self._factor(tensor))  # type: ignore[no-untyped-call]
        return shaken

    def _factor(self, tensor: Tensor) -> Tensor:
        # Not ±eps alone: two equal signs would cancel, in every run by bad luck.
        noise = torch.empty(tensor.shape, dtype=torch.float64).uniform_(-1.75, 1.75, generator=self.generator)
        return noise.mul_(self.eps).add_(1)


class _Shake(torch.autograd.Function):
    """Multiplies by one factor going forward and by another going backward, as rounding errs in both on its own."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, forward: Tensor, backward: Tensor) -> Tensor:
        ctx.backward_factor = backward
        return tensor * forward

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return gradient * ctx.backward_factor, None, None


class _Denominators(_Disturbance):
    """Adds a tiny constant to every denominator."""

    def disturb(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        if name in DIVISIONS and isinstance(args[1], Tensor):
            return func(args[0], args[1] + DENOMINATOR_CONSTANT, *args[2:], **kwargs)
        if name == "rsqrt":
            return 1 / (args[0].sqrt() + DENOMINATOR_CONSTANT)
        return func(*args, **kwargs)
