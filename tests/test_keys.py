"""Keys come one by one, whole and unechoed, and the terminal is as it was before, however it ends."""

from __future__ import annotations

import os
import signal
import sys
import termios
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest

from grader.keyboard.keys import Decoder, Keys

ROOT = Path(__file__).parents[1]
PATIENCE = 15

# Prints every word that it hears, until q.
LISTENER = """
import sys
from grader.keyboard.keys import Keys
def say(word): print(f"<{word}>", flush=True)
with Keys(0, leave=lambda: say("left"), enter=lambda: say("entered")) as keys:
    say("ready")
    word = ""
    while word != "q":
        for word in keys.wait(30):
            say(word)
            {extra}
say("over")
"""


class TestDecoder:
    @pytest.mark.parametrize(
        ("data", "keys"),
        [
            (b"hq", ["h", "q"]),
            ("é中".encode(), ["é", "中"]),
            (b"\r\n\t \x7f", ["enter", "enter", "tab", "space", "backspace"]),
            (b"\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[H\x1b[4~", ["up", "down", "page up", "page down", "home", "end"]),
            (b"\x1b[1;5Ch", ["h"]),
            (b"\x1bqh", ["h"]),
            (b"\x1b[200~rm -rf\nq\x1b[200~\x1b[201~h", ["h"]),
            (b"\xff\xc3h", ["\ufffd", "\ufffd", "h"]),
        ],
        ids=["letters", "utf-8", "named", "sequences", "unknown sequence", "with alt", "pasted", "no utf-8"],
    )
    def test_keys_are_told_however_the_bytes_are_cut(self, data: bytes, keys: list[str]) -> None:
        assert Decoder().feed(data) == keys
        slow = Decoder()
        assert [key for i in range(len(data)) for key in slow.feed(data[i : i + 1])] == keys

    def test_escape_alone_is_a_key_once_nothing_follows(self) -> None:
        decoder = Decoder()
        assert decoder.feed(b"\x1b") == []
        assert decoder.unfinished
        assert decoder.give_up() == ["escape"]
        assert not decoder.unfinished
        assert decoder.feed(b"h") == ["h"]

    def test_a_paste_without_an_end_is_kept_small(self) -> None:
        decoder = Decoder()
        decoder.feed(b"\x1b[200~")
        assert decoder.feed(b"q" * 1_000_000) == []
        assert len(decoder._text) < 10
        assert decoder.feed(b"\x1b[201~h") == ["h"]


class TestKeys:
    def test_are_woken_from_elsewhere_and_return_nothing_when_nothing_comes(self) -> None:
        with Keys(None) as keys:
            assert keys.wait(0) == []
            keys.wake()
            assert keys.wait(30) == ["<wake>"]
            readable, writable = os.pipe()
            os.write(writable, b"x")
            assert keys.wait(30, also=[readable]) == ["<wake>"]
            os.close(readable)
            os.close(writable)

    def test_give_the_signals_back(self) -> None:
        watched = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = [signal.getsignal(number) for number in watched]
        with Keys(None) as keys:
            os.kill(os.getpid(), signal.SIGTERM)
            assert f"<end>{int(signal.SIGTERM)}" in keys.wait(30)
            os.kill(os.getpid(), signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                keys.wait(30)
        assert [signal.getsignal(number) for number in watched] == before

    def test_a_terminal_that_is_closed_is_told_once(self) -> None:
        leader, follower = os.openpty()
        with Keys(follower) as keys:
            os.close(leader)
            assert keys.wait(30) == ["<closed>"]
            assert keys.wait(0) == []
        os.close(follower)

    def test_a_second_ctrl_c_does_not_wait_for_the_loop(self) -> None:
        with Keys(None):
            os.kill(os.getpid(), signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def listen(tmp_path: Path) -> Any:
    """`listen(extra)`: a listener on a terminal of its own."""
    children = []

    def listen(extra: str = "pass") -> pexpect.spawn:
        script = tmp_path / "listener.py"
        script.write_text(textwrap.dedent(LISTENER).replace("{extra}", extra))
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
        child = pexpect.spawn(sys.executable, [str(script)], env=environ, timeout=PATIENCE, encoding="utf-8")
        child.delaybeforesend = None
        children.append(child)
        child.expect_exact("<ready>")
        return child

    yield listen
    for child in children:
        child.close(force=True)


def is_cooked(child: pexpect.spawn) -> bool:
    """Whether the terminal echoes and waits for lines, as a shell wants it."""
    flags = termios.tcgetattr(child.child_fd)[3]
    return bool(flags & termios.ECHO) and bool(flags & termios.ICANON)


def quit_by_key(child: pexpect.spawn) -> None:
    child.send("q")


def quit_by_ctrl_c(child: pexpect.spawn) -> None:
    child.sendintr()


def quit_by_term(child: pexpect.spawn) -> None:
    child.kill(signal.SIGTERM)
    child.expect_exact("<<end>15>")
    child.send("q")


class TestOnATerminal:
    def test_keys_are_heard_at_once_and_not_echoed(self, listen: Callable[..., pexpect.spawn]) -> None:
        child = listen()
        assert not is_cooked(child)
        child.send("\x1b[Axé")
        child.expect_exact(["<up>\r\n<x>\r\n<é>\r\n"])
        assert "\x1b" not in child.before
        assert child.before.strip() == ""

    def test_a_lone_escape_is_heard(self, listen: Callable[..., pexpect.spawn]) -> None:
        child = listen()
        child.send("\x1b")
        child.expect_exact("<escape>")

    def test_another_size_is_told(self, listen: Callable[..., pexpect.spawn]) -> None:
        child = listen()
        child.setwinsize(10, 60)
        child.expect_exact("<<resize>>")

    @pytest.mark.parametrize("end", [quit_by_key, quit_by_ctrl_c, quit_by_term])
    def test_the_terminal_is_as_before(
        self, listen: Callable[..., pexpect.spawn], end: Callable[[pexpect.spawn], None]
    ) -> None:
        child = listen()
        end(child)
        child.expect(pexpect.EOF)
        assert is_cooked(child)

    def test_the_terminal_is_as_before_after_a_bug(self, listen: Callable[..., pexpect.spawn]) -> None:
        child = listen("1 / 0")
        child.send("x")
        child.expect_exact("ZeroDivisionError")
        child.expect(pexpect.EOF)
        assert is_cooked(child)

    def test_ctrl_z_leaves_and_fg_enters_again(self, listen: Callable[..., pexpect.spawn], tmp_path: Path) -> None:
        listen().send("q")  # writes the script
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "PS1": "$ ", "TERM": "dumb"}
        shell = pexpect.spawn(
            "bash", ["--norc", "--noprofile", "-i"], env=environ, timeout=PATIENCE, encoding="utf-8", cwd=str(tmp_path)
        )
        shell.expect_exact("$ ")
        shell.sendline(f"{sys.executable} listener.py")
        shell.expect_exact("<ready>")
        shell.send("\x1a")
        shell.expect_exact("<left>")
        shell.expect_exact("Stopped")
        shell.sendline("stty -a | tr ' ' '\\n' | grep -cx -e echo -e icanon")
        shell.expect_exact("\r\n2\r\n")
        shell.sendline("fg")
        shell.expect_exact("<entered>")
        shell.expect_exact("<<resume>>")
        shell.send("xq")
        shell.expect_exact("<x>")
        shell.expect_exact("<over>")
        shell.sendline("exit")
        shell.expect(pexpect.EOF)
        shell.close()
