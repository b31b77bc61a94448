"""The commands of `kata interview` that need no terminal, and what those that do say without one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader import cli
from grader.desk import Desk
from grader.errors import UsageError
from grader.interview import session
from grader.interview.clock import SystemClock
from grader.interview.log import SessionLog
from grader.interview.plan import Plan, RoundPlan
from grader.interview.preparation import find_free_folder, plan_rounds, share_out
from grader.interview.session import _ungraded_log
from grader.journal.events import Journal
from grader.journal.exchange import export
from grader.output import Look, Output

HELPER = f"""
import json, runpy, sys
from grader.render.jsonout import verdict_document
verdict = verdict_document(runpy.run_path({str(Path(__file__).parent / "samples.py")!r})["failing"]())
for line in sys.stdin:
    print(json.dumps({{"tag": json.loads(line)["tag"], "verdict": verdict, "fault": ""}}), flush=True)
"""


@pytest.fixture
def kata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `kata` in this process, without a terminal, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KATA_HOME", str(tmp_path / "home"))
    return lambda *arguments: cli.run(list(arguments))


@pytest.fixture
def journal(tmp_path: Path) -> Any:
    made = Journal(tmp_path / "home", warn=print)
    yield made
    made.close()


def begin(journal: Journal, folder: Path, minutes: float = 30, **changes: Any) -> SessionLog:
    plan = Plan("screen", (RoundPlan(minutes, ("layernorm",)),), str(folder / "interview-1"), 7, **changes)
    log = SessionLog.begin(journal, SystemClock(), plan)
    path = folder / "interview-1" / "layernorm.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    log.add("start", "layernorm", {"written": True}, path=path, source=b"the stub")
    log.add("begin")
    return log


def test_a_session_needs_a_terminal_and_says_what_works_without(kata: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ([], ["screen"]):
        assert kata("interview", *command) == 2
        said = capsys.readouterr()
        assert "needs a terminal" in said.err
        assert "status, list, finish and abort work anywhere" in said.err
        assert said.out == ""


def test_going_back_needs_a_terminal_only_where_there_is_something_to_go_back_to(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["resume"], ["finish"], ["abort", "--yes"]):
        assert kata("interview", *command) == 2
        assert "no interview is running" in capsys.readouterr().err
    assert kata("interview", "resume", "7") == 2
    assert "interview 7 is not in the journal" in capsys.readouterr().err
    begin(journal, tmp_path)
    assert kata("interview", "resume") == 2
    assert "needs a terminal" in capsys.readouterr().err
    assert kata("interview") == 2
    assert "interview 1 is still running" in capsys.readouterr().err


def test_without_any_session_every_command_says_how_to_begin(kata: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert kata("interview", "status") == 0
    assert kata("interview", "list") == 0
    assert kata("interview", "finish") == 2
    assert kata("interview", "abort", "--yes") == 2
    said = capsys.readouterr()
    assert said.out == "No interview yet.\nNo interview yet.\n"
    assert "no interview is running" in said.err


def test_json_is_one_document_even_where_there_is_nothing(kata: Any, capsys: pytest.CaptureFixture[str]) -> None:
    kata("interview", "list", "--json")
    assert json.loads(capsys.readouterr().out) == {"schema_version": 1, "interviews": []}
    kata("interview", "status", "--json")
    assert json.loads(capsys.readouterr().out) == {"schema_version": 1, "running": False, "interviews": []}


def test_status_tells_the_rest_the_phase_and_the_file(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(journal, tmp_path).add("phase", "", {"round": 0, "phase": "implement"})
    assert kata("interview", "status") == 0
    said = capsys.readouterr()
    assert "Interview 1, screen" in said.out
    assert "running, 29:5" in said.out
    assert "implement: 0:00 of 16:30" in said.out
    assert "layernorm.py" in said.out
    assert "Next: kata interview resume" in said.err


def test_status_as_json_is_for_programs(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(journal, tmp_path).add("hint", "layernorm", {"rung": 1})
    kata("interview", "status", "--json")
    document = json.loads(capsys.readouterr().out)
    (session,) = document["interviews"]
    assert document["running"]
    assert 1790 < session["left_seconds"] <= 1800
    assert (session["state"], session["phase"], session["practice"]) == ("running", "clarify", False)
    assert session["katas"][0] | {"saves": 0} == {
        "id": "layernorm",
        "round": 1,
        "saves": 0,
        "hints": 1,
        "last_grade": None,
        "result": None,
    }


def test_a_grade_that_the_policy_keeps_is_in_no_document(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grade = {"verdict": "pass", "passed": 13, "required": 13}
    begin(journal, tmp_path, feedback="none").add("grade", "layernorm", grade, source=b"x")
    kata("interview", "status", "--json")
    kata("interview", "status")
    kata("interview", "list")
    assert "pass" not in capsys.readouterr().out


def test_list_shows_what_ended_and_what_runs(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = begin(journal, tmp_path)
    first.add("hand-in", "layernorm", {"round": 0}, source=b"x")
    first.add("grade", "layernorm", {"verdict": "pass", "passed": 13, "required": 13}, source=b"x")
    first.add("finish")
    begin(journal, tmp_path)
    assert kata("interview", "list") == 0
    rows = capsys.readouterr().out
    assert "finished" in rows
    assert "pass 13/13" in rows
    assert "running, 29:5" in rows


def test_abort_asks_and_without_a_terminal_wants_yes(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(journal, tmp_path)
    assert kata("interview", "abort") == 2
    assert "kata interview abort --yes" in capsys.readouterr().err
    assert kata("interview", "abort", "--yes") == 0
    kinds = [event.kind for event in journal.events(session=1)]
    assert kinds == ["start", "begin", "save", "hand-in", "abort"]
    assert (tmp_path / "interview-1" / "layernorm.py").read_text() == "mine"


def test_a_session_that_is_none_or_over_is_named(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(journal, tmp_path).add("abort")
    assert kata("interview", "finish", "1") == 2
    assert "interview 1 has ended" in capsys.readouterr().err
    assert kata("interview", "finish", "9") == 2
    assert "interview 9 is not in the journal" in capsys.readouterr().err


def test_finish_hands_in_and_grades_without_a_terminal(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.grade_helper.COMMAND", (sys.executable, "-c", HELPER))
    begin(journal, tmp_path)
    assert kata("interview", "finish", "--json") == 0
    (session,) = json.loads(capsys.readouterr().out)["interviews"]
    assert session["state"] == "finished"
    assert session["left_seconds"] is None
    assert session["katas"][0]["result"] == "fail"
    kinds = [event.kind for event in journal.events(session=1)]
    assert kinds == ["start", "begin", "save", "hand-in", "finish", "grade"]


def test_grades_that_were_interrupted_after_the_end_can_still_be_had(
    journal: Journal, tmp_path: Path, kata: Any
) -> None:
    log = begin(journal, tmp_path)
    log.add("hand-in", "layernorm", {"round": 0}, source=b"x")
    log.add("finish")
    desk = Desk(Output())
    found = _ungraded_log(desk, None)
    assert found is not None
    assert found.session.id == 1
    log.add("grade", "layernorm", {"verdict": "fail", "passed": 1, "required": 2}, source=b"x")
    assert _ungraded_log(desk, None) is None
    desk.close()


def test_finishing_asks_where_time_would_be_given_away(
    kata: Any,
    journal: Journal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = begin(journal, tmp_path)
    asked: list[str] = []

    def no(desk: Desk, question: str, wanted: str = "") -> bool:
        asked.append(question)
        return False

    monkeypatch.setattr(session, "_agreed", no)
    monkeypatch.setattr(session, "_is_terminal", lambda stream: True)
    monkeypatch.setattr("grader.output.decide", lambda stream, environ: Look(True, False, True, 80))
    assert kata("interview", "finish") == 0
    assert "It goes on." in capsys.readouterr().err
    log.poll()
    assert log.interview.open
    assert len(asked) == 1
    assert asked[0].startswith("Hand in and finish interview 1, with 29:5")


def test_events_that_make_no_sense_are_passed_over(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(journal, tmp_path).add("credit", "layernorm", {"round": 0, "seconds": "many"})
    journal.begin_session("interview", {"rounds": "none"})
    assert kata("interview", "list") == 0
    assert kata("interview", "status", "--json") == 0
    said = capsys.readouterr()
    assert "running, 29:5" in said.out
    assert said.err == ""


def test_an_option_before_a_preset_is_no_silent_loss(kata: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert kata("interview", "--seed", "3", "screen") == 2
    assert "kata interview screen --seed" in capsys.readouterr().err


def test_help_lists_beginning_before_ending(kata: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert kata("interview", "--help") == 0
    text = capsys.readouterr().out
    places = [text.index(f"  {name}  ") for name in ("screen", "standard", "onsite", "resume", "finish", "abort")]
    assert places == sorted(places)


def test_help_of_kata_imports_nothing_of_a_session() -> None:
    code = (
        "import sys; from grader import cli; cli.run(['--help']);"
        "print(sorted(m for m in sys.modules if m in ('torch', 'sqlite3', 'termios') or"
        " m.startswith(('grader.interview.', 'grader.render.interview'))), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert found.stderr.strip() == "['grader.interview.command', 'grader.interview.presets']"


class TestThePlan:
    @pytest.fixture
    def desk(self, kata: Any) -> Any:
        made = Desk(Output())
        yield made
        made.close()

    def test_is_the_same_for_the_same_seed(self, desk: Desk) -> None:
        assert plan_rounds(desk, (45, 45), None, 5, "any") == plan_rounds(desk, (45, 45), None, 5, "any")

    def test_tells_the_seed_that_was_taken_where_none_was_given(self, desk: Desk) -> None:
        rounds, drawn, seed = plan_rounds(desk, (45,), None, None, "any")
        assert drawn
        assert plan_rounds(desk, (45,), None, seed, "any")[0] == rounds

    def test_takes_named_katas_as_people_write_them(self, desk: Desk) -> None:
        rounds, drawn, _ = plan_rounds(desk, (60,), "LayerNorm, causal_mask", 0, "any")
        assert not drawn
        assert [each.katas for each in rounds] == [("layernorm", "causal-mask")]

    def test_shares_named_katas_out_over_the_rounds(self) -> None:
        assert share_out(["a", "b"], 2) == [("a",), ("b",)]
        assert share_out(["a", "b", "c"], 2) == [("a",), ("b", "c")]

    def test_wants_a_kata_for_each_round_and_none_twice(self) -> None:
        with pytest.raises(UsageError, match="at least 2 katas are wanted"):
            share_out(["a"], 2)
        with pytest.raises(UsageError, match="named twice"):
            share_out(["a", "a"], 1)

    def test_puts_the_files_where_nothing_is(self, tmp_path: Path) -> None:
        assert find_free_folder(tmp_path, 7).name == "interview-7"
        (tmp_path / "interview-7").mkdir()
        (tmp_path / "interview-7-2").symlink_to("nowhere")
        assert find_free_folder(tmp_path, 7).name == "interview-7-3"

    def test_the_folder_has_the_number_of_the_session(self, journal: Journal) -> None:
        assert journal.next_session() == journal.begin_session("interview", {})
        assert journal.next_session() == journal.begin_session("interview", {}) == 2


@pytest.fixture
def brought(journal: Journal, tmp_path: Path) -> Path:
    """A running session of another machine: an export whose every path is one of this machine's."""
    log = begin(journal, tmp_path)
    log.add("save", "layernorm", source=b"brought along")
    lines: list[str] = []
    export(journal, lines.append)
    journal.close()
    secret = tmp_path / "secret.py"
    secret.write_text("of this machine")
    (tmp_path / "home" / "journal.sqlite3").unlink()
    hostile = "".join(lines).replace(str(tmp_path / "interview-1" / "layernorm.py"), str(secret))
    (tmp_path / "export.jsonl").write_text(hostile.replace(str(tmp_path / "interview-1"), str(tmp_path / "elsewhere")))
    return tmp_path / "export.jsonl"


def test_a_session_of_another_machine_is_in_nobodys_way(
    kata: Any, brought: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kata("import", str(brought)) == 0
    desk = Desk(Output())
    session._refuse_second(desk)  # raises nothing
    desk.close()
    assert kata("interview", "finish") == 2
    assert "no interview is running" in capsys.readouterr().err
    monkeypatch.setattr(session, "_need_terminal", lambda: None)
    assert kata("interview", "resume", "1") == 2
    assert "began on another machine" in capsys.readouterr().err


def test_a_session_of_another_machine_is_finished_from_what_came_along(
    kata: Any, brought: Path, journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.grade_helper.COMMAND", (sys.executable, "-c", HELPER))
    kata("import", str(brought))
    assert kata("interview", "finish", "1") == 0
    (handed_in,) = journal.events(kinds=("hand-in",))
    assert journal.source(handed_in.source or "") == b"brought along"
    assert not (tmp_path / "elsewhere").exists()


def test_a_session_whose_kata_is_gone_is_in_nobodys_way_once_it_is_ended(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan("screen", (RoundPlan(30, ("gone-since",)),), str(tmp_path / "interview-1"), 7)
    SessionLog.begin(journal, SystemClock(), plan).add("begin")
    assert kata("interview", "finish", "--yes") != 0
    assert "kata interview abort" in capsys.readouterr().err
    assert kata("interview", "abort", "--yes") == 0
    assert [event.kind for event in journal.events()] == ["begin", "hand-in", "abort"]


@pytest.mark.parametrize("arguments", [("--minutes", "nan"), ("replay", "--speed", "nan"), ("--minutes", "601")])
def test_what_is_no_number_of_minutes_is_refused(
    kata: Any, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert kata("interview", *arguments) == 2
    assert arguments[-1] in capsys.readouterr().err


def test_ctrl_c_while_it_is_graded_says_how_to_go_on(
    kata: Any, journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Any) -> None:
        raise KeyboardInterrupt

    begin(journal, tmp_path)
    monkeypatch.setattr("grader.interview.conduct.Conductor.grade_all", interrupt)
    assert kata("interview", "finish", "--yes") == 130
    assert "Next: kata interview finish" in capsys.readouterr().err


def test_a_journal_that_takes_nothing_is_known_before_the_clock_starts(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    warnings: list[str] = []
    unusable = Journal(tmp_path / "home", warn=warnings.append)
    assert not unusable.is_writable()
    assert "progress is not saved" in warnings[0]
    other = Journal(tmp_path / "other", warn=warnings.append)
    assert other.is_writable()
    assert other.is_writable()
    assert len(warnings) == 1
    other.close()
