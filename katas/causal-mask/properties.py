"""Hidden properties of the causal mask kata. A docstring is the line that a candidate reads."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.case import Case
from grader.compare import agree, check_form, require_close
from grader.diagnosis.probes import Probe
from grader.failure import fail, require
from grader.laws import answers_repeat, dtype_is_kept, inputs_stay_unmodified, law, layout_does_not_matter
from grader.oracle import base_tolerance
from grader.strategies import Filler, batches, broadcastable, dtypes, half_dtypes, kinds, seeds, sizes

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 33, 70, 130)
MASKS = ("scattered", "causal", "all")
SOME = st.sampled_from([(2,), (2, 3), (3, 2), (1, 2), ()])  # batch dimensions, where a law is about them


def mask_call(seq_len, *device):
    """causal_mask(seq_len) or causal_mask(seq_len, device)."""
    return Case("causal_mask", {"seq_len": seq_len} | ({"device": device[0]} if device else {}))


def softmax_call(scores, mask, seed):
    """masked_softmax(scores, mask)."""
    return Case("masked_softmax", {"scores": scores, "mask": mask}, differentiable=("scores",), seed=seed)


@st.composite
def cases(
    draw,
    batch=batches(),
    L=sizes(),
    S=sizes(),
    kind=kinds(),
    look=st.sampled_from(MASKS),
    every=st.booleans(),
    dtype=dtypes(),
):
    """Scores and a mask of their shape or, without `every`, one (L, S) for all. Every query sees a key at least."""
    seed, batch, L, S, look = draw(seeds()), draw(batch), draw(L), draw(S), draw(look)
    fill = Filler(seed, draw(dtype), draw(kind))
    shape = (*batch, L, S) if draw(every) else (L, S)
    if look == "scattered":
        mask = fill.mask(*shape)
    else:
        mask = torch.ones(shape, dtype=torch.bool)
        mask = mask.tril() if look == "causal" else mask
    return softmax_call(fill(*batch, L, S), mask, seed)


def hidden(case):
    """Where the mask is False, in the shape of the scores."""
    return ~case.arguments["mask"].expand(case.arguments["scores"].shape)


def with_garbage(case, size):
    """The same call with scores of about this size, of either sign, where the mask is False."""
    scores = case.arguments["scores"]
    fill = Filler(case.seed + 5, scores.dtype)
    garbage = fill.integers(*scores.shape, low=1) * (size / 3)
    garbage = torch.where(fill.flags(*scores.shape), garbage, -garbage)
    return case.with_arguments(scores=torch.where(hidden(case), garbage, scores))


def masked_gradient_is_zero(candidate, case, answer):
    """Exactly zero: nothing reaches a masked score."""
    gradient = answer.gradients["scores"]
    if gradient is not None:
        masked = torch.where(hidden(case), gradient, torch.zeros_like(gradient))
        require_close(case, "gradient of masked scores", masked, torch.zeros_like(masked), 0.0)


@law("values", examples=15)
@given(n=st.sampled_from(LENGTHS))
def test_mask_is_lower_triangle(candidate, oracle, n):
    """causal_mask(n) has shape (n, n) and lets query i see the keys j ≤ i: its own and the earlier ones, none later."""
    sees_past_and_itself(candidate, oracle, n)


def sees_past_and_itself(candidate, oracle, n):
    """The mask's shape and every one of its elements."""
    case = mask_call(n)
    expected, got = oracle(case).output, candidate(case).output
    shown = {"expected": expected, "got": got, "subject": "mask"}
    require(got.shape == (n, n), f"the mask has shape {tuple(got.shape)}, expected {(n, n)}", case, **shown)
    wrong = (got != 0) != expected  # of whatever dtype: that is another property's business
    if wrong.any():
        i, j = (int(k) for k in wrong.nonzero()[0])
        message = f"query {i} {'cannot' if expected[i, j] else 'can'} see key {j}"
        fail(message, case, worst=(i, j), **shown)


@law("shapes", examples=2)
@given(dtype=dtypes())
def test_long_inputs(candidate, oracle, dtype):
    """Long sequences and wide rows are treated as short ones are, in the gradients too: no limit, no block left out."""
    short, longer = (candidate(mask_call(n), count=True).counts.operators for n in (16, 32))
    for n in (300, 1030) if longer <= 3 * short else (100,):  # setting elements one by one is right too, and takes long
        sees_past_and_itself(candidate, oracle, n)
    fill = Filler(5, dtype)
    for L, S in ((3, 261), (150, 5)):
        scores = fill(L, S)
        agree(candidate, oracle, softmax_call(scores, fill.mask(L, S), L), gradients=True)
        for mask in (fill.mask(1, S), torch.ones(L, 1, dtype=torch.bool)):
            agree(candidate, oracle, softmax_call(scores, mask, L))


@law("values", examples=6)
@given(n=st.sampled_from(LENGTHS[:8]))
def test_mask_is_bool(candidate, n):
    """The mask's dtype is bool, so that ~mask and masked_fill work with it."""
    case = mask_call(n)
    dtype = candidate(case).output.dtype
    require(dtype == torch.bool, f"the mask has dtype {str(dtype).removeprefix('torch.')}, expected bool", case)


@law("robustness", examples=4)
@given(n=st.sampled_from(LENGTHS[:8]))
def test_mask_follows_device(candidate, n):
    """causal_mask(n, device) makes the mask on that device, also where one of that size was made on another before."""
    for device in (None, "meta", "cpu", "meta", candidate.device):
        case, wanted = mask_call(n, device), device or "cpu"
        answer = candidate(case)
        require(answer.device == wanted, f"the mask is on device {answer.device}, expected {wanted}", case)
        shape = tuple(answer.output.shape)
        require(shape == (n, n), f"the mask has shape {shape}, expected {(n, n)}", case)


@law("values", examples=25)
@given(case=cases())
def test_weights_match_formula(candidate, oracle, case):
    """Each row of weights is the softmax over its visible scores."""
    agree(candidate, oracle, case)


@law("values")
@given(case=cases(kind=kinds("integers", "normal", "zeros", "tiny")))
def test_weights_sum_to_one(candidate, oracle, case):
    """Each row of weights sums to one."""
    answer = candidate(case)
    check_form(case, answer, oracle(case).output)
    sums, eps = answer.output.double().sum(-1), torch.finfo(case.dtype).eps
    # A sum may be off by as much as all its terms together.
    allowed = base_tolerance(oracle(case).output, eps).sum(-1)
    if ((sums - 1).abs() > allowed).any():
        allowed = oracle.tolerance(case, None, gradients=False, eps=eps).sum(-1)
    require_close(case, "sum of a row", sums, torch.ones_like(sums), allowed)


@law("values")
@given(case=cases(S=sizes(smallest=2), look=st.just("scattered")), level=st.sampled_from([0.0, -9990.0]))
def test_masked_weights_are_zero(candidate, oracle, case, level):
    """Where the mask is False the weight is exactly 0, however low the visible scores are."""
    case = case.with_arguments(scores=(case.arguments["scores"] + level).clamp(-1e4, 1e4))
    answer = candidate(case)
    check_form(case, answer, oracle(case).output)
    masked = torch.where(hidden(case), answer.output, torch.zeros_like(answer.output))
    require_close(case, "weight where the mask is False", masked, torch.zeros_like(masked), 0.0)


@law("values", examples=15)
@given(
    case=cases(L=sizes(8), S=sizes(smallest=2), kind=kinds("integers", "normal"), look=st.sampled_from(MASKS[:2])),
    size=st.sampled_from([30.0, 1e4, 1e30, 1e8]),
)
def test_masked_score_has_no_influence(candidate, oracle, case, size):
    """A score where the mask is False changes no weight and no gradient, even if it is the largest of its row."""
    case = with_garbage(case, size)
    agree(candidate, oracle, case)
    answer = agree(candidate, oracle, case, gradients=True)
    masked_gradient_is_zero(candidate, case, answer)


@law("shapes", examples=20)
@given(
    case=cases(
        batch=SOME,
        L=sizes(8),
        S=sizes(8),
        look=st.just("all"),
        every=st.just(False),
    ),
    n=st.sampled_from([2, None, None, 3]),
    data=st.data(),
)
def test_mask_broadcasts(candidate, oracle, case, n, data):
    """A mask of two dimensions or more, some of size 1, is laid over the scores by PyTorch's broadcasting rules."""
    scores = case.arguments["scores"]
    mask = Filler(case.seed + 3, scores.dtype).mask(*data.draw(broadcastable(tuple(scores.shape))))
    agree(candidate, oracle, case.with_arguments(mask=mask))
    if n is not None:  # sizes that tell nothing of what a mask's dimensions mean: only their place does
        fill = Filler(case.seed, case.dtype, "integers")
        for mask in (fill.mask(n, 4, 5), fill.mask(n, 5)):
            agree(candidate, oracle, softmax_call(fill(n, n, mask.shape[-2], 5), mask, case.seed))


@law("shapes")
@given(case=cases(batch=SOME, L=sizes(5), S=sizes(5), kind=kinds("integers", "normal")))
def test_any_batch_dimensions(candidate, oracle, case):
    """Scores of two, three or four dimensions give weights of the same shape."""
    agree(candidate, oracle, case)


@law("numerics", examples=15)
@given(
    case=cases(batch=batches(1), kind=kinds("integers", "normal")),
    spread=st.sampled_from([2500.0, 100.0, 1.0]),
    level=st.sampled_from([0.0, 2500.0]),
)
def test_large_scores_stay_finite(candidate, oracle, case, spread, level):
    """Scores up to ±10 000, within a row and from row to row, give finite, right weights and gradients."""
    scores = case.arguments["scores"] * spread
    rows = Filler(case.seed + 7, scores.dtype).integers(*scores.shape[:-1], 1)
    case = case.with_arguments(scores=(scores + level * rows).clamp(-1e4, 1e4))
    agree(candidate, oracle, case)
    agree(candidate, oracle, case, gradients=True)


@law("gradients", examples=20)
@given(case=cases())
def test_score_gradient(candidate, oracle, case):
    """The gradient of the softmax reaches the visible scores, and exactly zero reaches the masked ones."""
    answer = agree(candidate, oracle, case, gradients=True)
    masked_gradient_is_zero(candidate, case, answer)


@law("robustness", examples=4)
@given(case=cases(L=sizes(8), S=sizes(8)))
def test_input_unmodified(candidate, case):
    """The call leaves scores and mask as they were."""
    inputs_stay_unmodified(candidate, case)


def softmax_pairs():
    """Two calls of masked_softmax of the same shapes."""

    def with_other(case):
        scores, mask = case.arguments["scores"], case.arguments["mask"]
        return case, case.with_arguments(scores=scores.flip(-1) * 2 + 1, mask=mask.roll(1, -1))

    return cases(L=sizes(8), S=sizes(8), kind=kinds("normal"), look=st.just("scattered")).map(with_other)


def mask_pairs():
    """Two calls of causal_mask."""
    return st.integers(1, 5).map(lambda n: (mask_call(n), mask_call(n + 1)))


@law("robustness", examples=3)
@given(softmax=softmax_pairs(), mask=mask_pairs())
def test_repeatable(candidate, oracle, softmax, mask):
    """The same input gives the same answer, and no call changes an earlier answer."""
    answers_repeat(candidate, oracle, *softmax)
    answers_repeat(candidate, oracle, *mask)


@law("robustness", examples=10)
@given(
    case=cases(
        batch=st.sampled_from([(2,), (2, 3), (3, 2), ()]),
        L=sizes(8, smallest=2),
        S=sizes(8, smallest=2),
        look=st.just("scattered"),
    )
)
def test_non_contiguous_input(candidate, oracle, case):
    """Transposed or strided scores, and a mask that was transposed or expanded, give the same weights and gradients."""
    layout_does_not_matter(candidate, oracle, case)
    scores, mask = case.arguments["scores"], case.arguments["mask"]
    agree(candidate, oracle, case.with_arguments(mask=mask[..., :1, :].expand(scores.shape)))


@law("shapes", examples=4)
@given(case=cases())
def test_keeps_dtype(candidate, case):
    """The weights have the dtype and device of the scores, with gradients or without."""
    dtype_is_kept(candidate, case)


@law("numerics", stretch=True)
@given(case=cases(L=sizes(8), S=sizes(8), look=st.just("scattered")), kept=st.booleans())
def test_fully_masked_row(candidate, oracle, case, kept):
    """A row with nothing visible gives zeros and zero gradient, not NaN."""
    mask = case.arguments["mask"].clone()
    mask[..., -1, :] = False
    if not kept:
        mask = torch.zeros_like(mask)
    case = case.with_arguments(mask=mask)
    agree(candidate, oracle, case)
    agree(candidate, oracle, case, gradients=True)


@law("numerics", stretch=True)
@given(case=cases(L=sizes(8), S=sizes(8), kind=kinds("integers", "normal"), dtype=half_dtypes()))
def test_half_precision(candidate, oracle, case):
    """float16 and bfloat16 scores work too."""
    agree(candidate, oracle, case)


def mixed_mask(*shape):
    """Visible and hidden keys alternate along every dimension, so none of its lines is of one kind; query 0 sees key 0."""
    mask = sum(torch.meshgrid(*(torch.arange(n) for n in shape), indexing="ij")) % 2 == 0
    mask[..., 0, 0] = True
    return mask


def probes():
    """Inputs on which the known mistakes differ from each other, but not the ways to write one of them: masks that hide
    something and show something along every dimension, scores among which a low fill shows, garbage where they are masked."""
    fill = Filler(21, torch.float64)

    def softmax(scores, mask, *traits, gradients=True):
        traits = {*traits, f"scores have {('two', 'three', 'four')[scores.dim() - 2]} dimensions"}
        if scores.shape[-1] == scores.shape[-2]:
            traits.add("scores are square")
        traits |= {"the mask has more than two dimensions"} if mask.dim() > 2 else set()
        traits |= {"the mask has fewer dimensions than the scores"} if mask.dim() < scores.dim() else set()
        exact = scores.dtype == torch.float64
        return Probe(softmax_call(scores, mask, len(traits)), frozenset(traits), gradients=gradients, exact_zeros=exact)

    full, square, rows = mixed_mask(2, 3, 4, 5), mixed_mask(4, 4), mixed_mask(3, 5)
    other = ~square
    other[0, 0] = True
    garbage = torch.where(rows, fill(3, 5), 1e4 + fill.integers(3, 5))
    apart = fill(2, 3, 5) + torch.tensor([0.0, 2000.0, 0.0])[:, None].double()
    device, large, differs = "a device is given", "scores are far from zero", "the mask differs between batch elements"
    return [
        Probe(mask_call(4)),
        Probe(mask_call(3, "meta"), {device}),
        Probe(mask_call(6, "cpu"), {device}),
        Probe(mask_call(130), {"the sequence is long"}),
        softmax(fill(2, 3, 4, 5), full, differs),
        softmax(fill(4, 4), square),
        softmax(fill(2, 4, 5), full[0, :2], differs),
        softmax(fill(3, 2, 4, 5), full[:1, :2], "the mask has a dimension of size one"),
        softmax(fill(2, 4, 4), other, "an earlier call had a mask of this shape"),
        softmax(fill(3, 5, kind="zeros"), rows, "some visible scores are exactly zero"),
        softmax(fill(3, 5) - 9990, rows, large, gradients=False),
        softmax(garbage, rows, "masked scores are large"),
        softmax(fill(2, 4, 5) + 2000, full[0, :2], large, differs, gradients=False),
        softmax(apart, rows, large, "scores of one row are far above those of another", gradients=False),
        softmax(fill(4, 3, 5).transpose(0, 1), mixed_mask(4, 5), "an input is not contiguous"),
        softmax(Filler(22, torch.float32)(2, 3, 4), mixed_mask(3, 4), "the dtype is float32"),
    ]
