"""The submissions in tests/submissions, and what their headers say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from grader.verdict import Diagnosis, Status, Verdict

FOLDER = Path(__file__).parent / "submissions"
BOTH = ("float32", "float64")


@dataclass(frozen=True)
class Submission:
    """A file and its header: the expected verdict, the mistake's id, the properties that must fail, the dtypes."""

    path: Path
    verdict: str
    mistake: str
    fails: tuple[str, ...]
    dtypes: tuple[str, ...]
    timing: str  # "too-slow" where right code is slow by design, as a loop over rows is

    @property
    def kata(self) -> str:
        return self.path.parent.parent.name

    @property
    def listed(self) -> bool:
        """Whether it holds exactly one known mistake."""
        return bool(self.mistake) and self.mistake != "unlisted" and not self.two

    @property
    def two(self) -> set[str]:
        """The ids of two known mistakes at once; empty where it is no such file."""
        kind, _, both = self.mistake.partition(":")
        return {part.strip() for part in both.split("+")} if kind == "two" else set()


@cache
def read_header(path: Path) -> Submission:
    fields = dict(re.findall(r"^# (\w+): (.*?) *$", path.read_text(encoding="utf-8"), flags=re.MULTILINE))

    def names(key: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in fields.get(key, "").split(",") if part.strip())

    return Submission(
        path,
        fields["verdict"],
        fields.get("mistake", ""),
        names("fails"),
        names("dtypes") or BOTH,
        fields.get("timing", ""),
    )


def files(kind: str, kata: str = "*") -> list[Path]:
    """The files of a kind ("right", "wrong"), of one kata or of all."""
    return sorted(FOLDER.glob(f"{kata}/{kind}/*.py"))


def name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


def failed(verdict: Verdict) -> set[str]:
    return {p.id for p in verdict.properties if p.status is Status.FAILED}


def ids(diagnosis: Diagnosis | None) -> set[str]:
    """The ids of the mistakes that it names, one or two."""
    return set() if diagnosis is None else {d.id for d in (diagnosis, *diagnosis.also)} - {""}


def explain(verdict: Verdict) -> str:
    lines = [f"{p.id}: {p.status} {p.message}" for p in verdict.properties if p.status is not Status.PASSED]
    return "\n".join([f"{verdict.outcome}: {verdict.reason}", *lines])


@contextmanager
def any_failing_input() -> Iterator[None]:
    """Grade without reducing the failing inputs: no verdict depends on that, and it takes a third of the time."""
    from grader import laws

    with pytest.MonkeyPatch.context() as patch:
        phases = [phase for phase in laws.SETTINGS["phases"] if phase.name != "shrink"]
        patch.setitem(laws.SETTINGS, "phases", phases)
        yield
