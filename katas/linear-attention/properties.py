"""Hidden properties of the linear attention kata. A docstring is the line that a candidate reads."""

from dataclasses import replace
from random import Random

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.case import Case
from grader.compare import agree
from grader.diagnosis.probes import Probe
from grader.laws import (
    agree_in_every_mode,
    answers_repeat,
    dtype_is_kept,
    inputs_stay_unmodified,
    law,
    layout_does_not_matter,
)
from grader.strategies import Filler, batches, dtypes, gradients_wanted, half_dtypes, kinds, seeds, sizes
from grader.timing.complexity import BOTH, FORWARD, NO_GRAD, TRACK, WORK, require_growth

TENSORS = ("query", "key", "value")
WANTED = gradients_wanted(TENSORS)
SOME = st.sampled_from([(2,), (2, 3), (3, 2), (1, 2), ()])  # batch dimensions, where a law is about them
MODEST = ("integers", "normal", "zeros", "tiny")  # far below ±50, where gradients must be finite

HOPELESS = 1.9  # growth of the work from N = 32 to 64 in loops inside loops, which would take too long at 512


def make_case(query, key, value, seed, *, eps=None):
    """linear_attention(query, key, value), with eps where it is not the default."""
    arguments = {"query": query, "key": key, "value": value} | ({} if eps is None else {"eps": eps})
    return Case("linear_attention", arguments, differentiable=TENSORS, seed=seed)


@st.composite
def cases(draw, batch=batches(), L=sizes(), S=sizes(), E=sizes(8), Ev=sizes(8), kind=kinds(*MODEST), dtype=dtypes()):
    """Query, key and value of any lengths and widths, with the same batch dimensions."""
    seed, batch, L, S, E, Ev = draw(seeds()), draw(batch), draw(L), draw(S), draw(E), draw(Ev)
    fill = Filler(seed, draw(dtype), draw(kind))
    return make_case(fill(*batch, L, E), fill(*batch, S, E), fill(*batch, S, Ev), seed)


@law("values", examples=20)
@given(case=cases(kind=kinds()))
def test_matches_formula(candidate, oracle, case):
    """Row i of the output is φ(qᵢ)ᵀ Σⱼ φ(kⱼ)vⱼᵀ / (φ(qᵢ)ᵀ Σⱼ φ(kⱼ) + eps) with φ(x) = elu(x) + 1, over all keys."""
    agree(candidate, oracle, case)


@law("shapes", examples=8)
@given(case=cases(batch=SOME, L=sizes(5), S=sizes(5)))
def test_any_batch_dimensions(candidate, oracle, case):
    """Inputs of two, three or four dimensions work, and no batch element or head looks at another."""
    agree(candidate, oracle, case)


@law("shapes")
@given(
    case=cases(batch=batches(1), L=sizes(5), S=sizes(5), E=sizes(33), Ev=sizes(33)),
    long=st.sampled_from([6, 130, 500]),
)
def test_lengths_and_widths_may_differ(candidate, oracle, case, long):
    """L and S may differ, and so may E and Ev, also where one is many times the other."""
    query, key, value = (case.arguments[name] for name in TENSORS)
    fill = Filler(case.seed + 3, query.dtype, "integers")
    many = [fill(*tensor.shape[:-2], long, tensor.shape[-1]) for tensor in (query, key, value)]
    agree(candidate, oracle, make_case(query, many[1], many[2], case.seed))
    agree(candidate, oracle, make_case(many[0], key, value, case.seed))


@law("shapes", examples=2)
@given(dtype=dtypes())
def test_long_inputs(candidate, oracle, dtype):
    """Many queries and many keys are treated as few are, in the gradients too: no limit, no block left out."""
    fill = Filler(5, dtype)
    for L, S in ((3, 1030), (150, 5)):
        case = make_case(fill(L, 3), fill(S, 3), fill(S, 2), L)
        agree(candidate, oracle, case)
        agree(candidate, oracle, case, gradients=True)


@law("values", examples=8)
@given(case=cases(L=sizes(8), S=sizes(smallest=2)))
def test_key_order_is_irrelevant(candidate, oracle, case):
    """Permuting the keys together with their values changes nothing: the attention is not causal."""
    order = Filler(case.seed + 5, case.dtype).permutation(case.arguments["key"].shape[-2])
    shuffled = {name: case.arguments[name][..., order, :] for name in ("key", "value")}
    agree(candidate, oracle, case)
    agree(candidate, oracle, case.with_arguments(**shuffled))


@law("numerics")
@given(
    case=cases(L=sizes(5), S=sizes(8), kind=kinds("integers", "normal")),
    eps=st.sampled_from([0.5, None, 1e-3, 4.0]),
    level=st.sampled_from([0.0, -4.0, -7.0]),
)
def test_eps_keeps_its_place(candidate, oracle, case, eps, level):
    """eps (1e-6 unless given) is added once to the denominator, where it counts when the features are small."""
    query, key, value = (case.arguments[name] for name in TENSORS)
    agree(candidate, oracle, make_case(query + level, key + level, value, case.seed, eps=eps))


@law("numerics")
@given(
    case=cases(L=sizes(8), S=sizes(8), kind=kinds("integers", "normal")),
    size=st.sampled_from([200.0, 50.0, 100.0]),
    which=st.sampled_from([TENSORS[:2], TENSORS[:1], TENSORS[1:2], TENSORS]),
)
def test_large_inputs_stay_finite(candidate, oracle, case, size, which):
    """Inputs up to ±200 give finite, right output, and inputs up to ±50 finite, right gradients."""
    large = {name: (case.arguments[name] * (size / 3)).clamp(-size, size) for name in which}
    case = case.with_arguments(**large)
    agree(candidate, oracle, case)
    if size <= 50:
        agree(candidate, oracle, case, gradients=True)


@law("gradients", examples=10)
@given(case=cases(L=sizes(8), S=sizes(8), kind=kinds("normal")), which=st.sampled_from(["query", "key"]))
def test_slope_at_zero(candidate, oracle, case, which):
    """At exactly 0 the slope of φ is 1, from both sides."""
    tensor = case.arguments[which]
    sparse = Filler(case.seed + 3, case.dtype).integers(*tensor.shape, low=-1, high=1)
    sparse[..., 0, 0] = 0
    agree(candidate, oracle, case.with_arguments(**{which: sparse}), gradients=True, only=(which,))


@law("gradients")
@given(case=cases(), wanted=WANTED)
def test_input_gradients(candidate, oracle, case, wanted):
    """Query, key and value receive their gradients, whichever of them require one, through the denominator too."""
    agree(candidate, oracle, replace(case, differentiable=wanted), gradients=True)


@law("robustness", examples=1)
@given(seed=seeds(), dtype=dtypes())
def test_linear_work_and_memory(candidate, seed, dtype):
    """Work, the largest tensor and memory grow linearly with the lengths, not like their product, in the backward pass too."""

    def make(N):
        fill = Filler(seed, dtype)
        return make_case(fill(N, 4), fill(N, 4), fill(N, 4), seed)

    def make_batch(N):
        fill = Filler(seed, dtype)
        return make_case(fill(2, N, 4), fill(2, N + 3, 4), fill(2, N + 3, 4), seed)

    def make_shared(N):
        x = Filler(seed, dtype)(N, 4)
        return make_case(x, x, x, seed)

    rng = Random(seed)
    batch, E, Ev = rng.choice([(), (1,), (1, 2)]), rng.randint(17, 80), rng.randint(17, 80)

    def make_wide(N):
        fill = Filler(seed, dtype)
        return make_case(fill(*batch, N, E), fill(*batch, N, E), fill(*batch, N, Ev), seed)

    # First where loops inside loops end in time; and the backward pass of a loop takes N² by autograd's doing.
    require_growth(candidate, make, (32, 64), [FORWARD], what=[WORK], limit=HOPELESS)
    require_growth(candidate, make, (256, 512), [FORWARD])
    require_growth(candidate, make, (64, 128), [BOTH])
    # A short cut that is taken in some situations only is quadratic there.
    require_growth(candidate, make, (256, 512), [NO_GRAD])
    require_growth(candidate, make_batch, (256, 512), [TRACK])
    require_growth(candidate, make_shared, (256, 512), [FORWARD])
    require_growth(candidate, make_wide, (256, 512), [FORWARD])


@law("robustness", examples=4)
@given(case=cases(L=sizes(8), S=sizes(8)))
def test_input_unmodified(candidate, case):
    """The call leaves query, key and value as they were."""
    inputs_stay_unmodified(candidate, case)


@law("robustness", examples=3)
@given(case=cases(L=sizes(8), S=sizes(8), kind=kinds("normal")))
def test_repeatable(candidate, oracle, case):
    """The same input gives the same answer, and no call changes an earlier answer."""
    other = {name: tensor.flip(-1) * 2 + 1 for name, tensor in case.tensors.items()}
    answers_repeat(candidate, oracle, case, case.with_arguments(**other))


@law("robustness", examples=10)
@given(
    case=cases(
        batch=st.sampled_from([(2, 3), (3, 2), (2,), ()]),
        L=sizes(8, smallest=2),
        S=sizes(8, smallest=2),
        E=sizes(8, smallest=2),
        Ev=sizes(8, smallest=2),
        kind=kinds("normal"),
    )
)
def test_non_contiguous_input(candidate, oracle, case):
    """Transposed or strided inputs give the same output and gradients."""
    layout_does_not_matter(candidate, oracle, case)


@law("robustness", examples=6)
@given(case=cases(L=sizes(8), E=sizes(8)), shared=st.sampled_from(["all", "key is value", "query is key"]))
def test_shared_input(candidate, oracle, case, shared):
    """One tensor may be passed two or three times, as in linear_attention(x, x, x)."""
    x = case.arguments["query"]
    if shared == "all":
        case = make_case(x, x, x, case.seed)
    elif shared == "key is value":
        case = make_case(x, case.arguments["key"], case.arguments["key"], case.seed)
    else:
        fill = Filler(case.seed + 3, x.dtype)
        case = make_case(x, x, fill(*x.shape[:-1], 3), case.seed)
    agree_in_every_mode(candidate, oracle, case)
    agree(candidate, oracle, case, gradients=True)


@law("shapes", examples=4)
@given(case=cases())
def test_keeps_dtype(candidate, case):
    """The output has the input's dtype and device, with gradients or without."""
    dtype_is_kept(candidate, case)


@law("numerics", stretch=True)
@given(case=cases(L=sizes(8), S=sizes(8), kind=kinds("integers", "normal"), dtype=half_dtypes()))
def test_half_precision(candidate, oracle, case):
    """float16 and bfloat16 work too."""
    agree(candidate, oracle, case)


def probes():
    """Inputs on which the known mistakes differ from each other, but not the ways to write one of them: unequal sizes, inputs
    of either sign, an eps that counts, and one pair of lengths to see the growth."""
    fill = Filler(41, torch.float64)

    def probe(query, key, value, *traits, eps=None, **options):
        L, S = query.shape[-2], key.shape[-2]
        traits = {
            *traits,
            "there are as many queries as keys" if L == S else "there are more or fewer queries than keys",
        }
        traits.add("there is a batch dimension" if query.dim() > 2 else "there is no batch dimension")
        traits |= {"there are two batch dimensions"} if query.dim() > 3 else set()
        traits |= {"the value is as wide as the key"} if value.shape[-1] == key.shape[-1] else set()
        traits |= {"the number of keys is odd"} if S % 2 else set()
        traits |= {"eps is given"} if eps is not None else set()
        return Probe(make_case(query, key, value, len(traits), eps=eps), frozenset(traits), **options)

    def sized(*sizes, fill=fill, change=lambda x: x, traits=(), **options):
        *batch, L, S, E, Ev = sizes
        return probe(change(fill(*batch, L, E)), change(fill(*batch, S, E)), fill(*batch, S, Ev), *traits, **options)

    x = fill(2, 4, 3)
    lengths = [make_case(fill(N, 4), fill(N, 4), fill(N, 4), 1) for N in (64, 128)]
    return [
        sized(2, 3, 4, 5, 3, 2),
        sized(4, 4, 5, 3),
        sized(2, 3, 5, 4, 6, eps=0.5),
        sized(2, 3, 4, 3, 4, 2),
        sized(2, 3, 4, 4, 3),
        sized(3, 3, 4, 2, 3, change=lambda x: x - 4, eps=0.3, traits=["the features are small"]),
        sized(3, 6, 4, 2, change=lambda x: x.abs() + 0.1, traits=["query and key are positive"]),
        sized(2, 3, 5, 4, 2, change=lambda x: -x.abs() - 0.1, traits=["query and key are negative"]),
        sized(4, 3, 3, 5, change=lambda x: x * (x > -0.5), traits=["some numbers are exactly zero"]),
        sized(4, 4, 5, 3, traits=["an earlier call had inputs of these shapes"]),
        probe(fill(3, 2, 4, 3).transpose(0, 1), fill(2, 3, 3, 5).mT, fill(2, 3, 5, 2), "an input is not contiguous"),
        probe(x, x, x, "query, key and value are one tensor"),
        sized(2, 3, 5, 4, 2, fill=Filler(42, torch.float32), traits=["the dtype is float32"]),
        sized(
            *(3, 4, 3, 2),
            fill=Filler(43, torch.float32),
            change=lambda x: x.clamp(-2, 2) * 100,
            traits=["the dtype is float32", "inputs are large"],
            gradients=False,
        ),
        Probe(lengths[0], {"the sequence is long"}, gradients=False, larger=lengths[1]),
    ]
