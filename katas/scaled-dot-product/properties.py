"""Hidden properties of the scaled dot-product attention kata. A docstring is the line that a candidate reads."""

import math
from dataclasses import replace

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
from grader.strategies import (
    Filler,
    batches,
    broadcastable,
    dtypes,
    gradients_wanted,
    half_dtypes,
    kinds,
    seeds,
    sizes,
)

INPUTS = ("query", "key", "value")
WANTED = gradients_wanted(INPUTS)
LENGTHS = st.sampled_from([1, 2, 3, 5, 8, 33, 65])
NO_MASK = st.just(None)
SHARES = st.sampled_from([0.6, 0.2, 0.05, 0.9])  # of keys that a query may attend to; at least one always


def make_case(query, key, value, seed, mask=None):
    """The call; without a mask the last argument is left out or given as None, by turns."""
    arguments = {"query": query, "key": key, "value": value}
    if mask is not None or seed // 2 % 2:
        arguments["attn_mask"] = mask
    return Case("scaled_dot_product_attention", arguments, differentiable=INPUTS, seed=seed)


@st.composite
def cases(
    draw,
    batch=batches(),
    L=sizes(),
    S=sizes(),
    E=sizes(),
    Ev=sizes(),
    kind=kinds(),
    share=NO_MASK,
    broadcast=st.just(False),
    dtype=dtypes(),
):
    """Query, key and value of unequal sizes; with `share` a mask, of the scores' shape unless `broadcast`."""
    seed = draw(seeds())
    fill = Filler(seed, draw(dtype), draw(kind))
    batch, L, S, E, Ev, share = draw(batch), draw(L), draw(S), draw(E), draw(Ev), draw(share)
    mask = None
    if share is not None:
        shape = (*batch, L, S)
        mask = fill.mask(*(draw(broadcastable(shape)) if draw(broadcast) else shape), share=share)
    return make_case(fill(*batch, L, E), fill(*batch, S, E), fill(*batch, S, Ev), seed, mask)


def highest_score(case):
    query, key = case.arguments["query"].double(), case.arguments["key"].double()
    return float((query @ key.mT).abs().max()) / math.sqrt(query.shape[-1])


@law("values", examples=20)
@given(case=cases(L=LENGTHS, S=LENGTHS))
def test_matches_formula(candidate, oracle, case):
    """The output is softmax(query · keyᵀ / √E) · value, with the softmax over the keys."""
    agree(candidate, oracle, case)


@law("shapes", examples=2)
@given(dtype=dtypes())
def test_long_inputs(candidate, oracle, dtype):
    """Many queries and many keys are treated as few are, with a mask and in the gradients too: no block is left out."""
    fill = Filler(5, dtype)
    agree(candidate, oracle, make_case(fill(130, 3), fill(67, 3), fill(67, 2), 1))
    for L, S in ((3, 261), (150, 5)):
        case = make_case(fill(L, 3), fill(S, 3), fill(S, 2), L)
        agree(candidate, oracle, case, gradients=True)
        agree(candidate, oracle, case.with_arguments(attn_mask=fill.mask(1, S)), gradients=True)
        agree(candidate, oracle, case.with_arguments(attn_mask=torch.ones(L, 1, dtype=torch.bool)))


@law("shapes", examples=8)
@given(case=cases(batch=batches(1), kind=kinds("integers", "normal")), wider=st.booleans())
def test_value_width_may_differ(candidate, oracle, case, wider):
    """Value may be wider or narrower than query and key: the output has its width, the scale does not."""
    value = case.arguments["value"]
    E, Ev = case.arguments["query"].shape[-1], value.shape[-1]
    if Ev == E:
        value = value.repeat_interleave(2, -1) if wider or Ev == 1 else value[..., 1:].clone()
    agree(candidate, oracle, case.with_arguments(value=value))


@law("shapes", examples=5)
@given(
    seed=seeds(),
    sizes=st.tuples(sizes(8), sizes(8), sizes(8), sizes(8)),
    dtype=dtypes(),
    share=st.sampled_from([None, 0.6]),
)
def test_any_batch_dimensions(candidate, oracle, seed, sizes, dtype, share):
    """There may be no batch dimension, one or two; every batch element attends to its own keys alone."""
    L, S, E, Ev = sizes
    for batch in [(), (1,), (3,), (2, 1), (2, 3)]:
        fill = Filler(seed, dtype, "integers")
        mask = None if share is None else fill.mask(*batch, L, S, share=share)
        agree(candidate, oracle, make_case(fill(*batch, L, E), fill(*batch, S, E), fill(*batch, S, Ev), seed, mask))


@law("values", examples=10)
@given(
    case=cases(S=sizes(smallest=2), kind=kinds("integers", "zeros", "normal", "wide"), share=SHARES),
    two_dimensions=st.booleans(),
)
def test_mask_selects_keys(candidate, oracle, case, two_dimensions):
    """A query attends to the keys where the mask is True and to no other; another mask gives another answer."""
    mask = case.arguments["attn_mask"]
    if two_dimensions:
        mask = mask.reshape(-1, *mask.shape[-2:])[0].clone()
    agree(candidate, oracle, case.with_arguments(attn_mask=mask))
    agree(candidate, oracle, case.with_arguments(attn_mask=mask.roll(1, -1)))


@st.composite
def padded_cases(draw):
    """Some keys are hidden from all queries and hold garbage: in the key, so that its score is far above or below the visible
    ones, and in the value. Visible scores are of ordinary size, or about -1e4 throughout."""
    case = draw(cases(S=sizes(smallest=2), kind=kinds("integers", "normal", "zeros"), share=SHARES))
    size, level = draw(st.sampled_from([1e12, 100.0])), draw(st.sampled_from([0.0, 9990.0]))
    query, key, value, mask = (case.arguments[name].clone() for name in (*INPUTS, "attn_mask"))
    fill = Filler(case.seed + 1, query.dtype, "integers")
    *batch, S, E = key.shape
    if level:
        query[..., 0] = math.sqrt(level * math.sqrt(E))
        key[..., 0] = -math.sqrt(level * math.sqrt(E))
    hidden = ~fill.mask(*batch, S)
    mask = mask & ~hidden.unsqueeze(-2)
    mask |= ~mask.any(-1, keepdim=True) & ~hidden.unsqueeze(-2)
    first = query[..., :1, :]
    direction = first / (1 + first.square().sum(-1, keepdim=True) / math.sqrt(E))
    key = torch.where(hidden.unsqueeze(-1), fill(*batch, S, 1, kind="integers") * size / 3 * direction, key)
    value = torch.where(hidden.unsqueeze(-1), fill(*value.shape) * size, value)
    return case.with_arguments(query=query, key=key, value=value, attn_mask=mask)


@law("numerics", examples=12)
@given(case=padded_cases())
def test_masked_key_has_no_influence(candidate, oracle, case):
    """A masked key changes nothing, neither output nor gradient, whatever finite numbers stand in its key and value."""
    agree(candidate, oracle, case)
    agree(candidate, oracle, case, gradients=True)


@law("shapes", examples=15)
@given(
    case=cases(S=sizes(smallest=2), kind=kinds("integers", "normal"), share=SHARES, broadcast=st.just(True)),
    n=st.sampled_from([2, None, None, 3]),
)
def test_mask_broadcasts(candidate, oracle, case, n):
    """The mask may have fewer dimensions than the scores, down to two, and dimensions of size 1."""
    agree(candidate, oracle, case)
    if n is not None:  # sizes that tell nothing of what a mask's dimensions mean: only their place does
        fill = Filler(case.seed, case.dtype, "integers")
        for mask in (fill.mask(n, 4, 5), fill.mask(n, 5)):
            L = mask.shape[-2]
            agree(candidate, oracle, make_case(fill(n, n, L, 3), fill(n, n, 5, 3), fill(n, n, 5, 2), case.seed, mask))


@law("numerics", examples=12)
@given(
    case=cases(kind=kinds("integers", "normal"), share=st.sampled_from([None, None, 0.6])),
    size=st.sampled_from([100.0, 1000.0, 9900.0]),
    apart=st.booleans(),
)
def test_large_scores_stay_finite(candidate, oracle, case, size, apart):
    """Scores up to 1e4 in size, above or below zero, give finite and right answers and gradients."""
    query, key = case.arguments["query"].clone(), case.arguments["key"].clone()
    if apart:  # the scores of one query lie far from each other
        query = query * (size / max(highest_score(case), 1.0))
    else:  # the scores of one query lie near each other, and far from zero and from the next query's
        query[..., 0] = (
            Filler(case.seed + 1, query.dtype).integers(*query.shape[:-1], low=-1, high=1)
            * size
            * math.sqrt(query.shape[-1])
        )
        key[..., 0] = 1
    large = case.with_arguments(query=query, key=key)
    agree(candidate, oracle, large)
    agree(candidate, oracle, large, gradients=True)


@law("values", examples=6)
@given(case=cases(S=sizes(smallest=2), kind=kinds("integers", "normal"), share=st.sampled_from([None, 0.6])))
def test_key_order_is_irrelevant(candidate, oracle, case):
    """Keys in another order, with their values and mask columns, give the same answer: nothing depends on position."""
    order = Filler(case.seed + 1, torch.float64).permutation(case.arguments["key"].shape[-2])
    changes = {name: case.arguments[name][..., order, :] for name in ("key", "value")}
    if case.arguments.get("attn_mask") is not None:
        changes["attn_mask"] = case.arguments["attn_mask"][..., order]
    agree(candidate, oracle, case)
    agree(candidate, oracle, case.with_arguments(**changes))


@law("gradients", examples=14)
@given(case=cases(), wanted=WANTED)
def test_input_gradients(candidate, oracle, case, wanted):
    """Query, key and value receive their gradients, whichever of them require one."""
    agree(candidate, oracle, replace(case, differentiable=wanted), gradients=True)


@law("gradients", examples=12)
@given(case=cases(S=sizes(smallest=2), share=SHARES, broadcast=st.booleans()), wanted=WANTED)
def test_gradients_with_mask(candidate, oracle, case, wanted):
    """With a mask the gradients are right too, and a key that no query sees receives none."""
    agree(candidate, oracle, replace(case, differentiable=wanted), gradients=True)


@law("robustness", examples=4)
@given(case=cases(share=SHARES))
def test_input_unmodified(candidate, case):
    """The call leaves query, key, value and mask as they were."""
    mask = case.arguments["attn_mask"]
    for given_mask in (None, mask, mask.reshape(-1, *mask.shape[-2:])[0].clone()):
        inputs_stay_unmodified(candidate, case.with_arguments(attn_mask=given_mask))


@law("robustness", examples=3)
@given(
    case=cases(S=sizes(smallest=2), kind=kinds("normal"), share=st.just(0.6)),
    masks=st.sampled_from(["first", "both", "none"]),
)
def test_repeatable(candidate, oracle, case, masks):
    """The same input gives the same answer, and no call changes an earlier answer or a later one."""
    mask = case.arguments["attn_mask"]
    first = case.with_arguments(attn_mask=None if masks == "none" else mask)
    changes = {name: case.arguments[name].flip(-2) * 2 + 1 for name in INPUTS}
    second = case.with_arguments(**changes, attn_mask=mask.roll(1, -1) if masks == "both" else None)
    answers_repeat(candidate, oracle, first, second)


SEVERAL = sizes(8, smallest=2)


@law("robustness", examples=5)
@given(
    case=cases(
        batch=st.sampled_from([(2,), (3,), (2, 2), (2, 3)]),
        L=SEVERAL,
        S=SEVERAL,
        E=SEVERAL,
        Ev=SEVERAL,
        share=st.sampled_from([None, 0.6]),
    )
)
def test_non_contiguous_input(candidate, oracle, case):
    """Transposed or strided inputs give the same answer and the same gradients."""
    layout_does_not_matter(candidate, oracle, case)


@law("robustness", examples=4)
@given(case=cases(S=sizes(smallest=2), kind=kinds("integers", "normal"), share=st.sampled_from([None, 0.6])))
def test_shared_input(candidate, oracle, case):
    """One tensor may come as query, key and value, or as two of them; its gradient is the sum of theirs."""
    key, mask = case.arguments["key"], case.arguments.get("attn_mask")
    memory = case.with_arguments(value=key)
    square = case.with_arguments(query=key)
    if mask is not None:
        S = key.shape[-2]
        square = square.with_arguments(attn_mask=Filler(case.seed + 1, key.dtype).mask(*mask.shape[:-2], S, S))
    alone = square.with_arguments(value=key)
    for shared in (alone, memory, square):
        agree_in_every_mode(candidate, oracle, shared)
    agree(candidate, oracle, alone, gradients=True)
    agree(candidate, oracle, memory, gradients=True)


@law("shapes", examples=4)
@given(case=cases(share=st.sampled_from([None, 0.6])))
def test_keeps_dtype(candidate, case):
    """The output has the inputs' dtype and device, with gradients or without."""
    dtype_is_kept(candidate, case)


@law("numerics", stretch=True, examples=8)
@given(case=cases(kind=kinds("integers", "normal"), share=SHARES))
def test_fully_masked_query(candidate, oracle, case):
    """A query that may attend to no key gives zeros and passes zero gradient, not NaN."""
    mask = case.arguments["attn_mask"].clone()
    mask[..., 0, :] = False
    masked = case.with_arguments(attn_mask=mask)
    agree(candidate, oracle, masked)
    agree(candidate, oracle, masked, gradients=True)


@law("numerics", stretch=True, examples=8)
@given(case=cases(dtype=half_dtypes(), kind=kinds("integers", "normal"), share=st.sampled_from([None, 0.6])))
def test_half_precision(candidate, oracle, case):
    """float16 and bfloat16 work too, with a mask and without."""
    agree(candidate, oracle, case)


def mixed_mask(*shape):
    """Visible and hidden keys alternate along every dimension, so none of its lines is of one kind; query 0 sees key 0."""
    mask = sum(torch.meshgrid(*(torch.arange(n) for n in shape), indexing="ij")) % 2 == 0
    mask[..., 0, 0] = True
    return mask


def probes():
    """Inputs on which the known mistakes differ from each other, but not the ways to write one of them: unequal sizes, masks
    that hide and show something along every dimension, scores among which a low fill shows, garbage where they are masked."""
    fill = Filler(31, torch.float64)

    def probe(query, key, value, mask=None, *traits, gradients=True):
        L, S = query.shape[-2], key.shape[-2]
        traits = {*traits, "there is no mask" if mask is None else "a mask is given"}
        traits.add("there is a batch dimension" if query.dim() > 2 else "there is no batch dimension")
        traits |= {"there are two batch dimensions"} if query.dim() > 3 else set()
        traits |= {"the number of keys is odd"} if S % 2 else set()
        traits.add("there are as many queries as keys" if L == S else "there are more or fewer queries than keys")
        traits |= {"the mask has more than two dimensions"} if mask is not None and mask.dim() > 2 else set()
        return Probe(make_case(query, key, value, len(traits), mask), frozenset(traits), gradients=gradients)

    def sized(*sizes, mask=None, traits=(), fill=fill):
        *batch, L, S, E, Ev = sizes
        return probe(fill(*batch, L, E), fill(*batch, S, E), fill(*batch, S, Ev), mask, *traits)

    def scored(scores, *traits, mask=None, value=None, gradients=False):
        """Query and key with just these scores: every query has a feature of its own."""
        L, S = scores.shape[-2:]
        query = torch.eye(L, 2 * L, dtype=torch.float64).expand(*scores.shape[:-2], L, 2 * L) * math.sqrt(2 * L)
        key = torch.cat([scores.mT, fill(*scores.mT.shape)], -1)
        value = fill(*scores.shape[:-2], S, 3) if value is None else value
        return probe(query.clone(), key, value, mask, *traits, gradients=gradients)

    rows, large = mixed_mask(3, 5), "scores are far from zero"
    other = ~rows
    other[0, 0] = True
    garbage = torch.where(rows, fill(3, 5), 1e4 + fill.integers(3, 5))
    last = torch.tensor([1.0] * 5 + [1e8])[:, None]  # a key that nobody sees, with garbage in its value
    unseen = torch.cat([rows, torch.zeros(3, 1, dtype=torch.bool)], -1)
    apart = fill(2, 3, 4) + torch.tensor([0.0, 2000.0, -2000.0])[:, None]
    x = fill(2, 4, 3)
    return [
        sized(2, 3, 4, 5, 3, 2),
        sized(4, 4, 6, 4),
        sized(2, 3, 5, 4, 6, mask=rows),
        sized(2, 3, 4, 4, 5, 3, mask=mixed_mask(2, 3, 4, 4)),
        sized(3, 3, 5, 2, 5),
        sized(2, 3, 4, 5, 3, 4, mask=mixed_mask(2, 1, 4, 5), traits=["the mask has a dimension of size one"]),
        sized(2, 3, 5, 4, 6, mask=other, traits=["an earlier call had inputs of these shapes"]),
        scored(garbage, "masked scores are large", mask=rows, gradients=True),
        scored(fill(3, 6), "masked values are large", mask=unseen, value=fill(6, 3) * last),
        scored(fill(3, 5) - 9990, large, mask=rows),
        scored(fill(2, 4, 5) + 2000, large),
        scored(apart, large, "scores of one row are far above those of another"),
        probe(
            fill(3, 2, 4, 3).transpose(0, 1), fill(2, 3, 3, 5).mT, fill(2, 3, 5, 2), None, "an input is not contiguous"
        ),
        probe(x, x, x, None, "query, key and value are one tensor"),
        sized(2, 3, 5, 4, 2, fill=Filler(32, torch.float32), traits=["the dtype is float32"]),
    ]
