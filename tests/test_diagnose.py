"""The bank of known mistakes is whole, and where no known mistake explains the code, the kind of the difference is told.

That every known mistake is named, and nothing else by a wrong name, is shown by the files of `test_submissions.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import files, ids, read_header

from grader.catalog import Kata, get_kata
from grader.diagnosis.diagnose import load_probes
from grader.diagnosis.mistakes import read_mistakes
from grader.examiner import Examination
from grader.loading import Unusable
from grader.verdict import Diagnosis

# The mistake ids of the contract, kata by kata.
CONTRACT = {
    "scaled-dot-product": """missing-scale scale-by-d scale-by-value-dim multiply-by-sqrt-d softmax-over-queries
        softmax-over-batch mask-inverted mask-after-softmax mask-added-as-number mask-fill-too-small mask-ignored
        naive-softmax-overflow swapped-query-key no-softmax detached-weights forces-float32 mutates-input""",
    "causal-mask": """mask-inverted diagonal-excluded diagonal-off-by-one transposed mask-after-softmax fill-with-zero
        fill-too-small softmax-over-queries wrong-dtype naive-softmax-overflow detached-scores mutates-input ignores-device""",
    "head-split-merge": """view-without-transpose interleaved-heads merge-without-transpose heads-time-swapped
        merge-order-swapped heads-reversed batch-folded no-divisibility-check view-on-non-contiguous""",
    "layernorm": """unbiased-variance eps-outside-sqrt unbiased-and-eps-outside no-eps eps-ignored wrong-axis all-axes
        no-centering one-pass-variance missing-shift missing-scale detached-statistics not-registered wrong-init
        divides-by-variance mutates-input""",
    "linear-attention": """softmax-attention quadratic no-normaliser no-feature-map relu-feature-map elu-without-one
        normaliser-wrong-axis causal-version swapped-query-key normaliser-not-inverted feature-map-on-values scaled
        detached-normaliser""",
    "multi-head-attention": """heads-not-transposed missing-scale scale-by-d-model merge-without-transpose missing-out-proj
        shared-projection softmax-wrong-dim mask-inverted mask-ignored always-causal self-attention-only
        uses-query-length-for-key averages-heads first-batch-only dropout-in-eval detached-weights""",
}


def diagnose(path: Path, kata: Kata) -> Diagnosis | None:
    try:
        with Examination.open(kata, path) as examination:
            return examination.diagnose()
    except Unusable:
        return None


@pytest.mark.parametrize("kata", CONTRACT)
def test_every_mistake_of_the_contract_is_in_the_bank_and_has_two_submissions(kata):
    known = {m.reported_id for m in read_mistakes(get_kata(kata))}
    submitted = [read_header(p).mistake for p in files("wrong", kata)]
    for id in CONTRACT[kata].split():
        assert id in known
        assert submitted.count(id) >= 2, f"{id}: {submitted.count(id)} submissions"


@pytest.mark.parametrize("kata", CONTRACT)
def test_a_kata_has_probes(kata):
    assert len(load_probes(get_kata(kata))) >= 6


NORM, ATTENTION, LINEAR = "layernorm", "scaled-dot-product", "linear-attention"
STARTS = {NORM: "dtype = x.dtype", ATTENTION: "query = query /", LINEAR: "dtype = query.dtype"}


def spoilt(kata: Kata, before: str, result: str) -> str:
    """The kata's reference with a statement before everything else, and with something else made of its answer `out`."""
    source = kata.reference.read_text(encoding="utf-8")
    head, start, body = source.partition(STARTS[kata.id])
    last = body.rindex("return ")
    answer = body[last + len("return ") :].partition("  #")[0].strip()
    return f"{head}{before or 'pass'}; {start}{body[:last]}out = {answer}; return {result}\n"


DIFFERENCES = {
    "scaled": (NORM, "", "out * 1.25", "The output is 1.25 times the right one."),
    "scaled by the input": (NORM, "", "out * len(out)", "the right one times a factor that changes with the input"),
    "shifted": (NORM, "", "out + 0.5", "The output is the right one plus 0.5."),
    "zero": (NORM, "", "out * 0", "The output is zero everywhere."),
    "not finite": (NORM, "", "out / 0", "The output holds NaN or infinity."),
    "rough": (NORM, "", "out.half().to(out.dtype)", "The output is right to about"),
    "dtype": (NORM, "", "out.half()", "The output has another dtype."),
    "shape": (NORM, "", "out[None]", "The output has another shape."),
    "random": (NORM, "", "out + torch.rand(1).to(out.dtype)", "The same input gives another answer"),
    "mutation": (ATTENTION, "", "(out, value.mul_(2))[0]", "The call changes its argument value"),
    "transposed": (ATTENTION, "", "out.mT", "The output is the right one with dimensions -2 and -1 swapped."),
    "reversed": (ATTENTION, "", "out.flip(-1)", "the right one in reverse order along dimension -1"),
    "moved": (ATTENTION, "", "out.roll(1, -2)", "the right one moved by one place along dimension -2"),
    "first row": (ATTENTION, "", "torch.cat([out[..., :1, :] * 2, out[..., 1:, :]], -2)", "Only the first row"),
    "last row": (ATTENTION, "", "torch.cat([out[..., :-1, :], out[..., -1:, :] * 2], -2)", "Only the last row"),
    "other rows": (
        ATTENTION,
        "",
        "torch.cat([out[..., :1, :], out[..., 1:, :] * 2], -2)",
        "Every row of the output but the",
    ),
    "last column": (ATTENTION, "", "torch.cat([out[..., :-1], out[..., -1:] * 2], -1)", "Only the last column"),
    "gradient scaled": (NORM, "x = x * 0.5 + x.detach() * 0.5", "out", "the gradient of x is 0.5 times the right one"),
    "gradient missing": (NORM, "x = x.detach()", "out", "The output is right, but no gradient reaches x."),
    "gradient wrong": (ATTENTION, "", "out + (value - value.detach()).sum()", "but the gradient of value is wrong"),
    "gradient raises": (NORM, "x.numpy()", "out", "raises RuntimeError where its inputs require a gradient"),
    "raises": (NORM, "raise TypeError('no')", "out", "The code raises TypeError."),
    "layout": (
        NORM,
        "x = x.view(-1, x.shape[-1]).view(x.shape)",
        "out",
        "raises RuntimeError only where x is not contiguous",
    ),
    "dimensions": (NORM, "assert x.dim() < 4", "out", "raises AssertionError only where x has four dimensions"),
    "lengths": (
        *(ATTENTION, "", "out if query.shape[-2] == key.shape[-2] else out.flip(-1)"),
        "only where there are more or fewer queries than keys",
    ),
    "batch": (
        ATTENTION,
        "",
        "out if out.dim() == 2 else out[:1].expand_as(out)",
        "only where there is a batch dimension",
    ),
    "mask": (
        ATTENTION,
        "",
        "out if attn_mask is None else out * 2",
        "2 times the right one only where a mask is given",
    ),
    "size": (LINEAR, "", "out if key.abs().max() < 50 else out * 2", "only where inputs are large"),
    "memory": (
        *(NORM, "x = x if x.requires_grad else vars(torch).setdefault(str(x.shape), x.clone())", "out"),
        "only where an earlier input had this shape",
    ),
}


@pytest.mark.parametrize(("kata", "before", "result", "wanted"), DIFFERENCES.values(), ids=list(DIFFERENCES))
def test_the_kind_of_an_unknown_difference_is_told(kata, before, result, wanted, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(spoilt(get_kata(kata), before, result), encoding="utf-8")
    diagnosis = diagnose(path, get_kata(kata))
    assert diagnosis is not None
    assert diagnosis.kind == "difference"
    assert wanted in diagnosis.explanation


def test_of_two_functions_the_wrong_one_is_named(tmp_path):
    kata = get_kata("head-split-merge")
    path = tmp_path / "mine.py"
    right = kata.reference.read_text(encoding="utf-8")
    path.write_text(f"{right}\nmerged = merge_heads\nmerge_heads = lambda x: merged(x) * 3\n", encoding="utf-8")
    diagnosis = diagnose(path, kata)
    assert diagnosis is not None
    assert diagnosis.explanation == "In merge_heads: the output is 3 times the right one."


def test_code_that_never_answers_gets_no_name(tmp_path):
    """An exception alone tells nothing, though some known mistakes raise the very same on many inputs."""
    for kata in map(get_kata, CONTRACT):
        path = tmp_path / "mine.py"
        defined = (f"def {e.name}(*args): return torch.ones(2) @ torch.ones(3)" for e in kata.entries)
        path.write_text("import torch\n" + "\n".join(defined), encoding="utf-8")
        assert not ids(diagnose(path, kata))
