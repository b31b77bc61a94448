"""Figures of a report that a reader lays side by side: durations and the clocks they end at, passes with and without speed."""

from __future__ import annotations

import dataclasses
import json
import re
from io import StringIO
from pathlib import Path

import pytest
import samples
import sessions
from hypothesis import given
from hypothesis import strategies as st
from sessions import LAYERNORM, RIGHT, WRONG, Told

from grader.desk import Desk
from grader.output import Output
from grader.render import report_text as words
from grader.render.interview import outcome
from grader.render.report_html import html_report
from grader.render.report_json import report_document
from grader.render.report_markdown import markdown_report
from grader.render.report_terminal import screen
from grader.render.text import ratio
from grader.report.build import _time
from grader.report.command import find, make
from grader.report.kata_model import Stretch
from grader.report.model import Report
from grader.timing.speed import SpeedReport, judge

FORMATS = {
    "terminal": lambda report: sessions.printed(lambda page: [screen(page, report)], 120),
    "markdown": markdown_report,
    "html": html_report,
    "json": lambda report: json.dumps(report_document(report), ensure_ascii=False),
}
SHOWN = pytest.mark.parametrize("format", ["terminal", "markdown", "html"])


def report_of(told: Told) -> Report:
    desk = Desk(Output(StringIO(), StringIO(), {}))
    desk.__dict__["journal"] = told.journal
    return make(desk, find(desk, told.id))


def words_of(report: Report, format: str) -> str:
    text = re.sub(r"<[^>]+>", " ", FORMATS[format](report)) if format == "html" else FORMATS[format](report)
    return " ".join(text.split())


def told(home: Path) -> Told:
    return Told(home, sessions.plan((30, LAYERNORM))).begin()


def slow_all_along(home: Path) -> Told:
    """A file that is right and slow: two passes without speed, one before a hint and one after it; a fail at the end."""
    of = told(home).wait(0.2).save(RIGHT).grade(RIGHT, samples.passing(), timing=False).wait(2).hint(1)
    of.wait(5).save(WRONG).grade(WRONG, samples.passing(), timing=False).wait(1).hand_in(WRONG)
    of.grade(WRONG, samples.slow(), purpose="final", timing=True)
    return of.finish()


class TestSpeed:
    """A pass of which the speed was left out is never shown as one with speed."""

    @SHOWN
    def test_the_column_before_the_hint_says_so_and_the_one_that_was_measured_does_not(
        self, tmp_path: Path, format: str
    ) -> None:
        report = report_of(slow_all_along(tmp_path))
        [kata] = report.katas
        rows = dict(words.categories(kata))
        assert rows["all"] == [("✓", "11 of 11, speed not measured"), ("✗", "11 of 12")]
        assert rows["timing"] == [("–", "not measured"), ("✗", "0 of 1")]
        text = words_of(report, format)
        assert "11 of 11, speed not measured" in text or "speed not measured" in text
        assert "11 of 12, speed" not in text

    @SHOWN
    def test_the_first_green_says_so(self, tmp_path: Path, format: str) -> None:
        report = report_of(slow_all_along(tmp_path))
        assert (report.first_green, report.first_green_speed) == (12, "not measured")
        assert dict(words.facts(report))["first green"] == "0:12 (speed not measured)"
        assert "0:12 (speed not measured)" in words_of(report, format)

    def test_the_first_green_of_code_that_was_measured_later_says_what_came_of_it(self, tmp_path: Path) -> None:
        def of(home: Path, verdict: samples.Verdict) -> Report:
            story = told(home).wait(1).grade(RIGHT, samples.passing(), timing=False).wait(1).hand_in(RIGHT)
            return report_of(story.grade(RIGHT, verdict, purpose="final", timing=True).finish())

        quick, slow = of(tmp_path / "a", samples.timed()), of(tmp_path / "b", samples.slow())
        assert dict(words.facts(quick))["first green"] == "1:00"
        assert dict(words.facts(slow))["first green"] == "1:00 (too slow)"

    @SHOWN
    def test_the_timeline_says_so(self, tmp_path: Path, format: str) -> None:
        text = words_of(report_of(slow_all_along(tmp_path)), format)
        assert text.count("graded: pass, 11 of 11 properties, speed not measured") == 2
        assert "graded: fail, 11 of 12 properties, speed" not in text

    def test_a_result_that_could_not_be_measured_says_so_in_the_headline(self, tmp_path: Path) -> None:
        report = report_of(told(tmp_path).wait(1).hand_in(RIGHT).grade(RIGHT, samples.passing(), timing=False).finish())
        assert words.headline(report).endswith("passed, handed in after 60 seconds (speed not measured)")

    def test_nothing_is_said_where_all_is_measured_or_the_journal_does_not_know(self, tmp_path: Path) -> None:
        for timing in ({"timing": True}, {}):
            story = told(tmp_path / str(len(timing))).wait(1).grade(RIGHT, samples.timed(), **timing).hint(1)
            report = report_of(story.wait(1).hand_in(RIGHT).finish())
            assert all("not measured" not in words_of(report, format) for format in ("terminal", "markdown", "html"))

    def test_a_document_tells_it_of_every_result_and_point(self, tmp_path: Path) -> None:
        [kata] = json.loads(FORMATS["json"](report_of(slow_all_along(tmp_path))))["katas"]
        assert (kata["unaided"]["without_speed"], kata["counted"]["without_speed"]) == (True, False)
        assert [point["without_speed"] for point in kata["points"]] == [True, True, False]
        assert kata["first_green_speed"] == "not measured"


class TestDurations:
    """A duration is the difference of the two times that stand beside it."""

    @given(begin=st.floats(0, 3000), seconds=st.floats(1, 3000))
    def test_a_stretch_is_as_long_as_its_two_clocks_say(self, begin: float, seconds: float) -> None:
        text = words.stretch(Stretch(begin, begin + seconds))
        long, first, last = re.fullmatch(r"(.*) \((.*) to (.*)\)", text).groups()  # type: ignore[union-attr]
        between = seconds_of(last) - seconds_of(first)
        if between < 600:
            assert seconds_of(long) == between
        else:
            assert abs(seconds_of(long) - between) <= 30

    @given(begin=st.floats(0, 3000), seconds=st.floats(1, 3000))
    def test_more_time_is_as_long_as_its_two_clocks_say(self, begin: float, seconds: float) -> None:
        between = int(begin + seconds) - int(begin)
        said = seconds_of(_time(between, "more ").replace("more ", ""))
        assert said == between if between < 600 else abs(said - between) <= 30

    def test_overtime_is_told_as_the_timeline_tells_it(self, tmp_path: Path) -> None:
        story = Told(tmp_path, sessions.plan((1, LAYERNORM))).begin().wait(1).deadline(WRONG)
        story.grade(WRONG, samples.failing(), purpose="deadline").wait(5.7 / 60).save(RIGHT).hand_in(RIGHT)
        report = report_of(story.grade(RIGHT, samples.timed(), purpose="final").finish())
        assert report.katas[0].final is not None
        assert report.katas[0].final.label == "after 5 more seconds"
        assert "1:05" in [words.clock(entry.at) for entry in report.entries]
        assert outcome(story.interview(), LAYERNORM)[1].endswith("after 0:05 more")

    def test_a_grade_stands_in_the_timeline_where_it_was_asked_for(self, tmp_path: Path) -> None:
        story = told(tmp_path).wait(1).save(RIGHT)
        asked = story.seconds
        story.wait(0.1).save(WRONG).wait(0.1).grade(RIGHT, samples.passing(), asked_at=asked).wait(1).hand_in(RIGHT)
        report = report_of(story.grade(RIGHT, samples.timed(), purpose="final", timing=True).finish())
        shown = [(words.clock(entry.at), entry.kind) for entry in report.entries]
        assert shown[:4] == [("0:00", "begin"), ("1:00", "save"), ("1:00", "grade"), ("1:06", "save")]
        assert dict(words.facts(report))["first green"] == "1:00"

    @pytest.mark.parametrize("value", [0.0123, 0.999, 1.5, 9.994, 9.996, 11.46, 99.94, 99.96, 1234.5])
    def test_a_ratio_has_the_same_digits_wherever_it_is_told(self, value: float) -> None:
        slow = samples.speed(ratio=value, decision="too-slow")
        [law, *_] = judge(SpeedReport((slow,)), {slow.mode: 2.0})
        assert law.message.startswith(f"it takes {ratio(value)} times as long")
        verdict = dataclasses.replace(samples.slow(), timing=samples.timing(speeds=(slow,)))
        [line, *_] = words.speeds(samples_result(verdict))
        assert f"{ratio(value)} × the reference" in line


def samples_result(verdict: samples.Verdict) -> words.Result:
    return words.Result("at the end", 0.0, verdict.outcome.value, verdict=verdict)


def seconds_of(text: str) -> int:
    """`90 s`, `1:40 min`, `1:40 minutes`, `12 min`, `1 h 05 min`, `1:02:07`, `3:20`."""
    if found := re.fullmatch(r"(\d+) h (\d+) min", text):
        return int(found[1]) * 3600 + int(found[2]) * 60
    figure, _, unit = text.partition(" ")
    whole = 0
    for part in figure.split(":"):
        whole = whole * 60 + int(part)
    return whole * 60 if unit.startswith("min") and ":" not in figure else whole


def test_a_stub_that_was_graded_is_no_mistake_on_the_way(tmp_path: Path) -> None:
    of = told(tmp_path).wait(1).grade(sessions.STUB, samples.failing(diagnosis=sessions.DIAGNOSED)).wait(1)
    [kata] = report_of(of.grade(RIGHT, samples.passing()).hand_in(RIGHT).finish()).katas
    assert kata.mended == ()
    again = told(tmp_path / "again").wait(1).grade(WRONG, samples.failing(diagnosis=sessions.DIAGNOSED)).wait(1)
    [kata] = report_of(again.grade(RIGHT, samples.passing()).hand_in(RIGHT).finish()).katas
    assert len(kata.mended) == 1


@SHOWN
def test_a_line_about_another_kata_than_the_only_one_names_it(tmp_path: Path, format: str) -> None:
    of = told(tmp_path).wait(1).event("refused", "causal-mask", {"what": "solution"}).wait(1).hint(1)
    report = report_of(of.hand_in(RIGHT).finish())
    kinds = {entry.kind: report.names_kata(entry) for entry in report.entries}
    assert (kinds["refused"], kinds["hint"]) == (True, False)
    assert words_of(report, format).count("causal-mask") >= 2  # in the remark and in the timeline
