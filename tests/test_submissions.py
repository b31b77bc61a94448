"""Every file in tests/submissions gets the verdict that its header states, in float32 and in float64, and the mistake's name.

A wrong file must fail on the property that states the law it breaks, not merely somewhere. A failing submission is told which
known mistake it makes; a right one, or another mistake, never gets a wrong name.

One examination gives both the verdict and the diagnosis: six hundred files are not loaded once more for it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from corpus import BOTH, Submission, any_failing_input, explain, failed, files, ids, name, read_header

from grader.catalog import find_katas, get_kata
from grader.examiner import Examination, grade
from grader.loading import Unusable
from grader.verdict import Diagnosis, Outcome, Status, Verdict

# Submissions of a known mistake that are not named, each with the reason: `"kata/file" = "reason"`.
UNNAMED: dict[str, str] = tomllib.loads((Path(__file__).parent / "unnamed_mistakes.toml").read_text(encoding="utf-8"))

# Each kata has some of these. A forbidden operator is seen in the calls of other properties, in the most ordinary already.
ORDINARY = ("matches-formula", "weights-match-formula", "mask-is-lower-triangle")


@pytest.mark.parametrize("path", files("right"), ids=name)
def test_a_right_submission_passes_and_gets_no_diagnosis(path: Path) -> None:
    verdict, diagnosis = examine(path, BOTH)
    assert verdict.outcome is Outcome.PASS, explain(verdict)
    assert diagnosis is None


@pytest.mark.parametrize("path", files("wrong"), ids=name)
def test_a_wrong_submission_fails_on_its_law_in_every_dtype_and_its_mistake_is_named(path: Path) -> None:
    expected = read_header(path)
    assert set(expected.dtypes) <= set(BOTH)
    only = (*expected.fails, *ORDINARY) if "no-forbidden-operator" in expected.fails else expected.fails
    *others, last = expected.dtypes
    for dtype in others:
        with any_failing_input():
            check_verdict(expected, grade(get_kata(expected.kata), path, dtypes=[dtype], only=only, explain=False))
    verdict, diagnosis = examine(path, [last], only)
    check_verdict(expected, verdict)
    check_name(expected, diagnosis)


def examine(path: Path, dtypes: Sequence[str], only: tuple[str, ...] = ()) -> tuple[Verdict, Diagnosis | None]:
    """The verdict, and what the diagnosis says, whatever the verdict is."""
    try:
        with Examination.open(get_kata(read_header(path).kata), path, dtypes=dtypes) as examination:
            return examination.run(only), examination.diagnose()
    except Unusable as error:
        return error.verdict, None


def check_verdict(expected: Submission, verdict: Verdict) -> None:
    assert verdict.outcome == expected.verdict, f"{verdict.dtypes}: {explain(verdict)}"
    assert set(expected.fails) <= failed(verdict), f"{verdict.dtypes}: {explain(verdict)}"


def check_name(expected: Submission, diagnosis: Diagnosis | None) -> None:
    """A known mistake is named, two at once are both named, and another mistake gets no name."""
    named = ids(diagnosis)
    if expected.mistake == "unlisted":
        assert not named, f"a wrong name: {named}"
    elif name(expected.path) in UNNAMED:
        assert expected.mistake not in named, "named after all: unlist it"
        assert not named, f"a wrong name: {named}"
    elif expected.two:
        assert named == expected.two
    else:
        assert expected.listed, "the header names no mistake"
        assert expected.mistake in named


def test_few_known_mistakes_go_unnamed() -> None:
    listed = [p for p in files("wrong") if read_header(p).listed or read_header(p).two]
    assert set(UNNAMED) <= {name(p) for p in listed}
    assert len(UNNAMED) <= 0.05 * len(listed)


@pytest.mark.parametrize("kata", find_katas().values(), ids=lambda k: k.id)
def test_there_are_enough_submissions(kata) -> None:
    wrong = [read_header(p) for p in files("wrong", kata.id)]
    assert len(files("right", kata.id)) >= 8
    assert sum(w.mistake == "unlisted" for w in wrong) >= 10
    assert all(w.fails or w.verdict == "unusable" for w in wrong), "a wrong file names the property it must fail on"


@pytest.mark.parametrize("kata", find_katas().values(), ids=lambda k: k.id)
def test_reference_passes_and_stub_fails(kata, tmp_path: Path) -> None:
    for dtype in BOTH:
        verdict = grade(kata, kata.reference, dtypes=[dtype])
        assert verdict.outcome is Outcome.PASS, explain(verdict)
        assert all(p.status is Status.PASSED for p in verdict.properties), explain(verdict)
    stub = tmp_path / "stub.py"
    stub.write_text(kata.stub, encoding="utf-8")
    verdict = grade(kata, stub)
    assert verdict.outcome is Outcome.FAIL, explain(verdict)
    assert "NotImplementedError" in (verdict.first_failure.message if verdict.first_failure else "")
