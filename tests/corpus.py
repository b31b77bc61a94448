"""The submissions in tests/submissions, and what their headers say of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.verdict import Status, Verdict

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
        return bool(self.mistake) and self.mistake != "unlisted" and not self.mistake.startswith("two:")


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


def explain(verdict: Verdict) -> str:
    lines = [f"{p.id}: {p.status} {p.message}" for p in verdict.properties if p.status is not Status.PASSED]
    return "\n".join([f"{verdict.outcome}: {verdict.reason}", *lines])
