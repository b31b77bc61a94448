"""Every file in tests/submissions gets the verdict that its header states, in float32 and in float64.

A wrong file must fail on the property that states the law it breaks, not merely somewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from grader.catalog import find_katas, get_kata
from grader.examiner import grade
from grader.verdict import Outcome, Status, Verdict

FOLDER = Path(__file__).parent / "submissions"
BOTH = ("float32", "float64")


@dataclass(frozen=True)
class Submission:
    """A file and what its header says of it."""

    path: Path
    verdict: str
    mistake: str
    fails: tuple[str, ...]
    dtypes: tuple[str, ...]

    @property
    def kata(self) -> str:
        return self.path.parent.parent.name


@cache
def read_header(path: Path) -> Submission:
    fields = dict(re.findall(r"^# (\w+): (.*?) *$", path.read_text(encoding="utf-8"), flags=re.MULTILINE))

    def names(key: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in fields.get(key, "").split(",") if part.strip())

    return Submission(path, fields["verdict"], fields.get("mistake", ""), names("fails"), names("dtypes") or BOTH)


def files(kind: str) -> list[Path]:
    return sorted(FOLDER.glob(f"*/{kind}/*.py"))


def name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


def failed(verdict: Verdict) -> set[str]:
    return {p.id for p in verdict.properties if p.status is Status.FAILED}


def explain(verdict: Verdict) -> str:
    lines = [f"{p.id}: {p.status} {p.message}" for p in verdict.properties if p.status is not Status.PASSED]
    return "\n".join([f"{verdict.outcome}: {verdict.reason}", *lines])


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("path", files("right"), ids=name)
def test_right_submission_passes(path: Path, dtype: str) -> None:
    verdict = grade(get_kata(read_header(path).kata), path, dtypes=[dtype])
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
    right = [p for p in files("right") if p.parent.parent.name == kata.id]
    wrong = [read_header(p) for p in files("wrong") if p.parent.parent.name == kata.id]
    assert len(right) >= 8
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
