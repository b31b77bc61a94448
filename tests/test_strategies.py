"""Inputs vary as the contract says, are exactly representable, and masks never hide a whole row."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.strategies import KINDS, SIZES, Filler, batches, dtypes, grading_dtypes, scattered, sizes

SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)


@given(SHAPES, st.sampled_from(KINDS), st.integers(0, 99))
def test_the_same_seed_gives_the_same_tensor_in_every_dtype(shape, kind, seed):
    one, two = (Filler(seed, dtype, kind)(*shape) for dtype in (torch.float32, torch.float64))
    assert torch.equal(one.double(), two)


def test_two_tensors_of_one_case_differ():
    fill = Filler(0, torch.float32)
    assert not torch.equal(fill(2, 3), fill(2, 3))


@given(SHAPES, st.integers(0, 99))
def test_a_mask_shows_at_least_one_key_in_every_row_and_hides_one_where_it_can(shape, seed):
    mask = Filler(seed, torch.float32).mask(*shape)
    assert mask.shape == shape
    assert mask.any(-1).all()
    if shape[-1] > 1:
        assert not mask.all(-1).any()


@given(st.integers(1, 9), st.integers(0, 99))
def test_a_permutation_moves_something(n, seed):
    order = Filler(seed, torch.float32).permutation(n)
    assert sorted(order.tolist()) == list(range(n))
    assert n == 1 or order.tolist() != list(range(n))


@given(SHAPES, st.sampled_from([torch.float32, torch.bool]))
def test_scattering_keeps_contents_and_loses_contiguity(shape, dtype):
    tensor = torch.randn(shape).to(dtype)
    result = scattered(tensor)
    assert torch.equal(result, tensor)
    assert tensor.shape[-1] == 1 or not result.is_contiguous()


def test_sizes_cover_the_contract():
    assert {1, 2, 3} <= set(SIZES)
    assert max(SIZES) > 32
    assert any(n % 2 and n % 3 for n in SIZES if n > 3)


@given(sizes(5, smallest=2))
def test_sizes_keep_to_their_bounds(n):
    assert 2 <= n <= 5


@given(batches())
def test_batches_have_none_to_two_dimensions(leading):
    assert len(leading) <= 2


def test_dtypes_are_restricted_while_grading():
    with grading_dtypes([torch.float64]):
        check_only_float64()


@given(dtypes())
def check_only_float64(dtype):
    assert dtype is torch.float64
