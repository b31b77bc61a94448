"""Grading in a process of its own: it answers, it may die, it hinders nobody."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import grade_helper
from grader.catalog import get_kata
from grader.grade_helper import GradeHelper, Request

LAYERNORM = get_kata("layernorm")
ECHO = """
import json, sys
print(json.dumps({"tag": "ready", "isolation": "full"}), flush=True)
for line in sys.stdin:
    print(json.dumps({"tag": json.loads(line)["tag"], "verdict": {"verdict": "pass"}, "fault": ""}), flush=True)
"""
DIES = "import json, sys; print(json.dumps({'tag': 'ready', 'isolation': 'full'}), flush=True); sys.stdin.readline()"
SLEEPS = "import time; time.sleep(600)"
FIRST_HANGS = ECHO.replace("for line in sys.stdin:", "for line in sys.stdin:\n    while 'hangs' in line: pass")
SILENT = "import sys; sys.stdin.read()"


@pytest.fixture
def helper(request: pytest.FixtureRequest) -> Iterator[GradeHelper]:
    made = GradeHelper([sys.executable, "-c", request.param]) if request.param else GradeHelper()
    yield made
    made.close()


def request(tag: str, source: bytes = b"x") -> Request:
    return Request(tag, LAYERNORM, source, "layernorm.py")


@pytest.mark.parametrize("helper", [""], indirect=True)
def test_grades_for_real_although_torch_is_not_imported_here(
    helper: GradeHelper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What lies beside the candidate's file is not taken for the grader or for torch.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grader.py").write_text("raise SystemExit('the wrong grader')")
    (tmp_path / "torch.py").write_text("raise SystemExit('the wrong torch')")
    helper.submit(request("right", LAYERNORM.reference.read_bytes()))
    helper.submit(request("broken", b"def ("))
    first = helper.wait()
    second = helper.wait()
    verdicts = [(a.request.tag, a.verdict and a.verdict["verdict"], a.fault) for a in (*first, *second)]
    assert verdicts == [("right", "pass", ""), ("broken", "unusable", "")]
    assert helper.ready is not None
    assert "isolation" in helper.ready


@pytest.mark.parametrize("helper", [ECHO], indirect=True)
def test_answers_one_after_the_other(helper: GradeHelper) -> None:
    for tag in ("a", "b", "c"):
        helper.submit(request(tag))
    assert helper.busy is not None
    tags = [answer.request.tag for _ in range(3) for answer in helper.wait()]
    assert tags == ["a", "b", "c"]
    assert helper.busy is None


@pytest.mark.parametrize("helper", [DIES], indirect=True)
def test_a_death_is_a_fault_of_ours_and_the_next_grade_gets_a_new_process(helper: GradeHelper) -> None:
    for tag in ("a", "b"):
        helper.submit(request(tag))
        (answer,) = helper.wait()
        assert (answer.request.tag, answer.verdict) == (tag, None)
        assert answer.fault == "the process that grades has died"


@pytest.mark.parametrize("helper", [SILENT], indirect=True)
def test_silence_is_a_fault_of_ours(helper: GradeHelper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade_helper, "PATIENCE", 0.0)
    helper.submit(request("a"))
    (answer,) = helper.wait()
    assert answer.fault.startswith("no verdict came within")


def test_a_process_that_cannot_be_made_is_a_fault_of_ours(tmp_path: Path) -> None:
    helper = GradeHelper([str(tmp_path / "nothing")])
    helper.submit(request("a"))
    (answer,) = helper.poll()
    assert answer.fault == "the process that grades cannot be started"
    assert helper.busy is None


LARGE = bytes(range(256)) * 4096  # no pipe takes it whole


@pytest.mark.parametrize("helper", [SLEEPS], indirect=True)
def test_nobody_waits_for_a_process_that_takes_nothing(helper: GradeHelper) -> None:
    helper.submit(request("a", LARGE))
    assert helper.sending
    assert helper.poll() == []
    assert helper.busy is not None


@pytest.mark.parametrize("helper", [ECHO], indirect=True)
def test_what_no_pipe_takes_whole_arrives_bit_by_bit(helper: GradeHelper) -> None:
    helper.submit(request("a", LARGE))
    (answer,) = helper.wait()
    assert answer.verdict == {"verdict": "pass"}
    assert not helper.sending


@pytest.mark.parametrize("helper", [FIRST_HANGS], indirect=True)
def test_what_hangs_can_be_cancelled_and_the_next_grade_gets_a_new_process(helper: GradeHelper) -> None:
    for tag in ("hangs", "unwanted", "b"):
        helper.submit(request(tag))
    helper.cancel("unwanted")
    helper.cancel("hangs")
    helper.cancel("nothing")
    (answer,) = helper.wait()
    assert (answer.request.tag, answer.verdict) == ("b", {"verdict": "pass"})
    assert helper.busy is None


@pytest.mark.parametrize("helper", ["raise SystemExit"], indirect=True)
def test_a_process_that_cannot_start_says_so_before_anything_begins(helper: GradeHelper) -> None:
    assert helper.wait_until_ready(10)["fault"] == "the process that grades has died"


@pytest.mark.parametrize("helper", [SILENT], indirect=True)
def test_waiting_for_nothing_returns_at_once(helper: GradeHelper) -> None:
    assert helper.wait() == []


@pytest.mark.parametrize("helper", [SILENT], indirect=True)
def test_the_process_is_gone_after_close(helper: GradeHelper) -> None:
    helper.warm_up()
    assert helper._process is not None
    pid = helper._process.pid
    helper.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
