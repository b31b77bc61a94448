"""What happened in other terminals while an interview ran stands in its report, in every format."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
import sessions
from sessions import ATTENTION, LAYERNORM, RIGHT, Told

from grader.desk import Desk
from grader.journal.events import Journal
from grader.journal.exchange import export, merge
from grader.output import Output
from grader.render.report_chart import timeline
from grader.render.report_html import html_report
from grader.render.report_json import report_document
from grader.render.report_markdown import markdown_report
from grader.render.report_terminal import screen
from grader.report.command import find, make
from grader.report.model import Report

FORMATS = {
    "terminal": lambda report: sessions.printed(lambda page: [screen(page, report)], 120),
    "markdown": markdown_report,
    "html": html_report,
    "json": lambda report: json.dumps(report_document(report)),
}
GRADED = {"verdict": "pass", "passed": 11, "required": 11, "failed": []}


def report_of(told: Told) -> Report:
    desk = Desk(Output(StringIO(), StringIO(), {}))
    desk.__dict__["journal"] = told.journal
    return make(desk, find(desk, told.id))


def story(home: Path, **changes: object) -> Told:
    """Two grades, a hint, a solution and an old version beside a session; one grade before it and one after it."""
    told = Told(home, sessions.plan((30, LAYERNORM), **changes))
    told.journal.append("grade", LAYERNORM, data=GRADED)
    told.wait(1).begin().wait(2)
    told.journal.append("grade", ATTENTION, data=GRADED)
    told.wait(3)
    told.journal.append("grade", ATTENTION, data={**GRADED, "verdict": "fail", "passed": 9})
    told.journal.append("hint", ATTENTION, data={"rung": 1})
    told.journal.append("solution", ATTENTION, data={"gave_up": True})
    told.journal.append("restore", LAYERNORM, data={"from": 1})
    told.wait(1).event("hint", LAYERNORM, {"rung": 1, "outside": True}).wait(4).hand_in(RIGHT).finish().wait(1)
    told.journal.append("grade", LAYERNORM, data=GRADED)
    return told


def test_it_is_said_in_one_sentence(tmp_path: Path) -> None:
    [remark] = report_of(story(tmp_path)).remarks
    assert remark == (
        f"Outside the interview, while it ran: 2 grades of {ATTENTION}, 1 hint of {ATTENTION}, "
        f"the solution of {ATTENTION}, 1 earlier version brought back of {LAYERNORM}."
    )


def test_it_stands_in_the_timeline_at_its_time(tmp_path: Path) -> None:
    report = report_of(story(tmp_path))
    found = [(entry.at, entry.kind, entry.mark) for entry in report.entries if entry.text.startswith("outside")]
    assert found == [
        (180, "grade", "pass"),
        (360, "grade", "fail"),
        (360, "hint", ""),
        (360, "solution", ""),
        (360, "restore", ""),
    ]
    assert [entry.at for entry in report.entries] == sorted(entry.at for entry in report.entries)


def test_a_hint_from_another_terminal_is_one_of_the_session(tmp_path: Path) -> None:
    report = report_of(story(tmp_path))
    assert report.hints == 1
    assert "hint 1 in another terminal" in [entry.text for entry in report.entries]


def test_it_changes_no_figure_of_the_session(tmp_path: Path) -> None:
    report = report_of(story(tmp_path))
    assert (report.first_run, report.first_green, report.katas[0].grades) == (None, None, 0)


def test_a_pause_stops_its_clock_too(tmp_path: Path) -> None:
    told = Told(tmp_path, sessions.plan((30, LAYERNORM), allow_pause=True)).begin().wait(2).event("pause").wait(5)
    told.journal.append("hint", ATTENTION, data={"rung": 1})
    report = report_of(told.wait(5).event("unpause").wait(3).hand_in(RIGHT).finish())
    assert [entry.at for entry in report.entries if entry.text.startswith("outside")] == [120]


@pytest.mark.parametrize("format", ["terminal", "markdown", "html", "json"])
def test_every_format_tells_it(tmp_path: Path, format: str) -> None:
    report = report_of(story(tmp_path))
    text = FORMATS[format](report)
    assert f"2 grades of {ATTENTION}" in " ".join(text.split())
    assert "outside the interview: graded: fail, 9 of 11 properties" in " ".join(text.split())


def refused(home: Path) -> Told:
    """Two looks at a solution, one of them of a kata that is none of the session's, and a grade; all refused."""
    told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(2)
    for kata, what in ((ATTENTION, "solution"), (ATTENTION, "solution"), (LAYERNORM, "solution"), (LAYERNORM, "grade")):
        told.event("refused", kata, {"what": what, "outside": True})
    return told.wait(5).hand_in(RIGHT).finish()


def test_what_was_refused_is_said_in_one_sentence(tmp_path: Path) -> None:
    [remark] = report_of(refused(tmp_path)).remarks
    assert remark == (
        f"Tried outside the interview, and refused: 2 looks at the solution of {ATTENTION}, "
        f"1 look at the solution of {LAYERNORM}, 1 grade of {LAYERNORM}."
    )


@pytest.mark.parametrize("format", ["terminal", "markdown", "html", "json"])
def test_every_format_tells_what_was_refused_and_when(tmp_path: Path, format: str) -> None:
    report = report_of(refused(tmp_path))
    found = [(entry.at, entry.kind, entry.kata) for entry in report.entries if entry.kind == "refused"]
    assert found == [(120, "refused", ATTENTION)] * 2 + [(120, "refused", LAYERNORM)] * 2
    text = " ".join(FORMATS[format](report).split())
    assert f"1 grade of {LAYERNORM}" in text
    assert text.count("outside the interview, refused: look at the solution") == 3
    assert text.count("outside the interview, refused: grade") == 1


def test_what_was_refused_changes_no_figure_and_no_picture(tmp_path: Path) -> None:
    report = report_of(refused(tmp_path))
    assert (report.first_run, report.first_green, report.hints, report.katas[0].grades) == (None, None, 0, 0)
    assert [kata.id for kata in report.katas] == [LAYERNORM]
    assert not timeline(report).hints


def test_what_was_refused_survives_the_way_to_another_machine(tmp_path: Path) -> None:
    told, lines = refused(tmp_path / "here"), []
    export(told.journal, lines.append)
    there = Journal(tmp_path / "there", warn=print)
    merge(there, [line.encode() for line in lines], "export")
    desk = Desk(Output(StringIO(), StringIO(), {}))
    desk.__dict__["journal"] = there
    assert make(desk, find(desk, there.sessions()[-1].id)).remarks == report_of(told).remarks


def test_a_refusal_of_a_stranger_is_told_as_far_as_it_says_something(tmp_path: Path) -> None:
    told = Told(tmp_path, sessions.plan((30, LAYERNORM))).begin().wait(2)
    told.event("refused", "", {"what": ["?"]}).event("refused", LAYERNORM, {"what": "\x1b[2J"})
    [remark] = report_of(told.wait(5).hand_in(RIGHT).finish()).remarks
    assert remark == f"Tried outside the interview, and refused: 1 attempt of a kata, 1 attempt of {LAYERNORM}."


def test_the_picture_is_of_the_session_alone(tmp_path: Path) -> None:
    report = report_of(story(tmp_path))
    assert [dot.title for dot in timeline(report).hints] == [f"7:00 {LAYERNORM}: hint 1 in another terminal"]
