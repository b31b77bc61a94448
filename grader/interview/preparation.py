"""Before the clock starts: which katas, in which folder, on which machine. Knows nothing about terminals and sessions."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from grader.desk import Desk
from grader.errors import GraderError, UsageError
from grader.interview.clock import SystemClock
from grader.interview.plan import Plan, RoundPlan
from grader.render.text import amount


def plan_rounds(
    desk: Desk, minutes: tuple[float, ...], named: str | None, seed: int | None, difficulty: str
) -> tuple[tuple[RoundPlan, ...], bool, int]:
    """The katas of each round, whether they were drawn, and the seed."""
    from grader.interview.draw import draw

    seed = secrets.randbelow(1_000_000) if seed is None else seed
    if named is None:
        katas = list(desk.katas.values())
        now = datetime.fromtimestamp(SystemClock().read().wall, UTC)
        drawn = draw(katas, desk.journal.progress(), minutes, seed=seed, now=now, difficulty=difficulty)
    else:
        ids = [desk.kata(name.strip()).id for name in named.split(",") if name.strip()]
        drawn = share_out(ids, len(minutes))
    rounds = tuple(RoundPlan(*each) for each in zip(minutes, drawn, strict=True))
    return rounds, named is None, seed


def share_out(ids: Sequence[str], rounds: int) -> list[tuple[str, ...]]:
    """Named katas over the rounds, in their order."""
    if len(set(ids)) < len(ids):
        raise UsageError("a kata is named twice", "name each kata once")
    if len(ids) < rounds:
        wanted = amount(rounds, "kata")
        raise UsageError(f"--katas names {len(ids)}, and at least {wanted} are wanted, one a round", "kata list")
    cuts = [len(ids) * number // rounds for number in range(rounds + 1)]
    return [tuple(ids[start:end]) for start, end in pairwise(cuts)]


def find_free_folder(folder: Path, session: int) -> Path:
    """A folder with the session's number for its files, which is not there yet: nobody's file is in the way."""
    path, more = folder / f"interview-{session}", 1
    while path.exists() or path.is_symlink():
        more += 1
        path = folder / f"interview-{session}-{more}"
    return path


def describe_environment() -> dict[str, str]:
    """What a report says about the machine; raises where torch is not installed."""
    import platform

    from grader.doctor import version

    found = {name: version(name) for name in ("torch-kata", "torch", "hypothesis", "pytest")}
    if found["torch"] == "not installed":
        raise GraderError("torch is not installed here", "pip install torch")
    return {"python": platform.python_version(), "platform": platform.platform(), **found}


def describe_health(desk: Desk, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    python, torch = environment["python"], environment["torch"]
    return [("software", f"python {python}, torch {torch}"), ("journal", str(desk.journal.path))]


def make_folder(plan: Plan) -> Path:
    """The folder of the session's files, made if it is not there. UsageError where it cannot be."""
    folder = Path(plan.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"cannot make the folder {folder}: {reason}", "change to a folder of yours") from None
    return folder
