"""A failing submission is told which known mistake it makes; a right one, or another mistake, never gets a wrong name."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from corpus import files, name, read_header

from grader.catalog import Kata, get_kata
from grader.diagnose import load_probes
from grader.examiner import Examination, Unusable
from grader.mistakes import read_mistakes
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

# Submissions of a known mistake that are not named, each with the reason: `"kata/file" = "reason"`.
UNNAMED: dict[str, str] = tomllib.loads((Path(__file__).parent / "unnamed_mistakes.toml").read_text(encoding="utf-8"))


def diagnose(path: Path, kata: Kata) -> Diagnosis | None:
    try:
        with Examination.open(kata, path) as examination:
            return examination.diagnose()
    except Unusable:
        return None


def ids(diagnosis: Diagnosis | None) -> set[str]:
    """The ids named, one or two."""
    return set() if diagnosis is None else {d.id for d in (diagnosis, *diagnosis.also)} - {""}


@pytest.mark.parametrize("path", [p for p in files("wrong") if read_header(p).listed], ids=name)
def test_a_known_mistake_is_named(path):
    submission = read_header(path)
    named = ids(diagnose(path, get_kata(submission.kata)))
    if name(path) in UNNAMED:
        assert submission.mistake not in named, "named after all: unlist it"
        assert not named, f"a wrong name: {named}"
    else:
        assert submission.mistake in named


@pytest.mark.parametrize("path", [p for p in files("wrong") if read_header(p).mistake.startswith("two:")], ids=name)
def test_two_mistakes_at_once_are_both_named(path):
    submission = read_header(path)
    diagnosis = diagnose(path, get_kata(submission.kata))
    if name(path) in UNNAMED:
        assert not ids(diagnosis)
        return
    assert ids(diagnosis) == {part.strip() for part in submission.mistake.removeprefix("two:").split("+")}


@pytest.mark.parametrize("path", files("right"), ids=name)
def test_a_right_submission_gets_no_diagnosis(path):
    assert diagnose(path, get_kata(path.parent.parent.name)) is None


@pytest.mark.parametrize("path", [p for p in files("wrong") if read_header(p).mistake == "unlisted"], ids=name)
def test_another_mistake_gets_no_name_of_the_contract(path):
    kata = path.parent.parent.name
    assert not ids(diagnose(path, get_kata(kata))) & set(CONTRACT[kata].split())


def test_few_known_mistakes_go_unnamed():
    listed = [p for p in files("wrong") if read_header(p).listed or read_header(p).mistake.startswith("two:")]
    assert set(UNNAMED) <= {name(p) for p in listed}
    assert len(UNNAMED) <= 0.05 * len(listed)


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


RIGHT = get_kata("layernorm").reference.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (("+ self.bias).to(dtype)", "+ self.bias).to(dtype) * 1.25"), "1.25 times the right one"),
        (("+ self.bias).to(dtype)", "+ self.bias).to(dtype) + 0.5"), "the right one plus 0.5"),
        (
            ("dtype = x.dtype", "x = x * 0.5 + x.detach() * 0.5; dtype = x.dtype"),
            "the gradient of x is 0.5 times the right one",
        ),
        (("dtype = x.dtype", "x = x.detach(); dtype = x.dtype"), "no gradient reaches x"),
        (
            ("dtype = x.dtype", "x = x.view(-1, x.shape[-1]).view(x.shape); dtype = x.dtype"),
            "where x is not contiguous",
        ),
        (("dtype = x.dtype", "assert x.dim() < 4; dtype = x.dtype"), "where x has four dimensions"),
        (("dtype = x.dtype", "raise TypeError('no')"), "raises TypeError"),
    ],
    ids=["scaled", "shifted", "gradient", "detached", "non-contiguous", "four-dimensions", "raises"],
)
def test_the_kind_of_an_unknown_difference_is_told(change, wanted, tmp_path):
    assert change[0] in RIGHT
    path = tmp_path / "mine.py"
    path.write_text(RIGHT.replace(*change), encoding="utf-8")
    diagnosis = diagnose(path, get_kata("layernorm"))
    assert diagnosis is not None
    assert diagnosis.kind == "difference"
    assert wanted in diagnosis.explanation
