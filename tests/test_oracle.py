"""The tolerance is measured: right code with other arithmetic stays inside it, a real difference does not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor

from grader.case import Case
from grader.oracle import Oracle, base_tolerance, cotangent, row_max

REFERENCE = Path(__file__).parent.parent / "reference"


def attention_case(scale: float, dtype: torch.dtype, seed: int = 3, L: int = 5, S: int = 9, E: int = 8) -> Case:
    g = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(2, n, E, generator=g).mul(s).to(dtype) for n, s in ((L, scale), (S, scale), (S, 1.0)))
    names = ("query", "key", "value")
    return Case("scaled_dot_product_attention", {"query": q, "key": k, "value": v}, differentiable=names, seed=seed)


def worst_ratio(function, case: Case) -> float:
    """Largest error of `function` in the case's dtype, over output and gradients, in units of the allowed one."""
    oracle = Oracle(REFERENCE / "scaled_dot_product.py")
    expected = oracle(case, gradients=True)
    leaves = {n: t.clone().requires_grad_() for n, t in case.leaves.items()}
    output = function(*leaves.values())
    gradients = torch.autograd.grad((output * cotangent(case, output.shape)).sum(), list(leaves.values()))
    eps = torch.finfo(case.dtype).eps
    answers = {None: (output.detach(), expected.output)}
    answers |= {n: (g, expected.gradients[n]) for n, g in zip(leaves, gradients, strict=True)}
    worst = 0.0
    for name, (got, wanted) in answers.items():
        allowed = oracle.tolerance(case, name, gradients=True, eps=eps)
        worst = max(worst, float(((got.double() - wanted).abs() / allowed).max()))
    return worst


def softmax_by_hand(scores: Tensor) -> Tensor:
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def softmax_by_logsumexp(scores: Tensor) -> Tensor:
    return (scores - scores.logsumexp(-1, keepdim=True)).exp()


def softmax_with_constant(constant: float):
    def softmax(scores: Tensor) -> Tensor:
        e = (scores - scores.amax(-1, keepdim=True)).exp()
        return e / (e.sum(-1, keepdim=True) + constant)

    return softmax


def attention(softmax):
    return lambda q, k, v: softmax(q @ k.mT / math.sqrt(q.shape[-1])) @ v


DTYPES = (torch.float32, torch.float64)
SCALES = (0.1, 1.0, 12.0, 60.0)  # scores up to about 1e4


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "softmax",
    [
        lambda s: s.softmax(-1),
        softmax_by_hand,
        softmax_by_logsumexp,
        softmax_with_constant(1e-9),
        softmax_with_constant(1e-12),
    ],
    ids=["library", "by-hand", "logsumexp", "plus-1e-9", "plus-1e-12"],
)
def test_right_arithmetic_is_allowed(softmax, scale, dtype):
    for seed in range(4):
        assert worst_ratio(attention(softmax), attention_case(scale, dtype, seed)) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "function",
    [
        attention(softmax_with_constant(1e-5)),
        lambda q, k, v: ((q @ k.mT) / math.sqrt(q.shape[-1] + 1e-3)).softmax(-1) @ v,
        lambda q, k, v: attention(softmax_by_hand)(q, k, v) * (1 + 2e-5),
        lambda q, k, v: attention(softmax_by_hand)(q.half(), k.half(), v.half()).to(q.dtype),
    ],
    ids=["plus-1e-5", "wrong-scale", "two-in-1e5", "half-inside"],
)
def test_a_small_real_difference_is_not_allowed(function, dtype):
    assert worst_ratio(function, attention_case(1.0, dtype)) > 1


def test_float32_inside_is_not_allowed_in_float64():
    def rounded(q, k, v):
        return attention(softmax_by_hand)(q.float(), k.float(), v.float()).double()

    assert worst_ratio(rounded, attention_case(1.0, torch.float64)) > 10


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_gradient_that_is_about_zero_is_judged_by_what_rounding_does(dtype):
    """One key: the softmax is constant, its true gradient is zero, and right code returns rounding noise."""
    for seed in range(5):
        case = attention_case(5.0, dtype, seed, S=1)
        for softmax in (softmax_by_hand, softmax_by_logsumexp):
            assert worst_ratio(attention(softmax), case) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_norm_of_the_library_is_allowed_everywhere(dtype):
    """D = 1, constant rows and a large mean, where a naive bound fails the library itself."""
    oracle = Oracle(REFERENCE / "layernorm.py")
    eps = torch.finfo(dtype).eps
    for seed, (D, mean, spread) in enumerate(
        [(1, 3.0, 1.0), (4, 1e4, 1.0), (33, 0.0, 1e-3), (5, 2.0, 0.0), (2, 1e4, 1e-2)]
    ):
        g = torch.Generator().manual_seed(seed)
        x = (torch.randn(3, D, generator=g) * spread + mean).to(dtype)
        weight, bias = torch.randn(2, D, generator=g).to(dtype)
        parameters = {"weight": weight, "bias": bias}
        case = Case("LayerNorm", {"x": x}, {"n": D, "eps": 1e-5}, parameters, None, differentiable=("x",), seed=seed)
        leaf = x.clone().requires_grad_()
        y = torch.nn.functional.layer_norm(leaf, (D,), weight, bias)
        (gradient,) = torch.autograd.grad((y * cotangent(case, y.shape)).sum(), leaf)
        expected = oracle(case, gradients=True)
        for got, wanted, name in ((y, expected.output, None), (gradient, expected.gradients["x"], "x")):
            allowed = oracle.tolerance(case, name, gradients=True, eps=eps)
            assert ((got.double() - wanted).abs() <= allowed).all(), (seed, name)


def test_the_tolerance_repeats_exactly():
    case = attention_case(1.0, torch.float32)
    first, second = (
        Oracle(REFERENCE / "scaled_dot_product.py").tolerance(case, None, gradients=False, eps=1e-7) for _ in "ab"
    )
    assert torch.equal(first, second)


def test_the_tolerance_never_falls_below_a_few_units_in_the_last_place():
    expected = torch.tensor([[1.0, -4.0], [0.0, 0.0]], dtype=torch.float64)
    allowed = base_tolerance(expected, 1e-7)
    assert allowed[0].tolist() == pytest.approx([3.2e-6, 3.2e-6])
    assert (allowed > 0).all()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3)])
def test_row_max_keeps_the_shape(shape):
    assert row_max(torch.rand(shape)).shape == shape


def test_one_tensor_under_three_names_is_one_leaf():
    x = torch.randn(1, 3, 4)
    names = ("query", "key", "value")
    case = Case("scaled_dot_product_attention", dict.fromkeys(names, x), differentiable=names)
    gradients = Oracle(REFERENCE / "scaled_dot_product.py")(case, gradients=True).gradients
    assert list(gradients) == ["query = key = value"]
    leaf = x.double().requires_grad_()
    output = torch.nn.functional.scaled_dot_product_attention(leaf, leaf, leaf)
    (wanted,) = torch.autograd.grad((output * cotangent(case, output.shape)).sum(), leaf)
    torch.testing.assert_close(gradients["query = key = value"], wanted)


def test_the_cotangent_is_random_and_never_zero():
    case = attention_case(1.0, torch.float32)
    vector = cotangent(case, (50,))
    assert (vector != 0).all()
    assert len(vector.unique()) == 6
    assert not torch.equal(vector, cotangent(attention_case(1.0, torch.float32, seed=4), (50,)))
