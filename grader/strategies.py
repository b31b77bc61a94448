"""Hypothesis strategies for inputs: few draws a case, so that generating is quick and shrinking ends in small integers.

A tensor is drawn as a shape, a kind of contents and a seed; the simplest kind is small integers, the simplest shape the
smallest, so the smallest failing input is one that a person can compute by hand. A kata composes these in its `properties.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from hypothesis import strategies as st
from torch import Tensor

DTYPES: ContextVar[tuple[torch.dtype, ...]] = ContextVar("DTYPES", default=(torch.float32, torch.float64))

# Sizes of one dimension, from the most telling: with size 1 many mistakes hide, or show as something else.
SIZES = (2, 3, 1, 4, 5, 7, 8, 33)

# Kinds of contents, from simplest.
KINDS = ("integers", "normal", "zeros", "wide", "tiny")


@contextmanager
def grading_dtypes(dtypes: Sequence[torch.dtype]) -> Iterator[None]:
    """Restrict `dtypes()` while properties run."""
    token = DTYPES.set(tuple(dtypes))
    try:
        yield
    finally:
        DTYPES.reset(token)


@st.composite
def dtypes(draw: st.DrawFn) -> torch.dtype:
    """A required floating dtype."""
    return draw(st.sampled_from(DTYPES.get()))


def half_dtypes() -> st.SearchStrategy[torch.dtype]:
    """A stretch dtype."""
    return st.sampled_from([torch.float16, torch.bfloat16])


def sizes(largest: int = 33, *, smallest: int = 1) -> st.SearchStrategy[int]:
    """The size of one dimension."""
    return st.sampled_from([n for n in SIZES if smallest <= n <= largest])


def batches(most: int = 2, *, largest: int = 3) -> st.SearchStrategy[tuple[int, ...]]:
    """Leading dimensions: none first, then one, then two (or up to `most`), each of size up to `largest`."""
    return st.lists(st.integers(1, largest), max_size=most).map(tuple)


def gradients_wanted(names: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    """Which of the inputs require a gradient: all, or some of them."""
    several = range(len(names) - 1, 0, -1)
    return st.sampled_from([names, *(some for n in several for some in itertools.combinations(names, n))])


def seeds() -> st.SearchStrategy[int]:
    """The seed of a tensor's contents; shrinks to 0."""
    return st.integers(0, 9999)


def kinds(*allowed: str) -> st.SearchStrategy[str]:
    """A kind of contents, simplest first."""
    return st.sampled_from(allowed or KINDS)


@st.composite
def broadcastable(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a mask that broadcasts to `shape`: some of its last dimensions, two at least, some of them of size 1."""
    kept = shape[draw(st.integers(0, len(shape) - 2)) :]
    single = [draw(st.booleans()) for _ in kept[:-1]] + [draw(st.integers(0, 5)) == 5]  # all keys or none: seldom
    return tuple(1 if one else n for n, one in zip(kept, single, strict=True))


class Filler:
    """Makes tensors of one case: every call draws on from the same seeded generator, so no two are alike."""

    def __init__(self, seed: int, dtype: torch.dtype, kind: str = "normal") -> None:
        self.dtype = dtype
        self.kind = kind
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, *shape: int, kind: str | None = None, scale: float = 1.0) -> Tensor:
        """A tensor of `shape`, exactly representable in float32."""
        kind = kind or self.kind
        if kind == "integers":
            values = torch.randint(-3, 4, shape, generator=self.generator).float()
        else:
            values = torch.randn(shape, generator=self.generator)
        if kind == "zeros":  # about a third of exact zeros
            values = values * (torch.rand(shape, generator=self.generator) > 0.35)
        elif kind == "wide":
            values = values * 10 ** (torch.rand(shape, generator=self.generator) * 2 - 0.5)
        elif kind == "tiny":
            values = values * 1e-3
        return (values * scale).to(self.dtype)

    def integers(self, *shape: int, low: int = -3, high: int = 3) -> Tensor:
        """Integers from `low` to `high`, both included."""
        return torch.randint(low, high + 1, shape, generator=self.generator).to(self.dtype)

    def flags(self, *shape: int, share: float = 0.6) -> Tensor:
        """A bool tensor with about `share` of True."""
        return torch.rand(shape, generator=self.generator) < share

    def mask(self, *shape: int, share: float = 0.6) -> Tensor:
        """A bool mask whose every row (last dimension) has at least one True and, where it is wide enough, one False."""
        flags = self.flags(*shape, share=share)
        keep = torch.randint(0, shape[-1], (*shape[:-1], 1), generator=self.generator)
        flags.scatter_(-1, keep, True)
        if shape[-1] > 1:
            step = torch.randint(1, shape[-1], (*shape[:-1], 1), generator=self.generator)
            flags.scatter_(-1, (keep + step) % shape[-1], False)
        return flags

    def permutation(self, n: int) -> Tensor:
        """A permutation of 0 … n-1 that is not the identity where n > 1."""
        order = torch.randperm(n, generator=self.generator)
        return order.roll(1) if n > 1 and bool((order == torch.arange(n)).all()) else order


def scattered(tensor: Tensor) -> Tensor:
    """The same contents with other strides: every dimension reversed in memory and gaps in the last one."""
    if tensor.dim() == 0:
        return tensor
    padded = tensor.new_zeros(*tensor.shape[:-1], 2 * tensor.shape[-1])
    wide = padded.permute(*reversed(range(tensor.dim()))).contiguous().permute(*reversed(range(tensor.dim())))
    result = wide[..., ::2]
    result.copy_(tensor)
    return result
