"""An interview in words: nothing that the policy hides, nothing wider than the terminal, no kata before its time."""

from __future__ import annotations

import io
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.catalog import find_katas
from grader.interview.model import Interview
from grader.interview.plan import Plan, RoundPlan
from grader.output import Output
from grader.render import interview as words
from grader.render.page import Page
from grader.render.preflight import FEEDBACK_RULES, preflight, rules

story = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "test_interview.py")))
KATAS = find_katas()


def printed(*renderables: Any, width: int = 80) -> str:
    stream = io.StringIO()
    Output(stream, io.StringIO(), {"COLUMNS": str(width)}).show(*renderables)
    return stream.getvalue()


def status(interview: Interview, at: float, width: int = 100, **changes: Any) -> str:
    options = {"grading": False, "kata": "layernorm", "width": width} | changes
    return words.status_line(interview, at, **options)


def graded(feedback: str = "properties") -> Interview:
    of = story.Story(story.plan(feedback=feedback))
    of.add(10, "save", "layernorm", "s")
    of.add(20, "grade", "layernorm", "s", verdict="fail", passed=9, required=13, failed=["matches-formula"])
    return of.tell()


class TestTheLine:
    def test_tells_clock_phase_and_last_grade(self) -> None:
        assert status(graded(), 30) == "29:30 left · clarify 0:30/3:00 · ✗ fail 9/13 · 1 save · ? keys"

    @pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 120])
    def test_fits_the_terminal_even_where_signs_are_two_cells_wide(self, width: int) -> None:
        for at in (0, 30, 1799, 1800, 9000):
            line = status(graded(), at, width)
            assert sum(1 if char.isascii() else 2 for char in line) <= width

    def test_says_when_a_phase_is_over_its_budget_and_the_round_over_its_time(self) -> None:
        assert "clarify 3:20/3:00 over" in status(graded(), 200)
        assert "clarify 3:01/3:00 over" in status(graded(), 181)
        assert "over" not in status(graded(), 180.9)
        assert "clarify: 3:01 of 3:00 over" in printed(words.status_text(Page(80), graded(), 181))
        assert status(graded(), 1860).startswith("overtime 1:00")

    def test_says_that_it_is_paused(self) -> None:
        of = story.Story(story.plan(allow_pause=True)).add(60, "pause")
        assert status(of.tell(), 60).startswith("paused, 29:00 left")

    def test_names_the_round_and_the_kata_where_there_are_several(self) -> None:
        of = story.Story(story.plan((30, ("layernorm", "causal-mask")), (30, ("linear-attention",))))
        assert "round 1/2" in status(of.tell(), 5)
        assert "causal-mask: not graded" in status(of.tell(), 5, kata="causal-mask")

    def test_keeps_a_grade_that_the_policy_keeps(self) -> None:
        assert "fail" not in status(graded("none"), 30)
        assert "graded 0:20" in status(graded("none"), 30)


class TestThePlan:
    def plan(self, **changes: Any) -> Plan:
        return Plan("standard", (RoundPlan(45, ("linear-attention",)),), "/x", 7, **changes)

    def test_hides_what_was_drawn_until_the_clock_runs(self) -> None:
        text = printed(preflight(Page(80), self.plan(), []))
        assert "linear" not in text
        assert "1 kata, drawn with seed 7" in text

    def test_names_what_was_named(self) -> None:
        assert "linear-attention" in printed(preflight(Page(80), self.plan(drawn=False), []))

    def test_says_when_the_clock_can_be_paused(self) -> None:
        text = printed(preflight(Page(80), self.plan(allow_pause=True), []))
        assert "practice" in text
        assert "stops for nothing" not in text

    @pytest.mark.parametrize("width", [60, 80, 120])
    def test_fits(self, width: int) -> None:
        text = printed(preflight(Page(width), self.plan(), [("journal", "/a/place")]), width=width)
        assert all(len(line) <= width for line in text.splitlines())

    @pytest.mark.parametrize("feedback", FEEDBACK_RULES)
    def test_says_what_a_grade_shows_and_when_the_rest_is_shown_without_contradicting_itself(
        self, feedback: str
    ) -> None:
        text = " ".join(rules(self.plan(feedback=feedback)))
        assert ("shows everything but speed" in text) is (feedback == "full")
        assert ("All of it is shown at the end" in text) is (feedback != "full")
        assert "speed" in text

    def test_calls_a_session_of_so_many_minutes_by_them(self) -> None:
        custom = Plan("custom", (RoundPlan(0.3, ("layernorm",)),), "/x", 7)
        assert (custom.name, self.plan().name) == ("18 seconds", "standard")
        assert "Mock interview: 18 seconds" in printed(preflight(Page(80), custom, []))


class TestAnEndBeforeTheTime:
    def test_gives_time_and_rounds_away(self) -> None:
        of = story.Story(story.plan((45, ("layernorm",)), (45, ("causal-mask",))))
        assert words.given_away(of.tell(), 60) == "44:00 left and round 2 to come"
        assert words.given_away(of.tell(), 2760) == "44:00 left"
        assert words.given_away(of.tell(), 5400) == ""
        assert words.given_away(of.add(60, "finish").tell(), 60) == ""


class TestAGrade:
    @pytest.mark.parametrize(("feedback", "told"), [("properties", True), ("none", False)])
    def test_tells_names_or_nothing(self, feedback: str, told: bool) -> None:
        moment = graded(feedback).last("grade")
        assert moment is not None
        text = printed(*words.told_grade(Page(80), moment, feedback, "the reason"))
        assert ("matches-formula" in text) is told
        assert ("9/13" in text) is told
        assert "the reason" not in text

    def test_of_a_stub_says_that_nothing_is_written_instead_of_every_name(self) -> None:
        moment = graded().last("grade")
        assert moment is not None
        text = printed(*words.told_grade(Page(80), moment, "properties", "", "Nothing is written yet: line 12."))
        assert text == "✗ fail 9/13 properties\nNothing is written yet: line 12.\n".replace("✗", "x")

    @pytest.mark.parametrize(("timing", "told"), [(False, True), (True, False), (None, False)])
    def test_of_which_the_speed_was_left_out_says_so(self, timing: bool | None, told: bool) -> None:
        of, data = story.Story(), {} if timing is None else {"timing": timing}
        of.add(20, "grade", "layernorm", "s", verdict="pass", passed=14, required=14, failed=[], **data)
        moment = of.tell().last("grade")
        assert moment is not None
        live = [status(of.tell(), 30, width) for width in range(46, 130)]
        for text in (live[-1], printed(words.status_text(Page(100), of.tell(), 30), width=100)):
            assert ("speed not measured yet" in text) is told
        # However narrow it is: with the counts comes the word.
        assert all(("speed" in line) is told for line in live if "14/14" in line)
        assert any("14/14, no speed yet" in line for line in live) is told
        lines = words.told_grade(Page(80), moment, "properties", "")
        assert [line.plain for line in lines] == [
            "✓ pass 14/14 properties" + (", speed not measured yet" if told else "")
        ]

    def test_that_failed_needs_no_word_about_speed(self) -> None:
        of = story.Story()
        of.add(20, "grade", "layernorm", "s", verdict="fail", passed=9, required=14, failed=["a"], timing=False)
        assert "speed" not in status(of.tell(), 30)


class TestTheResult:
    def test_tells_the_deadline_and_overtime_apart(self) -> None:
        of = story.Story().add(1800, "deadline", "layernorm", "then", round=0, due=1800.0, how="last-save", unseen=True)
        of.add(2520, "hand-in", "layernorm", "later", round=0).add(2520, "finish")
        for source, outcome, passed in (("then", "fail", 9), ("later", "pass", 13)):
            of.add(2530, "grade", "layernorm", source, verdict=outcome, passed=passed, required=13)
        assert words.outcome(of.tell(), "layernorm") == ("✗ fail 9/13", "✓ pass 13/13 after 12:00 more")
        text = " ".join(printed(words.results(Page(80), of.tell())).split())
        assert "graded is the last content seen before the deadline; edits after it are not counted" in text

    def test_says_when_there_was_no_file(self) -> None:
        of = story.Story().add(1800, "deadline", "layernorm", None, round=0, due=1800.0, how="missing")
        assert words.outcome(of.tell(), "layernorm") == ("no file", "–")


def test_minutes_are_said_as_people_say_them() -> None:
    assert [words.minutes(value) for value in (0.2, 1, 10, 22.5)] == [
        "12 seconds",
        "1 minute",
        "10 minutes",
        "22.5 minutes",
    ]
    assert [words.clock(value) for value in (0, 59.9, 61, 3661)] == ["0:00", "0:59", "1:01", "1:01:01"]
