"""What the model answers claim with a number, or of PyTorch, is computed here: the text must say it, and it must hold."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader import catalog

INF = math.inf


def refuses_the_fill() -> bool:
    try:
        torch.zeros(2, dtype=torch.float16).masked_fill(torch.tensor([True, False]), -1e9)
    except RuntimeError:
        return True
    return False


def is_causal_is_upper_left() -> bool:
    q, k, v = torch.randn(1, 2, 4), torch.randn(1, 3, 4), torch.eye(3)[None]
    weights = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return bool((weights[0, 0] == torch.tensor([1.0, 0.0, 0.0])).all() and weights[0, 1, 2] == 0)


def half_softmax_accumulates_in_float32() -> bool:
    return float(torch.softmax(torch.zeros(1 << 16, dtype=torch.bfloat16), -1)[0]) == 2.0**-16


def a_long_sum_in_bfloat16_stops_growing() -> bool:
    return bool(torch.tensor(256, dtype=torch.bfloat16) + 1 == 256)


def strides_are_rewritten() -> bool:
    B, T, H, d = 2, 5, 3, 4
    D = H * d
    x = torch.randn(B, T, D)
    cut = x.view(B, T, H, d)
    split = cut.transpose(1, 2)
    again = split.transpose(1, 2).view(B, T, D)
    return (
        x.stride() == (T * D, D, 1)
        and cut.stride() == (T * D, D, d, 1)
        and split.stride() == (T * D, d, D, 1)
        and again.data_ptr() == x.data_ptr()
    )


def merging_needs_a_copy() -> bool:
    try:
        torch.randn(2, 3, 5, 4).transpose(1, 2).view(2, 5, 12)
    except RuntimeError:
        return True
    return False


def matmul_copies_split_heads() -> bool:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        q = torch.randn(2, 5, 3, 4).transpose(1, 2)
        q @ q.mT
    return any(event.key in ("aten::clone", "aten::copy_") for event in profile.key_averages())


def root_of_zero_has_no_gradient() -> bool:
    x = torch.ones(3, requires_grad=True)
    centred = x - x.mean()
    (centred / (torch.sqrt((centred**2).mean()) + 1e-5)).sum().backward()
    assert x.grad is not None
    return bool(x.grad.isnan().all())


def layernorm_gradient_is_the_formula() -> bool:
    x = torch.randn(4, 7, dtype=torch.float64, requires_grad=True)
    weight, dy = torch.randn(7, dtype=torch.float64), torch.randn(4, 7, dtype=torch.float64)
    F.layer_norm(x, (7,), weight, eps=1e-5).backward(dy)
    assert x.grad is not None
    centred = x - x.mean(-1, keepdim=True)
    sigma = torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-5)
    unit, g = (centred / sigma).detach(), dy * weight
    formula = (g - g.mean(-1, keepdim=True) - unit * (g * unit).mean(-1, keepdim=True)) / sigma
    row_sums, along = x.grad.sum(-1), (x.grad * unit).sum(-1)
    return torch.allclose(x.grad, formula) and float(row_sums.abs().max()) < 1e-9 and float(along.abs().max()) < 1e-3


def sum_backward_tests_nothing() -> bool:
    x = torch.randn(4, 7, dtype=torch.float64, requires_grad=True)
    F.layer_norm(x, (7,)).sum().backward()
    assert x.grad is not None
    return float(x.grad.abs().max()) < 1e-12


def variance_of_large_numbers_is_lost() -> bool:
    x = (torch.randn(4096, dtype=torch.float64) + 1e4).float()
    return abs(float((x * x).mean() - x.mean() ** 2) - 1) > 0.5 and abs(float(x.var(correction=0)) - 1) < 0.2


def phi(x: float) -> float:
    return float(F.elu(torch.tensor(x)) + 1)


def parameters_of_attention() -> int:
    return sum(p.numel() for p in nn.MultiheadAttention(512, 8).parameters())


def masks_have_opposite_meanings() -> bool:
    x = torch.randn(1, 2, 4)
    mask = torch.tensor([[True, False], [True, False]])
    attends = F.scaled_dot_product_attention(x, x, torch.eye(2)[None], attn_mask=mask)
    _, weights = nn.MultiheadAttention(4, 1, batch_first=True)(x, x, x, attn_mask=mask)
    return bool((attends[0, :, 0] == 1).all() and (weights[0, :, 0] == 0).all())


def softmax_gradient_is_the_formula() -> bool:
    s = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    p, dp = torch.softmax(s, -1), torch.randn(3, 5, dtype=torch.float64)
    p.backward(dp)
    assert s.grad is not None
    return torch.allclose(s.grad, p * (dp - (p * dp).sum(-1, keepdim=True)))


def repairing_the_output_leaves_nan_in_the_gradient() -> bool:
    s = torch.full((1, 3), -INF, requires_grad=True)
    p = torch.softmax(s, -1)
    torch.where(p.isnan(), torch.zeros(()), p).sum().backward()
    assert s.grad is not None
    return bool(s.grad.isnan().all())


def scores_spread_as_the_root_of_the_width() -> bool:
    q, k = torch.randn(2, 50_000, 64, generator=torch.Generator().manual_seed(1))
    return abs(float((q * k).sum(-1).std()) - 8) < 0.1


def token_order_is_equivariant() -> bool:
    attention = nn.MultiheadAttention(8, 2, batch_first=True).double()
    x, order = torch.randn(1, 5, 8, dtype=torch.float64), torch.tensor([3, 1, 4, 0, 2])
    plain = attention(x, x, x)[0]
    return torch.allclose(attention(x[:, order], x[:, order], x[:, order])[0], plain[:, order]) and torch.allclose(
        attention(x, x[:, order], x[:, order])[0], plain
    )


def row(fill: float) -> torch.Tensor:
    return torch.softmax(torch.full((4,), fill), -1)


FACTS: list[tuple[str, str, Callable[[], bool]]] = [
    ("causal-mask", "exp(−∞) is 0", lambda: bool(torch.tensor(-INF, dtype=torch.float16).exp() == 0)),
    ("causal-mask", "−1e9 also gives an exact 0 in float32", lambda: float(torch.tensor(-1e9).exp()) == 0),
    ("causal-mask", "whose largest number is 65504", lambda: torch.finfo(torch.float16).max == 65504),
    ("causal-mask", "PyTorch refuses the fill", refuses_the_fill),
    ("causal-mask", "−1e9 everywhere gives uniform weights", lambda: bool((row(-1e9) == 0.25).all())),
    ("causal-mask", "−∞ everywhere gives NaN", lambda: bool(row(-INF).isnan().all())),
    ("causal-mask", "e^(−20) ≈ 2·10⁻⁹", lambda: f"{math.exp(-20):.0e}" == "2e-09"),
    ("causal-mask", "64 MiB at T = 8192", lambda: 8192**2 == 64 << 20),
    ("causal-mask", "Only T(T + 1)/2 of the T² entries", lambda: int(torch.ones(9, 9).tril().sum()) == 45),
    ("causal-mask", "aligns a non-square mask to the *upper left*", is_causal_is_upper_left),
    ("causal-mask", "relative steps are 2⁻⁷ ≈ 0.8 %", lambda: torch.finfo(torch.bfloat16).eps == 2**-7),
    ("causal-mask", "stops growing", a_long_sum_in_bfloat16_stops_growing),
    ("causal-mask", "accumulate half-precision softmax in float32", half_softmax_accumulates_in_float32),
    ("head-split-merge", "after the swap (T·D, d, D, 1)", strides_are_rewritten),
    ("head-split-merge", "`view` raises an error", merging_needs_a_copy),
    ("head-split-merge", "in float32 is 2 MiB", lambda: 16 * 64 * 512 * 4 == 2 << 20),
    ("head-split-merge", "so it copies", matmul_copies_split_heads),
    ("layernorm", "0.999 for D = 512", lambda: f"{math.sqrt(511 / 512):.3f}" == "0.999"),
    ("layernorm", "`x.var()` and `x.std()` are unbiased by default", lambda: float(torch.tensor([0.0, 2.0]).var()) == 2),
    ("layernorm", "about 316 for 1e-5", lambda: round(1 / math.sqrt(1e-5)) == 316),
    ("layernorm", "on a constant row is ∞ · 0 = NaN", root_of_zero_has_no_gradient),
    ("layernorm", "it is 0 in float16", lambda: float(torch.tensor(1e-12, dtype=torch.float16)) == 0),
    ("layernorm", "least positive number is about 6·10⁻⁸", lambda: f"{2**-24:.0e}" == "6e-08"),
    ("layernorm", "1e-5 is PyTorch's default", lambda: nn.LayerNorm(2).eps == 1e-5),
    ("layernorm", "neighbouring float32 numbers are 8 apart", lambda: float(np.spacing(np.float32(1e8))) == 8),
    ("layernorm", "so a variance of 1 is lost completely", variance_of_large_numbers_is_lost),
    ("layernorm", "dx = (g − mean(g) − x̂ · mean(g ∘ x̂)) / σ", layernorm_gradient_is_the_formula),
    ("layernorm", "dx is zero whatever the code does", sum_backward_tests_nothing),
    ("layernorm", "anything over 255.9 (√65504)", lambda: f"{math.sqrt(65504):.1f}" == "255.9"),
    ("linear-attention", "at x = −50 it is 2·10⁻²²", lambda: f"{math.exp(-50):.0e}" == "2e-22"),
    ("linear-attention", "below x ≈ −17.3", lambda: f"{math.log(2**-25):.1f}" == "-17.3" and phi(-17.4) == 0 < phi(-17.2)),
    ("multi-head-attention", "1,050,624 for D = 512", lambda: parameters_of_attention() == 1_050_624),
    ("multi-head-attention", "The two are equal at T = 2·D", lambda: 8 * 1024 * 512**2 == 4 * 1024**2 * 512),
    ("multi-head-attention", "512 KiB per token", lambda: 2 * 32 * 4096 * 2 == 512 << 10),
    ("multi-head-attention", "2 GiB for 4096 tokens", lambda: (512 << 10) * 4096 == 2 << 30),
    ("multi-head-attention", "0 · NaN in the next layer's weighted sum is NaN", lambda: math.isnan(0 * math.nan)),
    ("multi-head-attention", "the outputs permute in the same way", token_order_is_equivariant),
    ("scaled-dot-product", "8 for E = 64", scores_spread_as_the_root_of_the_width),
    ("scaled-dot-product", "8192² · 32 · 2 bytes = 4 GiB", lambda: 8192**2 * 32 * 2 == 4 << 30),
    ("scaled-dot-product", "from s ≈ 88.7", lambda: f"{math.log(torch.finfo(torch.float32).max):.1f}" == "88.7"),
    ("scaled-dot-product", "float16 from s ≈ 11.1", lambda: f"{math.log(65504):.1f}" == "11.1"),
    ("scaled-dot-product", "float32 numbers near 1e9 are 64 apart", lambda: float(np.spacing(np.float32(1e9))) == 64),
    ("scaled-dot-product", "dS = P ∘ (dP − Σ_j P_j dP_j)", softmax_gradient_is_the_formula),
    ("scaled-dot-product", "repairs the forward pass only", repairing_the_output_leaves_nan_in_the_gradient),
    ("scaled-dot-product", "True means *may attend*", masks_have_opposite_meanings),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    torch.manual_seed(6)


@pytest.mark.parametrize(("id", "claim", "holds"), FACTS, ids=[f"{id}: {claim}" for id, claim, _ in FACTS])
def test_what_a_model_answer_claims_is_true(id: str, claim: str, holds: Callable[[], bool]) -> None:
    answers = " ".join(" ".join(question.answer.split()) for question in catalog.get_kata(id).questions)
    assert claim in answers
    assert holds()
