"""The row of a live view on a terminal that changes its size."""

from __future__ import annotations

import io

import pytest

from grader.interview import screen as module
from grader.interview.screen import Screen
from grader.output import Look, Output


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Of 100 columns, and of 40 as soon as it is measured again."""
    monkeypatch.setattr(module, "decide", lambda stream, environ: Look(True, False, True, 40, screen=True))
    return Screen(Output(io.StringIO(), io.StringIO(), {"COLUMNS": "100"}))


def written(screen: Screen) -> str:
    stream = screen.output.stdout
    assert isinstance(stream, io.StringIO)
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text


def test_a_line_that_was_broken_by_a_narrower_terminal_is_taken_away_whole(screen: Screen) -> None:
    screen.draw("x" * 90)
    written(screen)
    screen.measure()
    assert written(screen) == "\r\x1b[2A\x1b[J"
    screen.draw("short")
    assert written(screen) == "short"


def test_a_line_that_still_fits_is_written_over_with_spaces(screen: Screen) -> None:
    screen.draw("y" * 30)
    written(screen)
    screen.measure()
    assert written(screen) == "\r" + " " * 30 + "\r"


def test_a_text_that_is_being_typed_is_folded_anew(screen: Screen) -> None:
    screen.open_entry(lambda text: None, paragraph=False)
    screen.type(list("abcdefghij" * 5))
    written(screen)
    screen.measure()
    text = written(screen)
    assert text.startswith("\r\x1b[1A\x1b[J")
    assert [row.removeprefix("  > ") for row in text.removeprefix("\r\x1b[1A\x1b[J").split("\n")] == [
        "abcdefghij" * 3 + "abcde",
        "fghij" + "abcdefghij",
    ]


def test_a_clock_goes_on_while_a_text_is_typed_and_the_line_comes_back_after_it(screen: Screen) -> None:
    kept: list[str | None] = []
    screen.draw("12:31 left, not graded")
    screen.open_entry(kept.append, paragraph=False, clock="12:31 left")
    screen.type(list("mine"))
    written(screen)
    screen.draw("12:30 left, not graded", clock="12:30 left")
    assert written(screen) == "\r    12:30 left > mine"
    screen.draw("12:30 left, not graded", clock="12:30 left")
    assert written(screen) == ""
    screen.type(["enter"])
    screen.draw("12:29 left, not graded", clock="12:29 left")
    assert written(screen).endswith("\n12:29 left, not graded")
    assert kept == ["mine"]


def test_a_notice_stands_above_the_text_that_is_typed(screen: Screen) -> None:
    screen.open_entry(lambda text: None, paragraph=False, clock="2:01 left")
    screen.type(list("mine"))
    screen.draw("", clock="2:00 left")
    written(screen)
    screen.say("28:00", "2 minutes left.")
    assert written(screen).endswith(" 28:00  2 minutes left.\n     2:00 left > mine")
