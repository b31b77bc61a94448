"""Hidden properties of the head splitting kata. A docstring is the line that a candidate reads.

Both functions only move numbers, so every comparison of values and gradients is exact.
"""

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.case import Case
from grader.compare import agree_exactly, require_close
from grader.diagnosis.probes import Probe
from grader.failure import require
from grader.laws import (
    answers_repeat,
    dtype_is_kept,
    inputs_stay_unmodified,
    law,
    layout_does_not_matter,
    raises_value_error,
)
from grader.strategies import Filler, dtypes, half_dtypes, seeds, sizes

HEADS = st.sampled_from((2, 1, 3, 1, 4, 5, 1, 7, 8))  # a single head often: it is a case of its own
INDIVISIBLE = ((3, 2), (1, 2), (2, 3), (4, 3), (5, 4), (6, 4), (8, 16), (33, 32))  # features, heads


def fill(shape, contents, dtype, seed):
    """Counted numbers, no two alike (as thirds float64 has digits that float32 would lose), or random ones."""
    if contents in ("counted", "thirds"):
        step = 1 if contents == "counted" else 1 / 3
        return (torch.arange(torch.Size(shape).numel(), dtype=torch.float64) * step).to(dtype).reshape(shape)
    return Filler(seed, dtype, contents)(*shape)


@st.composite
def calls(draw, entry, T=sizes(), H=HEADS, d=sizes(8), dtype=dtypes(), B=st.integers(1, 3)):
    """split_heads(x, H) or merge_heads(x): from one head to a head for every feature."""
    seed, B, T, H, d = draw(seeds()), draw(B), draw(T), draw(H), draw(d)
    shape = (B, T, H * d) if entry == "split_heads" else (B, H, T, d)
    contents = draw(st.sampled_from(["counted", "thirds", "zeros", "wide", "tiny"]))
    arguments = {"x": fill(shape, contents, draw(dtype), seed)}
    if entry == "split_heads":
        arguments["num_heads"] = H
    return Case(entry, arguments, differentiable=("x",), seed=seed)


def both(**limits):
    """A call of each of the two functions."""
    return st.tuples(calls("split_heads", **limits), calls("merge_heads", **limits))


def swapped_in_memory(x):
    """The same contents with the second and third dimension swapped in memory, as an attention layer meets them."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


@law("values", examples=25)
@given(case=calls("split_heads"))
def test_split_places_features(candidate, oracle, case):
    """split_heads puts feature h·d + i of token t at place [h, t, i]: a head holds neighbouring features of one sequence."""
    agree_exactly(candidate, oracle, case)


@law("values", examples=25)
@given(case=calls("merge_heads"))
def test_merge_places_features(candidate, oracle, case):
    """merge_heads puts entry [h, t, i] back at feature h·d + i of token t."""
    agree_exactly(candidate, oracle, case)


@law("values")
@given(case=calls("split_heads"), natural=st.booleans())
def test_merge_inverts_split(candidate, case, natural):
    """merge_heads(split_heads(x, num_heads)) gives x back, number for number."""
    x = case.arguments["x"]
    heads = candidate(case).output
    require(heads.dim() == 4, f"split_heads gives {heads.dim()} dimensions, which merge_heads does not take", case)
    merging = Case("merge_heads", {"heads": swapped_in_memory(heads) if natural else heads}, seed=case.seed)
    merged = candidate(merging).output
    same_shape = merged.shape == x.shape
    require(same_shape, f"the round trip gives shape {tuple(merged.shape)}, expected {tuple(x.shape)}", case)
    require_close(case, "round trip", merged, x, 0.0)


@law("robustness", examples=15)
@given(pair=st.sampled_from(INDIVISIBLE), B=st.integers(1, 3), T=sizes(8), seed=seeds(), dtype=dtypes())
def test_indivisible_raises_value_error(candidate, pair, B, T, seed, dtype):
    """split_heads raises ValueError where the features do not divide into num_heads equal heads."""
    D, H = pair
    case = Case("split_heads", {"x": fill((B, T, D), "counted", dtype, seed), "num_heads": H})
    raises_value_error(candidate, case, f"{D} features do not divide into {H} heads")


@law("gradients")
@given(case=calls("split_heads"))
def test_split_gradient(candidate, oracle, case):
    """The gradient of split_heads carries each number back to the feature it came from."""
    agree_exactly(candidate, oracle, case, gradients=True)


@law("gradients")
@given(case=calls("merge_heads"))
def test_merge_gradient(candidate, oracle, case):
    """The gradient of merge_heads carries each number back to the head it came from."""
    agree_exactly(candidate, oracle, case, gradients=True)


@law("robustness", examples=4)
@given(pair=both(T=sizes(8)))
def test_input_unmodified(candidate, pair):
    """The call leaves its input as it was: contents, shape and strides."""
    for case in pair:
        inputs_stay_unmodified(candidate, case)


@law("robustness", examples=3)
@given(pair=both(T=sizes(8)))
def test_repeatable(candidate, oracle, pair):
    """The same input gives the same answer, and no call changes an earlier answer."""
    for case in pair:
        answers_repeat(candidate, oracle, case, case.with_arguments(x=case.arguments["x"] * 2 + 1))


@law("robustness", examples=6)
@given(pair=both(T=sizes(8, smallest=2), H=sizes(5), d=sizes(5), B=st.integers(2, 3)))
def test_non_contiguous_input(candidate, oracle, pair):
    """A transposed or strided input gives the same answer and the same gradient."""
    for case in pair:
        layout_does_not_matter(candidate, oracle, case)
        agree_exactly(candidate, oracle, case.with_arguments(x=swapped_in_memory(case.arguments["x"])))


@law("shapes", examples=3)
@given(pair=both())
def test_keeps_dtype(candidate, pair):
    """The output has the input's dtype and device, with gradients or without."""
    for case in pair:
        dtype_is_kept(candidate, case)


@law("robustness", stretch=True, examples=6)
@given(case=calls("split_heads"), natural=st.booleans())
def test_split_is_a_view(candidate, case, natural):
    """split_heads makes no copy: its result is a view of x."""
    x = case.arguments["x"]
    answer = candidate(case.with_arguments(x=swapped_in_memory(x) if natural else x))
    require(answer.shares_storage, "the result of split_heads has memory of its own", case)


@law("numerics", stretch=True, examples=8)
@given(pair=both(dtype=half_dtypes()))
def test_half_precision(candidate, oracle, pair):
    """float16 and bfloat16 work too."""
    for case in pair:
        agree_exactly(candidate, oracle, case)


def probes():
    """Inputs on which the known mistakes differ from each other: batch, heads, positions and widths of unequal sizes."""

    def split(B, T, H, d, *traits, dtype=torch.float64, natural=False):
        x = Filler(B + T, dtype)(B, T, H * d)
        x = x.transpose(0, 1).contiguous().transpose(0, 1) if natural else x
        return Probe(Case("split_heads", {"x": x, "num_heads": H}, differentiable=("x",), seed=T), frozenset(traits))

    def merge(B, T, H, d, *traits, dtype=torch.float64, natural=False):
        x = Filler(B + T, dtype)(B, H, T, d)
        x = swapped_in_memory(x) if natural else x
        return Probe(Case("merge_heads", {"x": x}, differentiable=("x",), seed=T), frozenset(traits))

    def indivisible(D, H):
        x = Filler(D, torch.float64)(2, 3, D)
        return Probe(Case("split_heads", {"x": x, "num_heads": H}), {"num_heads does not divide the features"})

    several, lone = "there is more than one batch element", "there is one batch element"
    one, odd = "there is one head", "a head has an odd width"
    away, single = "x is not contiguous", "the dtype is float32"
    return [
        split(2, 5, 3, 4, several),
        split(1, 4, 2, 3, lone, odd),
        split(3, 4, 1, 5, several, one, odd),
        split(2, 3, 4, 2, several, away, natural=True),
        split(1, 3, 2, 4, lone, single, dtype=torch.float32),
        indivisible(10, 4),
        indivisible(9, 6),
        merge(2, 5, 3, 4, several),
        merge(1, 4, 2, 3, lone, odd),
        merge(3, 4, 1, 5, several, one, odd),
        merge(2, 3, 4, 2, several, away, natural=True),
        merge(1, 3, 2, 4, lone, single, dtype=torch.float32),
    ]
