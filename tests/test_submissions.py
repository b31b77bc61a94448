"""Every file in tests/submissions gets the verdict that its header states, in float32 and in float64.

A wrong file must fail on the property that states the law it breaks, not merely somewhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import BOTH, explain, failed, files, name, read_header

from grader.catalog import find_katas, get_kata
from grader.examiner import grade
from grader.verdict import Outcome, Status


@pytest.mark.parametrize("path", files("right"), ids=name)
def test_right_submission_passes(path: Path) -> None:
    verdict = grade(get_kata(read_header(path).kata), path, dtypes=BOTH)
    assert verdict.outcome is Outcome.PASS, explain(verdict)


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("path", files("wrong"), ids=name)
def test_wrong_submission_fails_on_its_law(path: Path, dtype: str) -> None:
    expected = read_header(path)
    if dtype not in expected.dtypes:
        pytest.skip(f"this mistake shows in {', '.join(expected.dtypes)} only, as its header says")
    only = () if "no-forbidden-operator" in expected.fails else expected.fails  # that one watches all the others
    verdict = grade(get_kata(expected.kata), path, dtypes=[dtype], only=only, explain=False)
    assert verdict.outcome == expected.verdict, explain(verdict)
    assert set(expected.fails) <= failed(verdict), explain(verdict)


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
