"""One room decides about colour, width and Unicode, from the stream and the environment alone."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from grader import output
from grader.output import Note, Output, decide


class Stream(io.TextIOWrapper):
    """A stream that says what it is told to say about itself."""

    def __init__(self, *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def bytes(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined,no-any-return]

    def text(self) -> str:
        return self.bytes().decode("utf-8")


def make(
    environ: dict[str, str] | None = None, *, terminal: bool = False, encoding: str = "utf-8"
) -> tuple[Output, Stream, Stream]:
    out, err = Stream(terminal=terminal, encoding=encoding), Stream(terminal=terminal, encoding=encoding)
    return Output(out, err, environ or {}), out, err


class TestColor:
    @pytest.mark.parametrize(
        ("terminal", "environ", "color"),
        [
            (True, {}, True),
            (False, {}, False),
            (True, {"NO_COLOR": "1"}, False),
            (True, {"NO_COLOR": ""}, True),
            (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
            (False, {"FORCE_COLOR": "1"}, True),
            (False, {"FORCE_COLOR": "3"}, True),
            (True, {"FORCE_COLOR": "0"}, False),
            (False, {"FORCE_COLOR": ""}, False),
            (True, {"TERM": "dumb"}, False),
            (True, {"TERM": "xterm-256color"}, True),
            (False, {"CLICOLOR": "1"}, False),
            (False, {"CLICOLOR_FORCE": "1"}, False),
            (True, {"CLICOLOR": "0"}, True),
        ],
    )
    def test_follows_the_stream_and_four_variables(self, terminal: bool, environ: dict[str, str], color: bool) -> None:
        assert decide(Stream(terminal=terminal), environ).color is color

    @pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "0"}, {"TERM": "dumb"}])
    def test_none_means_no_escape_sequence_at_all(self, environ: dict[str, str]) -> None:
        out, stdout, stderr = make(environ, terminal=True)
        out.show(Text("bold", style="bold red"), Text("link", style="link https://example.org"))
        out.error("message", "kata list")
        out.warn("warning")
        with out.progress("checking"):
            pass
        assert b"\x1b" not in stdout.bytes() + stderr.bytes()

    def test_uses_only_the_sixteen_colours_of_the_theme(self) -> None:
        out, stdout, _ = make({"FORCE_COLOR": "1"})
        out.show(Text("x", style="#123456"))
        assert "38;" not in stdout.text()
        assert "\x1b[" in stdout.text()

    def test_stdout_and_stderr_decide_for_themselves(self) -> None:
        out = Output(Stream(terminal=False), Stream(terminal=True), {})
        assert (out.look.color, out.error_look.color) == (False, True)


class TestWidth:
    @pytest.mark.parametrize(
        ("environ", "width"),
        [
            ({}, 80),
            ({"COLUMNS": "60"}, 60),
            ({"COLUMNS": "100"}, 100),
            ({"COLUMNS": "500"}, output.WIDEST),
            ({"COLUMNS": "3"}, output.NARROWEST),
            ({"COLUMNS": "0"}, 80),
            ({"COLUMNS": "wide"}, 80),
            ({"COLUMNS": "-5"}, 80),
        ],
    )
    def test_of_a_pipe_is_80_unless_columns_says_otherwise(self, environ: dict[str, str], width: int) -> None:
        assert decide(Stream(), environ).width == width


class TestUnicode:
    @pytest.mark.parametrize(
        ("encoding", "environ", "unicode"),
        [("utf-8", {}, True), ("ascii", {}, False), ("latin-1", {}, False), ("utf-8", {"TERM": "dumb"}, False)],
    )
    def test_needs_an_encoding_and_a_terminal_for_it(
        self, encoding: str, environ: dict[str, str], unicode: bool
    ) -> None:
        assert decide(Stream(encoding=encoding), environ).unicode is unicode

    @pytest.mark.parametrize(("encoding", "environ"), [("ascii", {}), ("utf-8", {"TERM": "dumb"})])
    def test_without_it_our_signs_are_ascii(self, encoding: str, environ: dict[str, str]) -> None:
        out, stdout, stderr = make(environ, encoding=encoding)
        out.show(Text("✓ – ○ │ × √ … ≤"))
        out.say("done…")
        assert stdout.bytes() == b"+ - o | x sqrt ... <=\n"
        assert stderr.bytes() == b"done...\n"

    def test_what_the_encoding_lacks_is_escaped_and_no_error(self) -> None:
        out, stdout, stderr = make(encoding="ascii")
        out.show(Text("注"))
        out.error("注")
        assert stdout.bytes() == b"\\u6ce8\n"
        assert stderr.bytes() == b"kata: \\u6ce8\n"

    def test_a_lone_surrogate_is_no_error(self) -> None:
        out, stdout, stderr = make()
        out.write("\udcff\n")
        out.error("a name\udcff")
        assert stdout.bytes() == b"\\udcff\n"
        assert stderr.bytes() == b"kata: a name\\udcff\n"


class TestStreams:
    def test_show_reads_no_markup_and_leaves_no_trailing_spaces(self) -> None:
        out, stdout, _ = make()
        table = Table("a", "b", box=None)
        table.add_row("[red]x[/red]", ":skull:")
        out.show("[bold]plain[/bold]", table)
        assert "[bold]plain[/bold]" in stdout.text()
        assert "[red]x[/red]" in stdout.text()
        assert ":skull:" in stdout.text()
        assert all(line == line.rstrip() for line in stdout.text().split("\n"))

    def test_errors_name_the_next_command_and_go_to_stderr(self) -> None:
        out, stdout, stderr = make()
        out.error("there is no kata named x", "kata list")
        assert stdout.text() == ""
        assert stderr.text() == "kata: there is no kata named x\nNext: kata list\n"

    def test_lines_are_cut_between_words_on_a_terminal_and_whole_in_a_pipe(self) -> None:
        for terminal in (True, False):
            out, _, stderr = make({"COLUMNS": "40"}, terminal=terminal)
            out.error(
                "'layernrom' is no kata here; did you mean layernorm?", "kata grade a-file-with-a-very-long-name.py"
            )
            out.say("a " * 30 + "end")
            lines = stderr.text().splitlines()
            plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
            assert max(map(len, plain)) <= 40 or not terminal
            assert len(plain) == (6 if terminal else 3)
            assert "did you mean layernorm?" in " ".join(" ".join(plain).split())

    def test_what_comes_from_a_user_cannot_move_the_cursor(self) -> None:
        out, _, stderr = make()
        out.error("\x1b[2Jgone\nkata: PASS")
        assert stderr.text() == "kata: \\x1b[2Jgone\\nkata: PASS\n"

    def test_a_path_is_exact_in_a_pipe_and_harmless_on_a_terminal(self) -> None:
        path = Path(os.fsdecode(b"/a\x1b[31m/\xff.py"))
        piped, stdout, _ = make()
        piped.write_path(path)
        assert stdout.bytes() == b"/a\x1b[31m/\xff.py\n"
        shown, stdout, _ = make(terminal=True)
        shown.write_path(path)
        assert stdout.bytes() == b"/a\\x1b[31m/\\udcff.py\n"

    def test_closed_streams_are_no_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdout", None)
        monkeypatch.setattr("sys.stderr", None)
        out = Output(environ={})
        out.show(Text("x"))
        out.say("x")
        out.stdout.close()
        out.stderr.close()


class TestProgress:
    def test_is_silent_in_a_pipe(self) -> None:
        out, stdout, stderr = make()
        with out.progress("checking layernorm.py…"):
            pass
        assert stdout.bytes() + stderr.bytes() == b""

    def test_counts_the_seconds_of_a_long_wait_and_takes_another_note(self) -> None:
        stream, time = io.StringIO(), [0.0]
        note = Note(stream, lambda text: text, clock=lambda: time[0])
        note.say("checking x.py")
        for seconds in (1.0, 3.0, 3.2):
            time[0] = seconds
            note.draw()
        note.say("timing x.py")
        assert stream.getvalue() == "checking x.py\rchecking x.py 3 s\rtiming x.py 3 s  \b\b"

    def test_leaves_nothing_of_the_echo_of_ctrl_c(self) -> None:
        out, _, stderr = make(terminal=True)
        with out.progress("checking x.py"):
            stderr.write("^C")
        assert len(stderr.text().split("\r")[1]) == len("checking x.py^C")

    def test_is_erased_on_a_terminal_even_after_an_exception(self) -> None:
        out, stdout, stderr = make(terminal=True)
        with pytest.raises(KeyboardInterrupt), out.progress("checking layernorm.py…"):
            raise KeyboardInterrupt
        note, blank, rest = stderr.text().split("\r")
        assert note == "checking layernorm.py…"
        assert blank.strip() == ""
        assert len(blank) >= len(note)
        assert rest == ""
        assert stdout.bytes() == b""
