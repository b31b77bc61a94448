"""Shared fixtures: a private journal for every test, and a quick way to grade source text."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.verdict import Verdict

ROOT = Path(__file__).parent.parent

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a run in the background: what a test starts would not hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the journal of the person who runs it, or finds that person's packs of katas."""
    monkeypatch.setenv("KATA_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.delenv("KATA_PATH", raising=False)


@pytest.fixture(autouse=True)
def _faults_in_the_diagnosis_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.examiner.DIAGNOSIS_MUST_WORK", True)


@pytest.fixture
def grade_source(tmp_path: Path) -> Callable[..., Verdict]:
    """`grade_source(text, kata="layernorm")`: the verdict on a file with that text (or those bytes)."""

    def grade_source(source: str | bytes, kata: str = "layernorm", name: str = "mine.py", **options: object) -> Verdict:
        from grader.catalog import get_kata
        from grader.examiner import grade

        path = tmp_path / name
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return grade(get_kata(kata), path, **options)  # type: ignore[arg-type]

    return grade_source
