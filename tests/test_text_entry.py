"""Typing a text while a clock goes on: what is kept, what is shown, and that a pasted text presses no keys."""

from __future__ import annotations

import pytest

from grader.keyboard.text_entry import CLOCK, PROMPT, TextEntry


def keys(text: str) -> list[str]:
    """As the keyboard's decoder names them."""
    return [{" ": "space", "\n": "enter"}.get(char, char) for char in text]


def screen(written: str) -> list[str]:
    """The rows that a terminal shows after these characters."""
    rows, column = [""], 0
    for char in written:
        if char == "\r":
            column = 0
        elif char == "\n":
            rows.append("")
            column = 0
        else:
            rows[-1] = rows[-1][:column] + char + rows[-1][column + 1 :]
            column += 1
    return [row.rstrip() for row in rows]


def type_in(entry: TextEntry, *batches: list[str]) -> list[str]:
    return screen(entry.open() + "".join(entry.feed(batch) for batch in batches))


def test_a_line_ends_with_enter() -> None:
    entry = TextEntry(40, paragraph=False)
    type_in(entry, keys("a note\n"))
    assert (entry.done, entry.text) == (True, "a note")


def test_a_paragraph_ends_with_an_empty_line() -> None:
    entry = TextEntry(40, paragraph=True)
    type_in(entry, keys("one"), keys("\n"), keys("two"), keys("\n"))
    assert not entry.done
    type_in(entry, keys("\n"))
    assert (entry.done, entry.text) == (True, "one\ntwo")


def test_an_empty_line_at_once_is_an_empty_text() -> None:
    entry = TextEntry(40, paragraph=True)
    entry.feed(keys("\n"))
    assert (entry.done, entry.text, entry.cancelled) == (True, "", False)


def test_a_pasted_text_with_empty_lines_stays_one_text() -> None:
    entry = TextEntry(40, paragraph=True)
    entry.feed(keys("first\n\nfinish\ny"))
    assert not entry.done
    assert entry.text == "first\n\nfinish\ny"


@pytest.mark.parametrize("width", [24, 60])
def test_a_text_is_folded_to_the_width_that_the_terminal_has_now(width: int) -> None:
    entry = TextEntry(40, paragraph=True)
    text = "the variance of this very row"
    entry.feed(keys(text))
    rows = screen(entry.resize(width) + "".join(entry.feed(keys(", and its width"))))
    assert entry.text == f"{text}, and its width"
    assert " ".join(row.removeprefix(PROMPT) for row in rows) == entry.text
    assert all(len(row) < width for row in rows)


def test_escape_drops_the_text() -> None:
    entry = TextEntry(40, paragraph=True)
    entry.feed([*keys("never mind"), "escape"])
    assert (entry.done, entry.cancelled) == (True, True)


def test_a_long_line_is_folded_between_words_and_kept_whole() -> None:
    entry = TextEntry(24, paragraph=True)
    text = "the variance of this very row is divided by its width"
    rows = type_in(entry, *(keys(char) for char in text))
    assert entry.text == text
    assert all(row.startswith(PROMPT.rstrip()) and len(row) < 24 for row in rows)
    assert " ".join(row.removeprefix(PROMPT) for row in rows) == text


def test_a_word_that_is_too_long_is_cut_on_the_screen_only() -> None:
    entry = TextEntry(24, paragraph=True)
    rows = type_in(entry, keys("x" * 50))
    assert entry.text == "x" * 50
    assert len(rows) > 2


@pytest.mark.parametrize("text", ["abc", "Wört", "注意力"])
def test_rubbing_out_takes_the_last_character_from_text_and_screen(text: str) -> None:
    entry = TextEntry(40, paragraph=False)
    rows = type_in(entry, keys(text), ["backspace"])
    assert entry.text == text[:-1]
    assert rows == [PROMPT + text[:-1]]


def test_rubbing_out_goes_back_over_a_line_end() -> None:
    entry = TextEntry(40, paragraph=True)
    rows = type_in(entry, keys("one\n"), ["backspace"], keys("!"))
    assert entry.text == "one!"
    assert rows[-1] == PROMPT + "one!"


def test_rubbing_out_nothing_does_nothing() -> None:
    entry = TextEntry(40, paragraph=True)
    assert entry.feed(["backspace", "\x15"]) == ""


def test_ctrl_u_clears_the_row() -> None:
    entry = TextEntry(40, paragraph=False)
    rows = type_in(entry, keys("all wrong"), ["\x15"], keys("right"))
    assert entry.text == "right"
    assert rows == [PROMPT + "right"]


def test_keys_that_are_no_letters_write_nothing() -> None:
    entry = TextEntry(40, paragraph=False)
    assert entry.feed(["up", "page down", "\x07", "home"]) == ""
    assert entry.text == ""


def timed(clock: str, text: str) -> str:
    """A row of a text with a clock."""
    return f"{clock:>{CLOCK}} > {text}".rstrip()


@pytest.mark.parametrize("text", ["", "half a sen", "Wört 注意力"])
def test_a_clock_goes_on_before_the_text_without_a_change_to_the_text(text: str) -> None:
    entry = TextEntry(60, paragraph=True, clock="10:00 left")
    written = entry.open() + entry.feed(keys(text)) + entry.tick("9:59 left")
    assert screen(written) == [timed("9:59 left", text)]
    assert screen(written + entry.feed(keys(" and more"))) == [timed("9:59 left", f"{text} and more")]
    assert entry.text == f"{text} and more".strip()


def test_a_clock_that_shows_the_same_writes_nothing() -> None:
    entry = TextEntry(60, paragraph=True, clock="10:00 left")
    assert entry.tick("10:00 left") == ""
    assert TextEntry(60, paragraph=True).tick("9:59 left") == ""


def test_only_the_row_that_is_typed_into_has_the_clock() -> None:
    entry = TextEntry(40, paragraph=True, clock="0:03 left")
    batches = [entry.open(), *(entry.feed(keys(char)) for char in "the variance of this very row")]
    rows = screen(
        "".join([*batches, entry.tick("0:02 left"), entry.feed(keys("\n")), entry.feed(keys("and its root"))])
    )
    assert rows == [timed("", "the variance of this"), timed("", "very row"), timed("0:02 left", "and its root")]
    assert entry.text == "the variance of this very row\nand its root"


@pytest.mark.parametrize("ending", [["enter"], ["escape"], None])
def test_a_text_that_has_ended_keeps_no_clock_that_stands(ending: list[str] | None) -> None:
    entry = TextEntry(60, paragraph=False, clock="0:03 left")
    written = entry.open() + entry.feed(keys("a note"))
    written += entry.end() if ending is None else entry.feed(ending)
    assert screen(written) == [timed("", "a note"), ""]


def test_what_is_rubbed_out_leaves_the_clock_alone() -> None:
    entry = TextEntry(60, paragraph=True, clock="0:03 left")
    written = (
        entry.open() + entry.feed(keys("one\n")) + entry.tick("0:02 left") + entry.feed(["backspace", "backspace"])
    )
    assert screen(written)[-1] == timed("0:02 left", "on")


def test_a_clock_is_no_escape_sequence() -> None:
    entry = TextEntry(60, paragraph=True, clock="0:03 left")
    written = entry.open() + entry.feed(keys("one\ntwo")) + entry.tick("0:02 left") + entry.end()
    assert all(char.isprintable() or char in "\r\n" for char in written)
