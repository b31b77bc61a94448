"""Hidden properties of example-kata. A docstring is the one line that a candidate reads."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.case import Case
from grader.compare import agree
from grader.diagnosis.probes import Probe
from grader.laws import answers_repeat, dtype_is_kept, inputs_stay_unmodified, law, layout_does_not_matter
from grader.strategies import Filler, batches, dtypes, half_dtypes, kinds, seeds, sizes


# BLANK: one call of your entry symbol; differentiable are the arguments that get a gradient
def make_case(x, seed):
    """example_kata(x). A module also has `init`, `parameters` and `roles`: see the layernorm kata."""
    return Case("example_kata", {"x": x}, differentiable=("x",), seed=seed)


# BLANK: your inputs; few draws, the simplest value of each first, as hypothesis shrinks towards it
@st.composite
def cases(draw, leading=batches(2), width=sizes(), kind=kinds(), dtype=dtypes()):
    """Rows of every kind in every shape of the contract."""
    seed = draw(seeds())
    fill = Filler(seed, draw(dtype), draw(kind))
    return make_case(fill(*draw(leading), draw(width)), seed)


# BLANK: your laws, at least eight required ones; a stretch one is shown and never fails a grade
@law("values", examples=25)
@given(case=cases())
def test_matches_formula(candidate, oracle, case):
    """The output is log(exp(x₁) + … + exp(x_D)) over the last dimension."""
    agree(candidate, oracle, case)


@law("shapes")
@given(case=cases(kind=kinds("integers", "normal")))
def test_any_leading_dimensions(candidate, oracle, case):
    """Input of one to three dimensions gives output without the last one."""
    agree(candidate, oracle, case)


@law("values")
@given(case=cases(leading=batches(1), width=sizes(8, smallest=2)))
def test_order_is_irrelevant(candidate, oracle, case):
    """Reordering the numbers of a row does not change its output."""
    x = case.arguments["x"]
    order = Filler(case.seed + 1, x.dtype).permutation(x.shape[-1])
    agree(candidate, oracle, case.with_arguments(x=x[..., order]))


@law("numerics")
@given(
    case=cases(leading=batches(1), width=sizes(8), kind=kinds("integers", "normal")),
    shift=st.sampled_from([1000.0, -1000.0, 10000.0]),
)
def test_large_inputs_stay_finite(candidate, oracle, case, shift):
    """Numbers as large as 10⁴, of either sign, give a finite and right output."""
    agree(candidate, oracle, case.with_arguments(x=case.arguments["x"] + shift))


@law("gradients")
@given(case=cases())
def test_input_gradient(candidate, oracle, case):
    """The gradient of the input is its softmax times the gradient of the output."""
    agree(candidate, oracle, case, gradients=True)


@law("robustness", examples=6)
@given(case=cases())
def test_input_unmodified(candidate, case):
    """The call leaves its input as it was."""
    inputs_stay_unmodified(candidate, case)


@law("robustness", examples=6)
@given(case=cases(kind=kinds("normal")))
def test_repeatable(candidate, oracle, case):
    """The same input gives the same answer, and no call changes an earlier answer."""
    answers_repeat(candidate, oracle, case, case.with_arguments(x=case.arguments["x"] * 2 + 1))


@law("robustness", examples=6)
@given(case=cases(leading=st.sampled_from([(2,), (3,), (2, 3)]), width=sizes(8, smallest=2)))
def test_non_contiguous_input(candidate, oracle, case):
    """A transposed or strided input gives the same answer and the same gradient."""
    layout_does_not_matter(candidate, oracle, case)


@law("shapes", examples=6)
@given(case=cases())
def test_keeps_dtype(candidate, case):
    """The output has the input's dtype and device, with gradients or without."""
    dtype_is_kept(candidate, case)


@law("numerics", stretch=True)
@given(case=cases(dtype=half_dtypes(), kind=kinds("integers", "normal")))
def test_half_precision(candidate, oracle, case):
    """float16 and bfloat16 work too."""
    agree(candidate, oracle, case)


# BLANK: a few fixed inputs on which the known mistakes differ from each other and from right code
def probes():
    """Inputs on which the known mistakes differ from each other."""
    fill = Filler(11, torch.float64)
    return [
        Probe(make_case(fill(2, 3), 1)),
        Probe(make_case(fill(4), 2), {"x has one dimension"}),
        Probe(make_case(fill(2, 3, 5), 3), {"x has three dimensions"}),
        Probe(make_case(fill(2, 3) + 1000, 4), {"the numbers are large"}),
        Probe(make_case(Filler(12, torch.float32)(2, 3), 5), {"the dtype is float32"}),
    ]
