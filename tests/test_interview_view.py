"""The live view without a terminal: what is said when, and what the keys do, on a fake clock."""

from __future__ import annotations

import dataclasses
import io
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.interview.live import LEFT, MOVED, LiveView
from grader.interview.lock import ViewLock
from grader.output import Output
from grader.verdict import CandidateException, Frame, Status

conduct = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "test_interview_conduct.py")))

samples = conduct.samples


def of_the_stub() -> Any:
    """Every law fails for the one reason."""
    blank = CandidateException("NotImplementedError", "", (Frame(15, "forward", "raise NotImplementedError"),))
    failed = [samples.result(law, Status.FAILED, message="raised", exception=blank) for law in samples.LAWS]
    return samples.failing(properties=tuple(failed))


class View:
    """A live view whose loop the test turns by hand."""

    def __init__(self, stage: Any) -> None:
        self.stage, self.stream = stage, io.StringIO()
        output = Output(self.stream, io.StringIO(), {"COLUMNS": "100"})
        self.live = LiveView(output, stage.conductor, ViewLock(stage.home), stage.warnings)
        self.live._join("begin")
        self.turn()

    def turn(self, seconds: float = 0.0, keys: str = "") -> str:
        """Let time pass, look, press keys, look. Returns what was said."""
        self.stage.clock.passed += seconds
        self.stream.seek(0)
        self.stream.truncate()
        going = self.live._step()
        for key in keys if going else "":
            self.live._handle(["enter" if key == "\n" else key])
        if keys and going:
            self.live._step()
        return self.stream.getvalue()


@pytest.fixture
def view(tmp_path: Path) -> View:
    return View(conduct.Stage(tmp_path))


def test_half_time_ten_and_two_minutes_are_told_once_each(view: View) -> None:
    said = [view.turn(seconds).strip() for seconds in (899, 1, 1, 299, 1, 478, 1, 1)]
    told = [line for line in said if line]
    assert told == ["15:00  Half of the time is over.", "20:00  10 minutes left.", "28:00  2 minutes left."]


def test_a_sleep_over_several_notices_tells_the_last_one(view: View) -> None:
    assert view.turn(1700).strip() == "28:20  2 minutes left."


def test_a_short_round_has_no_notice_before_its_half(tmp_path: Path) -> None:
    view = View(conduct.Stage(tmp_path, (15, ("layernorm",))))
    assert view.turn(301) == ""
    assert "Half of the time" in view.turn(150)


def test_a_round_that_ended_while_it_was_asked_is_not_handed_in_for_another(tmp_path: Path) -> None:
    view = View(conduct.Stage(tmp_path, (45, ("layernorm",)), (45, ("causal-mask",))))
    assert "Hand in round 1" in view.turn(2699, "f")
    assert "nothing is handed in" in view.turn(2, "y")
    assert view.stage.conductor.interview.open
    assert view.stage.conductor.round.number == 1


def test_finishing_asks_first(view: View) -> None:
    assert "going on" in view.turn(5, "fn")
    assert view.stage.conductor.interview.open
    view.turn(5, "fy")
    assert view.live.finished


def test_the_last_phase_leads_to_the_end(view: View) -> None:
    view.turn(5, "ppp")
    assert "Hand in and finish?" in view.turn(5, "p")


def test_a_key_that_means_nothing_says_so_in_a_line(view: View) -> None:
    assert view.turn(1, "x").splitlines() == ["  0:01  x does nothing here; ? shows the keys"]


def test_the_brief_has_the_key_that_it_has_in_watch(view: View) -> None:
    shown = view.turn(1, "s")
    assert "LayerNorm" in shown
    assert view.turn(1, "b") == shown


def test_the_script_is_for_the_interviewer_alone(tmp_path: Path, view: View) -> None:
    assert "does nothing" in view.turn(1, "i")
    partner = View(conduct.Stage(tmp_path / "other", interviewer=True))
    assert "For the interviewer" in partner.turn(1, "i")
    assert "For the interviewer" not in partner.turn(1, "s")


def test_a_hint_from_another_terminal_is_told(view: View) -> None:
    other = conduct.SessionLog.load(view.stage.open_journal(), view.stage.clock, view.stage.journal.sessions()[-1])
    other.add("hint", "layernorm", {"rung": 1, "round": 0, "outside": True})
    assert "Hint 1 for layernorm was taken in another terminal" in view.turn(1)
    assert view.turn(1, "h").startswith("Hint 2")


def test_the_keys_are_shown_when_they_are_asked_for(view: View) -> None:
    said = view.turn(1, "?")
    assert "grade the file as saved" in said
    assert "rubric" not in said
    assert "pause" not in said


def test_the_deadline_is_said_with_what_counts(view: View) -> None:
    said = view.turn(1800)
    assert "Time. What counts for layernorm is the file as it was at the deadline." in said
    assert "reported apart" in said


def test_the_end_of_a_round_before_the_last_offers_no_overtime(tmp_path: Path) -> None:
    view = View(conduct.Stage(tmp_path, (45, ("layernorm",)), (45, ("causal-mask",))))
    said = view.turn(2700)
    assert "Time." in said
    assert "Round 2 of 2" in said
    assert "reported apart" not in said


def test_time_given_back_is_said(view: View) -> None:
    view.turn(1, "g")
    view.stage.helper.answer(fault="died", seconds=12.0)
    assert "A fault of ours cost 0:12; the deadline moves by as much." in view.turn(12)


def test_a_grade_of_the_stub_says_that_nothing_is_written_and_names_no_property(view: View) -> None:
    view.turn(1, "g")
    view.stage.helper.answer(of_the_stub())
    said = view.turn(1)
    assert "Nothing is written yet: line 15 raises NotImplementedError." in said
    assert "failed:" not in said
    assert not any(law[0] in said for law in samples.LAWS)


@pytest.mark.parametrize(("feedback", "line"), [("properties", "speed not measured yet"), ("full", "at the end")])
def test_a_pass_while_the_clock_runs_says_that_its_speed_is_still_to_come(
    tmp_path: Path, feedback: str, line: str
) -> None:
    view = View(conduct.Stage(tmp_path, feedback=feedback))
    view.turn(1, "g")
    view.stage.helper.answer(samples.passing())
    assert line in view.turn(1)
    view.turn(1, "g")
    view.stage.helper.answer(samples.failing())
    assert line not in view.turn(1)


def test_the_grade_of_a_kata_without_a_speed_leaves_nothing_out(view: View) -> None:
    kata = dataclasses.replace(view.stage.conductor.katas["layernorm"], bench=None)
    view.stage.conductor.katas["layernorm"] = kata
    view.turn(1, "g")
    view.stage.helper.answer(samples.passing())
    assert "speed" not in view.turn(1)
    assert view.stage.conductor.interview.unmeasured() == []


def test_leaving_waits_for_the_grade_that_runs_unless_it_is_asked_twice(view: View) -> None:
    assert "Leaving as soon as the grade is there" in view.turn(1, "gq")
    assert view.live._ending == ""
    view.stage.helper.answer()
    view.turn(1)
    assert view.live._ending == LEFT


def test_events_that_would_be_lost_are_told_before_leaving(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    view = View(conduct.Stage(tmp_path))
    assert "would be lost" in view.turn(1, "q")
    assert view.live._ending == ""
    view.turn(1, "q")
    assert view.live._ending == LEFT


def test_what_another_terminal_was_refused_is_told_at_once(view: View) -> None:
    other = conduct.SessionLog.load(view.stage.open_journal(), view.stage.clock, view.stage.journal.sessions()[-1])
    other.add("refused", "causal-mask", {"what": "solution", "outside": True})
    said = view.turn(1)
    assert "Refused in another terminal: a look at the solution of causal-mask; recorded." in said


def test_a_view_that_is_taken_over_lets_go(view: View) -> None:
    other = conduct.SessionLog.load(view.stage.open_journal(), view.stage.clock, view.stage.journal.sessions()[-1])
    other.add("take-over", "", {"by": "somebody else"})
    view.turn(1)
    assert view.live._ending == MOVED


def test_a_pasted_answer_presses_no_keys(view: View) -> None:
    view.turn(1, "a")
    view.live._handle(["o", "n", "e", "enter", "enter", "f", "y"])
    view.live._handle(["enter"])
    view.live._handle(["enter"])
    assert view.stage.conductor.interview.open
    assert view.stage.conductor.interview.answers["layernorm", 0].datum("text") == "one\n\nfy"


def test_what_is_said_while_a_text_is_typed_leaves_the_text_whole(view: View) -> None:
    view.turn(1, "nhalf")
    said = view.turn(899)
    assert said.splitlines()[-1].endswith(" left > half")
    assert said.count("> half") == 1  # its row moves down and is not left behind
    assert "Half of the time is over." in said
    view.turn(1, " way\n")
    assert view.stage.conductor.interview.notes[0].datum("text") == "half way"


@pytest.mark.parametrize("key", ["n", "a"])
def test_the_time_left_goes_on_before_a_text_that_is_typed(view: View, key: str) -> None:
    view.turn(1, key)
    view.turn(1, "half")
    view.live._draw()
    assert view.turn(1).strip() == ""
    view.live._draw()
    assert view.stream.getvalue().strip("\r ") == "29:57 left > half"
    view.turn(1801)
    view.live._draw()
    assert view.stream.getvalue().endswith(" 0:04 over > half")
