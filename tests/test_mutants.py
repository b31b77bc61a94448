"""The properties notice every single-operator mutant of every reference that differs on the contract's inputs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from corpus import any_failing_input
from mutation import Mutant, mutants

from grader.catalog import Kata, find_katas
from grader.examiner import grade
from grader.verdict import Status, Verdict

# Mutants that answer like the reference on everything the contract allows, each with the reason.
EQUIVALENT: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "equivalent_mutants.toml").read_text(encoding="utf-8")
)


def all_mutants() -> list[tuple[Kata, Mutant]]:
    return [(k, m) for k in find_katas().values() for m in mutants(k.reference.read_text(encoding="utf-8"))]


def examine(kata: Kata, mutant: Mutant, folder: Path) -> Verdict:
    path = folder / "mutant.py"
    path.write_text(mutant.source, encoding="utf-8")
    with any_failing_input():
        return grade(kata, path, explain=False, until_failure=True)


def noticed(verdict: Verdict) -> bool:
    """The reference passes every property, stretch ones too; a mutant does not."""
    return not verdict.properties or any(p.status is not Status.PASSED for p in verdict.properties)


@pytest.mark.parametrize(("kata", "mutant"), all_mutants(), ids=lambda x: x.id if isinstance(x, Kata) else x.name[:60])
def test_mutant_is_noticed(kata: Kata, mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.worker_process.CALL_SECONDS", 5)
    reason = EQUIVALENT.get(kata.id, {}).get(mutant.name)
    if reason is not None:
        assert not noticed(examine(kata, mutant, tmp_path)), f"listed as equivalent ({reason}), but noticed: unlist it"
    else:
        assert noticed(examine(kata, mutant, tmp_path)), f"survives: {mutant.name}"


def test_the_list_of_equivalent_mutants_is_up_to_date() -> None:
    known = {(kata.id, mutant.name) for kata, mutant in all_mutants()}
    assert {(kata, name) for kata, names in EQUIVALENT.items() for name in names} <= known
