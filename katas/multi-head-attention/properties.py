"""Hidden properties of the multi-head attention kata. A docstring is the line that a candidate reads."""

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
    raises_value_error,
)
from grader.roles import attention_projections
from grader.strategies import Filler, broadcastable, dtypes, gradients_wanted, half_dtypes, kinds, seeds, sizes

INPUTS = ("query", "key", "value")
WANTED = gradients_wanted(INPUTS)
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")
PARAMETERS = tuple(f"{name}.{part}" for name in PROJECTIONS for part in ("weight", "bias"))

# d_model and num_heads: from one head of one feature to heads as wide and as many as come.
WIDTHS = ((1, 1), (2, 1), (2, 2), (4, 2), (3, 3), (6, 2), (6, 3), (5, 1), (8, 4), (35, 5))
SEVERAL_HEADS = tuple((D, H) for D, H in WIDTHS if H > 1)
WIDE_HEADS = st.sampled_from([(D, H) for D, H in SEVERAL_HEADS if D > H])
LENGTHS = st.sampled_from([1, 2, 3, 5, 8, 33, 65])
NO_MASK = st.just(None)
SHARES = st.sampled_from([0.6, 0.2, 0.9])  # of keys that a query may attend to; at least one always
MAYBE_MASK = st.sampled_from([None, 0.6])


def make_parameters(fill, D):
    """Weights so small that scores are of ordinary size, and biases; all of them small multiples of a power of two."""
    unit = 2.0 ** -round(math.log2(D) / 2)
    made = {}
    for name in PROJECTIONS:
        made[f"{name}.weight"] = fill.integers(D, D, low=-2, high=2) * unit
        made[f"{name}.bias"] = fill.integers(D) / 2
    return made


def make_case(query, key, value, width, seed, mask=None, parameters=None):
    """The call; without a mask the last argument is left out or given as None, by turns."""
    D, H = width
    arguments = {"query": query, "key": key, "value": value}
    if mask is not None or seed // 2 % 2:
        arguments["attn_mask"] = mask
    parameters = parameters or make_parameters(Filler(seed + 1, query.dtype), D)
    init = {"d_model": D, "num_heads": H}
    return Case("MultiHeadAttention", arguments, init, parameters, attention_projections, INPUTS, seed)


@st.composite
def cases(
    draw,
    B=st.sampled_from([1, 2, 3]),
    L=sizes(),
    S=sizes(),
    width=st.sampled_from(WIDTHS),
    kind=kinds(),
    share=NO_MASK,
    broadcast=st.just(False),
    dtype=dtypes(),
):
    """Query, key and value that differ, of unequal lengths; with `share` a mask, of the scores' shape unless `broadcast`."""
    seed = draw(seeds())
    fill = Filler(seed, draw(dtype), draw(kind))
    B, L, S, (D, H), share = draw(B), draw(L), draw(S), draw(width), draw(share)
    mask = None
    if share is not None:
        shape = (B, H, L, S)
        mask = fill.mask(*(draw(broadcastable(shape)) if draw(broadcast) else shape), share=share)
    return make_case(fill(B, L, D), fill(B, S, D), fill(B, S, D), (D, H), seed, mask)


def head_width(case):
    return case.init["d_model"] // case.init["num_heads"]


def fix_first_feature(case, projection, bias, column=None):
    """In every head the first feature of `projection` is `bias`, plus input feature 0 times `column` where given."""
    weight, old = case.parameters[f"{projection}.weight"].clone(), case.parameters[f"{projection}.bias"].clone()
    first = slice(0, None, head_width(case))
    weight[first] = 0
    old[first] = bias
    if column is not None:
        weight[first, 0] = column
    return replace(case, parameters={**case.parameters, f"{projection}.weight": weight, f"{projection}.bias": old})


def highest_score(case):
    q, k = (
        torch.nn.functional.linear(
            case.arguments[name].double(),
            case.parameters[f"{p}.weight"].double(),
            case.parameters[f"{p}.bias"].double(),
        ).unflatten(-1, (case.init["num_heads"], -1))
        for name, p in (("query", "q_proj"), ("key", "k_proj"))
    )
    return float(torch.einsum("blhd,bshd->bhls", q, k).abs().max()) / math.sqrt(head_width(case))


@law("values", examples=16)
@given(case=cases(L=LENGTHS, S=LENGTHS))
def test_matches_formula(candidate, oracle, case):
    """Every head attends on its own slice of the projected features; side by side, the heads go through the last projection."""
    agree(candidate, oracle, case)


@law("shapes", examples=2)
@given(dtype=dtypes())
def test_long_inputs(candidate, oracle, dtype):
    """Many queries and many keys are treated as few are, with a mask and in the gradients too: no block is left out."""
    fill = Filler(5, dtype)
    for L, S in ((3, 261), (150, 5)):
        case = make_case(fill(2, L, 4), fill(2, S, 4), fill(2, S, 4), (4, 2), L)
        agree(candidate, oracle, case, gradients=True)
        agree(candidate, oracle, case.with_arguments(attn_mask=fill.mask(1, S)), gradients=True)
        agree(candidate, oracle, case.with_arguments(attn_mask=torch.ones(L, 1, dtype=torch.bool)))


@law("values", examples=8)
@given(case=cases(L=sizes(8), S=sizes(8), kind=kinds("integers", "normal")), longer=st.booleans())
def test_cross_attention(candidate, oracle, case, longer):
    """Key and value may be longer or shorter than the query, and come from elsewhere than the query and each other."""
    query, key = case.arguments["query"], case.arguments["key"]
    if query.shape[1] == key.shape[1]:
        query = torch.cat([query, query + 1], 1) if longer or key.shape[1] == 1 else query[:, 1:].clone()
    agree(candidate, oracle, case.with_arguments(query=query))


@law("values", examples=8)
@given(
    case=cases(S=sizes(smallest=2), kind=kinds("integers", "zeros", "normal", "wide"), share=SHARES),
    two_dimensions=st.booleans(),
)
def test_mask_selects_keys(candidate, oracle, case, two_dimensions):
    """A query attends to the keys where the mask is True and to no other; another mask gives another answer."""
    mask = case.arguments["attn_mask"]
    if two_dimensions:
        mask = mask[0, 0].clone()
    agree(candidate, oracle, case.with_arguments(attn_mask=mask))
    agree(candidate, oracle, case.with_arguments(attn_mask=mask.roll(1, -1)))


@st.composite
def padded_cases(draw):
    """Some keys are hidden from all queries and hold garbage: in the key, so that its score is far above or below the visible
    ones, and in the value. Visible scores are of ordinary size, or about -1e4 throughout."""
    case = draw(cases(S=sizes(smallest=2), kind=kinds("integers", "normal", "zeros"), share=SHARES))
    size, level = draw(st.sampled_from([1e12, 100.0])), draw(st.sampled_from([0.0, 9990.0]))
    key, value, mask = (case.arguments[name] for name in ("key", "value", "attn_mask"))
    fill = Filler(case.seed + 2, key.dtype, "integers")
    if level:
        root = math.sqrt(level * math.sqrt(head_width(case)))
        case = fix_first_feature(fix_first_feature(case, "q_proj", root), "k_proj", -root)
    hidden = ~fill.mask(*key.shape[:2])  # (B, S)
    unseen = hidden[:, None, None, :]
    mask = mask & ~unseen
    mask |= ~mask.any(-1, keepdim=True) & ~unseen
    garbage = fill(*key.shape) * size / max(highest_score(case.with_arguments(key=fill(*key.shape) * 1.0)) - level, 1.0)
    key = torch.where(hidden[..., None], garbage, key)
    value = torch.where(hidden[..., None], fill(*value.shape) * size, value)
    return case.with_arguments(key=key, value=value, attn_mask=mask)


@law("numerics", examples=10)
@given(case=padded_cases())
def test_masked_key_has_no_influence(candidate, oracle, case):
    """A masked key changes nothing, neither output nor gradient, whatever finite numbers stand in its key and value."""
    agree(candidate, oracle, case)
    agree(candidate, oracle, case, gradients=True)


@law("shapes", examples=14)
@given(
    case=cases(S=sizes(smallest=2), kind=kinds("integers", "normal"), share=SHARES, broadcast=st.just(True)),
    n=st.sampled_from([2, None, None, 3]),
)
def test_mask_broadcasts(candidate, oracle, case, n):
    """The mask may have two to four dimensions, some of size 1; three mean (num_heads, L, S)."""
    agree(candidate, oracle, case)
    if n is not None:  # sizes that tell nothing of what a mask's dimensions mean: only their place does
        fill = Filler(case.seed, case.dtype, "integers")
        for mask in (fill.mask(n, 4, 5), fill.mask(n, 5)):
            query, key, value = (fill(n, length, 6) for length in (mask.shape[-2], 5, 5))
            agree(candidate, oracle, make_case(query, key, value, (6, n), case.seed, mask))


@law("values", examples=5)
@given(case=cases(S=sizes(8, smallest=2), kind=kinds("integers", "normal")))
def test_not_causal_unless_asked(candidate, oracle, case):
    """Without a mask every query sees every key, also where lengths are equal; with a causal mask it sees the past alone."""
    square = case.with_arguments(query=case.arguments["key"] * 2 - 1)
    S = case.arguments["key"].shape[1]
    agree(candidate, oracle, square)
    agree(candidate, oracle, square.with_arguments(attn_mask=torch.ones(S, S, dtype=torch.bool).tril()))


@law("values", examples=5)
@given(case=cases(B=st.sampled_from([2, 3]), kind=kinds("integers", "normal"), share=MAYBE_MASK))
def test_batch_elements_are_independent(candidate, oracle, case):
    """A batch element's answer depends on that element alone: it is the same alone and beside others."""
    fill = Filler(case.seed + 3, case.dtype)
    others = {
        name: torch.cat([t[:1], fill(*t[1:].shape, scale=4.0)]) for name, t in case.tensors.items() if name in INPUTS
    }
    alone = {name: t[:1].clone() for name, t in case.tensors.items()}
    for changes in ({}, others, alone):
        agree(candidate, oracle, case.with_arguments(**changes))


@law("numerics", examples=10)
@given(
    case=cases(kind=kinds("integers", "normal"), share=st.sampled_from([None, None, 0.6])),
    size=st.sampled_from([100.0, 1000.0, 9900.0]),
    apart=st.booleans(),
)
def test_large_scores_stay_finite(candidate, oracle, case, size, apart):
    """Scores up to 1e4 in size, above or below zero, give finite and right answers and gradients."""
    if apart:  # the scores of one query lie far from each other
        factor = size / max(highest_score(case), 1.0)
        grown = {name: case.parameters[name] * factor for name in ("q_proj.weight", "q_proj.bias")}
        large = replace(case, parameters={**case.parameters, **grown})
    else:  # the scores of one query lie near each other, and far from zero and from the next query's
        query = case.arguments["query"].clone()
        query[..., 0] = Filler(case.seed + 1, case.dtype).integers(*query.shape[:-1], low=-1, high=1)
        case = fix_first_feature(case.with_arguments(query=query), "q_proj", 0, column=1)
        large = fix_first_feature(case, "k_proj", size * math.sqrt(head_width(case)))
    agree(candidate, oracle, large)
    agree(candidate, oracle, large, gradients=True)


@law("gradients", examples=10)
@given(case=cases(), wanted=WANTED)
def test_input_gradients(candidate, oracle, case, wanted):
    """Query, key and value receive their gradients, whichever of them require one."""
    agree(candidate, oracle, replace(case, differentiable=wanted), gradients=True, only=wanted)


@law("gradients", examples=8)
@given(case=cases(), wanted=st.one_of(st.just(()), WANTED))
def test_parameter_gradients(candidate, oracle, case, wanted):
    """Weights and biases of all four projections receive their gradients, also where no input requires one."""
    agree(candidate, oracle, replace(case, differentiable=wanted), gradients=True, only=PARAMETERS)


@law("gradients", examples=8)
@given(case=cases(S=sizes(smallest=2), share=SHARES, broadcast=st.booleans()), wanted=st.one_of(WANTED, st.just(())))
def test_gradients_with_mask(candidate, oracle, case, wanted):
    """With a mask the gradients are right too, and a key that no query sees receives none."""
    agree(candidate, oracle, replace(case, differentiable=wanted), gradients=True)


@law("robustness", examples=6)
@given(width=st.sampled_from([(3, 2), (1, 2), (5, 4), (8, 3), (4, 8), (36, 5)]))
def test_indivisible_raises_value_error(candidate, width):
    """The constructor raises ValueError where d_model is not divisible by num_heads."""
    D, H = width
    x = torch.ones(1, 1, D)
    case = Case("MultiHeadAttention", dict.fromkeys(INPUTS, x), {"d_model": D, "num_heads": H})
    raises_value_error(candidate, case, f"{D} features cannot be cut into {H} equal heads")


@law("robustness", examples=4)
@given(case=cases(share=SHARES))
def test_input_unmodified(candidate, case):
    """The call leaves query, key, value and mask as they were."""
    mask = case.arguments["attn_mask"]
    for given_mask in (None, mask, mask[0, 0].clone()):
        inputs_stay_unmodified(candidate, case.with_arguments(attn_mask=given_mask))


@law("robustness", examples=3)
@given(
    case=cases(S=sizes(smallest=2), width=WIDE_HEADS, kind=kinds("normal"), share=st.just(0.6)),
    masks=st.sampled_from(["first", "both", "none"]),
)
def test_repeatable(candidate, oracle, case, masks):
    """The same input gives the same answer, and no call changes an earlier answer or a later one, nor does another layer."""
    mask = case.arguments["attn_mask"]
    first = case.with_arguments(attn_mask=None if masks == "none" else mask)
    changes = {name: case.arguments[name].flip(-2) * 2 + 1 for name in INPUTS}
    second = case.with_arguments(**changes, attn_mask=mask.roll(1, -1) if masks == "both" else None)
    answers_repeat(candidate, oracle, first, second)
    agree(candidate, oracle, first)
    wider = 2 * case.init["d_model"]
    candidate.parameters(replace(first, init={"d_model": wider, "num_heads": wider}))
    agree(candidate, oracle, first)


@law("robustness", examples=4)
@given(
    case=cases(
        B=st.sampled_from([2, 3]),
        L=sizes(8, smallest=2),
        S=sizes(8, smallest=2),
        width=st.sampled_from(SEVERAL_HEADS),
        share=MAYBE_MASK,
    )
)
def test_non_contiguous_input(candidate, oracle, case):
    """Transposed or strided inputs give the same answer and the same gradients."""
    layout_does_not_matter(candidate, oracle, case)


@law("robustness", examples=4)
@given(case=cases(S=sizes(smallest=2), kind=kinds("integers", "normal"), share=MAYBE_MASK))
def test_shared_input(candidate, oracle, case):
    """One tensor may come as query, key and value, or as two of them; its gradient is the sum of theirs."""
    key, mask = case.arguments["key"], case.arguments.get("attn_mask")
    memory = case.with_arguments(value=key)
    square = case.with_arguments(query=key)
    if mask is not None:
        S = key.shape[1]
        square = square.with_arguments(attn_mask=Filler(case.seed + 1, key.dtype).mask(*mask.shape[:-2], S, S))
    alone = square.with_arguments(value=key)
    for shared in (alone, memory, square):
        agree_in_every_mode(candidate, oracle, shared)
    agree(candidate, oracle, alone, gradients=True)
    agree(candidate, oracle, memory, gradients=True)


@law("shapes", examples=4)
@given(case=cases(share=MAYBE_MASK))
def test_keeps_dtype(candidate, case):
    """The output has the inputs' dtype and device, with gradients or without."""
    dtype_is_kept(candidate, case)


@law("numerics", stretch=True, examples=6)
@given(case=cases(kind=kinds("integers", "normal"), share=SHARES))
def test_fully_masked_query(candidate, oracle, case):
    """A query that may attend to no key gets zeros from its heads, so out_proj's bias, and passes no gradient on; no NaN."""
    mask = case.arguments["attn_mask"].clone()
    mask[:, :, 0] = False
    masked = case.with_arguments(attn_mask=mask)
    agree(candidate, oracle, masked)
    agree(candidate, oracle, masked, gradients=True)


@law("numerics", stretch=True, examples=6)
@given(case=cases(dtype=half_dtypes(), kind=kinds("integers", "normal"), share=MAYBE_MASK))
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
    fill = Filler(51, torch.float64)

    def probe(query, key, value, width, mask=None, *traits, parameters=None, gradients=True):
        B, L, S = *query.shape[:2], key.shape[1]
        traits = {*traits, "there is no mask" if mask is None else "a mask is given"}
        traits.add("there is more than one batch element" if B > 1 else "there is one batch element")
        traits.add("there are as many queries as keys" if L == S else "there are more or fewer queries than keys")
        traits |= {"there is one head"} if width[1] == 1 else set()
        traits |= {"the mask has two dimensions"} if mask is not None and mask.dim() == 2 else set()
        traits |= {"the mask has three dimensions"} if mask is not None and mask.dim() == 3 else set()
        case = make_case(query, key, value, width, len(traits), mask, parameters)
        return Probe(case, frozenset(traits), gradients=gradients)

    def sized(B, L, S, width, mask=None, *traits, fill=fill, gradients=False):
        query, key, value = (fill(B, n, width[0]) for n in (L, S, S))
        return probe(query, key, value, width, mask, *traits, gradients=gradients)

    def scored(scores, *traits, mask=None, gradients=False):
        """Query and key with just these scores (B, H, L, S): in each head every query has a feature of its own."""
        B, H, L, S = scores.shape
        d = L + 1
        query = (torch.eye(L, d, dtype=torch.float64) * math.sqrt(d)).repeat(B, 1, H)
        key = torch.cat([scores.mT, fill(B, H, S, 1)], -1).transpose(1, 2).reshape(B, S, H * d)
        parameters = make_parameters(fill, H * d)
        for name in ("q_proj", "k_proj"):
            parameters[f"{name}.weight"] = torch.eye(H * d, dtype=torch.float64)
            parameters[f"{name}.bias"] = torch.zeros(H * d, dtype=torch.float64)
        value = fill(B, S, H * d)
        return probe(query, key, value, (H * d, H), mask, *traits, parameters=parameters, gradients=gradients)

    def indivisible(D, H):
        x = fill(2, 3, D)
        return Probe(make_case(x, x, x, (D, H), 1), {"num_heads does not divide d_model"})

    rows, large = mixed_mask(3, 5), "scores are far from zero"
    other = ~rows
    other[0, 0] = True
    garbage = torch.where(rows, fill(2, 2, 3, 5), 1e4 + fill.integers(2, 2, 3, 5))
    apart = fill(2, 2, 3, 5) + torch.tensor([0.0, 2000.0, -2000.0])[:, None]
    x, single = fill(2, 4, 6), "there is one query and a mask"
    return [
        sized(2, 4, 5, (12, 3), gradients=True),
        sized(1, 4, 4, (6, 2), gradients=True),
        sized(2, 5, 5, (12, 3)),
        sized(2, 3, 5, (6, 2), rows),
        sized(2, 4, 4, (12, 3), mixed_mask(2, 3, 4, 4), gradients=True),
        sized(2, 4, 5, (12, 3), mixed_mask(3, 4, 5)),
        sized(2, 4, 5, (6, 2), mixed_mask(2, 1, 4, 5), "the mask has a dimension of size one"),
        sized(2, 1, 64, (6, 2), mixed_mask(2, 1, 1, 64), single),  # so many keys that a dropout shows
        sized(2, 3, 5, (6, 2), other, "an earlier call had inputs of these shapes"),
        sized(2, 3, 4, (5, 1)),
        scored(garbage, "masked scores are large", mask=rows, gradients=True),
        scored(fill(2, 2, 3, 5) - 9990, large, mask=rows),
        scored(fill(2, 2, 3, 5) + 2000, large),
        scored(apart, large, "scores of one row are far above those of another"),
        probe(
            fill(4, 2, 6).transpose(0, 1),
            fill(2, 6, 5).mT,
            fill(2, 6, 5).mT,
            (6, 2),
            None,
            "an input is not contiguous",
        ),
        probe(x, x, x, (6, 2), None, "query, key and value are one tensor"),
        sized(2, 4, 5, (6, 2), None, "the dtype is float32", fill=Filler(52, torch.float32), gradients=True),
        indivisible(10, 4),
    ]
