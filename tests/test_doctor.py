"""`kata doctor` without what is slow in it: what it says of the journal and of packs is so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader import doctor
from grader.output import Look

LOOK = Look(terminal=False, color=False, unicode=True, width=80)


@pytest.fixture(autouse=True)
def _only_what_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    for probe in ("_torch", "_isolation"):
        monkeypatch.setattr(doctor, probe, lambda: iter(()))


def facts(**options: object) -> dict[str, str]:
    lines, _ = doctor.examine(LOOK, **options)  # type: ignore[arg-type]
    return dict(line.partition(": ")[::2] for line in lines)


@pytest.mark.parametrize("home", [f"{os.devnull}/nope", "/proc/nope", "/proc/self/fd/deep/er"])
def test_a_journal_that_cannot_be_made_is_not_called_writable(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rights of /proc say yes to root, and to nobody else."""
    monkeypatch.setenv("KATA_HOME", home)
    assert facts()["journal"].endswith("(not begun, not writable)")


def test_a_journal_that_can_be_made_is_writable_and_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATA_HOME", str(tmp_path / "a" / "b"))
    assert facts()["journal"].endswith("(not begun, writable)")
    assert list(tmp_path.iterdir()) == []


def test_a_pack_that_is_left_out_is_told(tmp_path: Path) -> None:
    said = facts(broken={tmp_path: "katas/x/kata.toml is no valid TOML"})
    assert said["katas left out"] == f"{tmp_path}: katas/x/kata.toml is no valid TOML"
