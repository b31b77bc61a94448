"""Hidden properties of the LayerNorm kata. A docstring is the line that a candidate reads."""

from dataclasses import replace

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.case import Case
from grader.compare import agree, require_close
from grader.diagnosis.probes import Probe
from grader.failure import require
from grader.laws import answers_repeat, dtype_is_kept, inputs_stay_unmodified, law, layout_does_not_matter
from grader.roles import by_starting_values
from grader.strategies import Filler, batches, dtypes, half_dtypes, kinds, seeds, sizes

ROLES = by_starting_values(weight=1.0, bias=0.0)


def make_case(x, seed, *, eps=1e-5, parameters=None, fill=None):
    """LayerNorm(D, eps)(x) with a scale that is never all ones and a shift that is never all zeros."""
    D = x.shape[-1]
    if parameters is None:
        fill = fill or Filler(seed + 1, x.dtype, "integers")
        weight = fill(D)
        weight[0] = 2
        parameters = {"weight": weight, "bias": fill(D) + 0.5}
    init = {"normalized_shape": D} if eps is None else {"normalized_shape": D, "eps": eps}
    return Case("LayerNorm", {"x": x}, init, parameters, ROLES, differentiable=("x",), seed=seed)


@st.composite
def cases(draw, leading=batches(3), D=sizes(), kind=kinds(), eps=st.sampled_from([1e-5, 0.5, 1e-3]), dtype=dtypes()):
    """Rows of every kind; some are constant, and in most the features differ much more than eps."""
    seed = draw(seeds())
    fill = Filler(seed, draw(dtype), draw(kind))
    return make_case(fill(*draw(leading), draw(D)), seed, eps=draw(eps))


@law("values", examples=22)
@given(case=cases())
def test_matches_formula(candidate, oracle, case):
    """The output is weight · (x − mean) / √(variance + eps) + bias along the last dimension."""
    agree(candidate, oracle, case)


@law("values", examples=8)
@given(
    case=cases(leading=st.sampled_from([(2,), (3,), (2, 2), (2, 3), (2, 1, 3)]), D=sizes(8, smallest=2)), data=st.data()
)
def test_rows_are_independent(candidate, oracle, case, data):
    """A row's output depends on that row alone: changing the other rows does not change it."""
    x = case.arguments["x"]
    other = Filler(case.seed + 5, x.dtype)(*x.shape, scale=4.0)
    other.view(-1, x.shape[-1])[0] = x.reshape(-1, x.shape[-1])[0]
    changed = case.with_arguments(x=other)
    first, second = agree(candidate, oracle, case), candidate(changed)
    require(first.output.shape == second.output.shape, "the output's shape depends on the input's values", changed)
    row, again = (a.output.reshape(-1, x.shape[-1])[0] for a in (first, second))
    eps = torch.finfo(x.dtype).eps
    require_close(
        changed, "first row, with other rows around it,", again, row, 64 * eps * (1 + row.double().abs().max())
    )


@law("shapes", examples=2)
@given(dtype=dtypes())
def test_long_inputs(candidate, oracle, dtype):
    """Many rows and many features are treated as few are, in the gradients too: no limit, no block left out."""
    fill = Filler(5, dtype)
    for shape in ((3, 261), (150, 3)):
        case = make_case(fill(*shape), len(shape) + shape[-1])
        agree(candidate, oracle, case)
        agree(candidate, oracle, case, gradients=True)


@law("shapes", examples=8)
@given(case=cases(leading=batches(3), kind=kinds("integers", "normal")))
def test_any_leading_dimensions(candidate, oracle, case):
    """Input of one to four dimensions gives output of the same shape."""
    agree(candidate, oracle, case)


@law("numerics", examples=10)
@given(
    case=cases(
        leading=batches(1),
        D=sizes(8, smallest=2),
        kind=kinds("integers", "tiny"),
        eps=st.sampled_from([None, 1.0, 0.25, 1e-2]),
    ),
    scale=st.sampled_from([1.0, 1e-2, 0.0]),
)
def test_eps_inside_the_root(candidate, oracle, case, scale):
    """eps is added to the variance before the square root (1e-5 by default): rows of little or no spread stay right."""
    agree(candidate, oracle, case.with_arguments(x=case.arguments["x"] * scale))


@law("numerics", examples=8)
@given(
    case=cases(
        leading=st.sampled_from([(3,), (), (2, 3), (2,)]), D=sizes(smallest=2), kind=kinds("integers", "normal")
    ),
    mean=st.sampled_from([1000.0, -4000.0, 30000.0]),
)
def test_large_mean_is_safe(candidate, oracle, case, mean):
    """A row's mean that is large beside its spread does no harm, to its gradient neither: subtract first, square after."""
    x = case.arguments["x"]
    means = torch.tensor([1.0, -1.0, 0.5, -2.0, 0.0, 3.0], dtype=x.dtype)  # from row to row of another sign and size
    rows = x.reshape(-1, x.shape[-1])
    moved = (rows + mean * means[: len(rows), None]).reshape(x.shape)
    case = case.with_arguments(x=moved)
    agree(candidate, oracle, case)
    agree(candidate, oracle, case, gradients=True)


@law("gradients", examples=12)
@given(case=cases())
def test_input_gradient(candidate, oracle, case):
    """The gradient reaches the input through the mean and the variance too."""
    agree(candidate, oracle, case, gradients=True, only=("x",))


@law("gradients", examples=8)
@given(case=cases(), first_layer=st.sampled_from([True, False]))
def test_parameter_gradients(candidate, oracle, case, first_layer):
    """Scale and shift receive their gradients, also where the input requires none, as in a model's first layer."""
    case = replace(case, differentiable=() if first_layer else ("x",))
    agree(candidate, oracle, case, gradients=True, only=("weight", "bias"))


@law("robustness", examples=4)
@given(seed=seeds(), D=sizes(), dtype=dtypes())
def test_parameters_start_at_one_and_zero(candidate, oracle, seed, D, dtype):
    """The module registers a scale of ones and a shift of zeros, both trainable, of shape (D,), and no further parameter."""
    fresh = {"weight": torch.ones(D, dtype=dtype), "bias": torch.zeros(D, dtype=dtype)}
    case = make_case(Filler(seed, dtype)(2, D), seed, parameters=fresh)
    module = candidate.construct(case)
    for role, place in module.placements.items():
        require(
            place.parameter in module.trainable, f"the {role} ({place.parameter}) does not require a gradient", case
        )
    surplus = sorted(module.trainable - {place.parameter for place in module.placements.values()})
    require(not surplus, f"parameters are registered besides scale and shift: {', '.join(surplus)}", case)
    agree(candidate, oracle, case)


@law("robustness", examples=4)
@given(case=cases(leading=batches(2)))
def test_input_unmodified(candidate, case):
    """The call leaves its input as it was."""
    inputs_stay_unmodified(candidate, case)


@law("robustness", examples=3)
@given(case=cases(leading=batches(2), kind=kinds("normal")))
def test_repeatable(candidate, oracle, case):
    """The same input gives the same answer, and no call changes an earlier answer."""
    x = case.arguments["x"]
    answers_repeat(candidate, oracle, case, case.with_arguments(x=x.flip(-1) * 2 + 1))


@law("robustness", examples=5)
@given(case=cases(leading=st.sampled_from([(2,), (3,), (2, 3), (2, 2, 3)]), D=sizes(8, smallest=2)))
def test_non_contiguous_input(candidate, oracle, case):
    """A transposed or strided input gives the same answer and the same gradients."""
    layout_does_not_matter(candidate, oracle, case)


@law("shapes", examples=4)
@given(case=cases())
def test_keeps_dtype(candidate, case):
    """The output has the input's dtype and device, with gradients or without."""
    dtype_is_kept(candidate, case)


@law("numerics", stretch=True, examples=8)
@given(case=cases(dtype=half_dtypes(), kind=kinds("integers", "normal")), scale=st.sampled_from([1.0, 300.0]))
def test_half_precision(candidate, oracle, case, scale):
    """float16 and bfloat16 work too, also where the squares of the input overflow float16."""
    agree(candidate, oracle, case.with_arguments(x=case.arguments["x"] * scale))


def probes():
    """Inputs on which the known mistakes differ from each other, but not the ways to write one of them: no single feature,
    no single row."""
    fill = Filler(11, torch.float64)

    def probe(x, *traits, gradients=True, **options):
        count = ("two", "three", "four")[x.dim() - 2]
        dimensions = {f"x has {count} dimensions"} | (
            {"x does not have three dimensions"} if count != "three" else set()
        )
        case = make_case(x, len(traits) + x.shape[-1], **options)
        return Probe(case, {*traits, *dimensions}, gradients=gradients)

    return [
        probe(fill(2, 3, 5)),
        probe(fill(2, 4), eps=0.5),
        probe(fill(3, 4), eps=0.3),
        probe(fill(2, 2, 2, 3), eps=1e-3),
        probe(fill(3, 6, scale=1e-3), "the rows have almost no spread", eps=None),
        probe(fill(2, 5, scale=1e-2) + 1, eps=1.0),
        probe(fill(2, 3, 6) + 30000, "the mean is large beside the spread", gradients=False),
        probe(fill(2, 3, 5), "an earlier input had this shape"),
        probe(fill(3, 2, 4).transpose(0, 1), "x is not contiguous"),
        probe(Filler(12, torch.float32)(2, 3), "the dtype is float32"),
    ]
