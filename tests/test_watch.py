"""`kata watch` grades whatever is saved, however it is saved, and changes what is read only by a key or a save."""

from __future__ import annotations

import os
import re
import runpy
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pexpect
import pytest
from rich.text import Text

from grader.catalog import get_kata
from grader.desk import Desk
from grader.grade_helper import Answer, Request
from grader.journal.events import Journal
from grader.output import Output
from grader.render.jsonout import verdict_document
from grader.render.page import Page
from grader.render.terminal import screen
from grader.render.text import shortened
from grader.render.watch import frame, narrow_screen, place_of_timing, verdict_line
from grader.watch.saves import GRACE_SECONDS, Change, Saves
from grader.watch.state import Watching
from grader.workspace import Target

ROOT = Path(__file__).parents[1]
TESTS = Path(__file__).parent
samples = SimpleNamespace(**runpy.run_path(str(TESTS / "samples.py")))
PATIENCE = 20


# --- ways to save a file -----------------------------------------------------------------------------------------------


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.swp")
    fresh.write_text(text)
    os.replace(fresh, path)


def with_a_backup(path: Path, text: str) -> None:
    os.rename(path, f"{path}~")
    path.write_text(text)
    os.unlink(f"{path}~")


def deleted_and_made_anew(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(text)


def twice(path: Path, text: str) -> None:
    path.write_text(text)
    path.write_text(text)


WAYS = (in_place, by_rename, with_a_backup, deleted_and_made_anew, twice)


class TestSaves:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "layernorm.py"
        path.write_text("old")
        return path

    @pytest.mark.parametrize("save", WAYS)
    def test_every_way_to_save_is_one_save(self, file: Path, save: Callable[[Path, str], None]) -> None:
        saves = Saves(file, None, now=0)
        assert saves.look(1) is None
        save(file, "new")
        assert [saves.look(2), saves.look(3), saves.look(4)] == [Change.SAVED, None, None]

    def test_a_burst_is_one_save(self, file: Path) -> None:
        saves = Saves(file, None, now=0)
        for number in range(20):
            by_rename(file, f"new {number}")
        assert [saves.look(1), saves.look(2)] == [Change.SAVED, None]

    def test_the_same_content_again_is_no_reason_to_grade(self, file: Path) -> None:
        saves = Saves(file, None, now=0)
        by_rename(file, "old")
        assert saves.look(1) is Change.UNCHANGED

    def test_a_file_that_is_deleted_and_written_later_is_not_gone(self, file: Path) -> None:
        saves = Saves(file, None, now=0)
        file.unlink()
        assert saves.look(1) is None
        assert saves.rest(1) < GRACE_SECONDS
        file.write_text("new")
        assert saves.look(1 + GRACE_SECONDS / 2) is Change.SAVED

    def test_a_file_that_is_emptied_and_written_later_is_not_empty(self, file: Path) -> None:
        saves = Saves(file, None, now=0)
        file.write_text("")
        assert saves.look(1) is None
        file.write_text("new")
        assert saves.look(1 + GRACE_SECONDS / 2) is Change.SAVED

    def test_a_file_that_stays_empty_is_saved_empty(self, file: Path) -> None:
        saves = Saves(file, None, now=0)
        file.write_text("")
        assert [saves.look(1), saves.look(2), saves.look(3)] == [None, Change.SAVED, None]

    def test_a_file_that_stays_away_is_gone_once_and_can_come_back(self, file: Path) -> None:
        saves = Saves(file, None, now=0)
        file.unlink()
        assert [saves.look(1), saves.look(2), saves.look(3)] == [None, Change.GONE, None]
        file.write_text("old")
        assert saves.look(4) is Change.UNCHANGED
        file.unlink()
        assert [saves.look(5), saves.look(6)] == [None, Change.GONE]

    def test_a_look_is_due_now_and_then_though_nobody_tells(self, file: Path) -> None:
        saves = Saves(file, None, now=0)
        assert 0 < saves.rest(0) <= 0.2
        assert saves.rest(100) == 0

    @pytest.mark.parametrize("save", WAYS)
    def test_the_file_system_tells_of_every_way(
        self, file: Path, save: Callable[[Path, str], None], told: threading.Event
    ) -> None:
        with_listener = Saves(file, told.set, now=0)
        listens(file.parent, told)
        for text in ("new", "newer"):
            told.clear()
            save(file, text)
            assert told.wait(PATIENCE)
        with_listener.close()

    def test_the_file_behind_a_link_is_heard_of(self, file: Path, tmp_path: Path, told: threading.Event) -> None:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        link = elsewhere / "link.py"
        link.symlink_to(file)
        saves = Saves(link, told.set, now=0)
        listens(file.parent, told)
        told.clear()
        in_place(file, "new")
        assert told.wait(PATIENCE)
        assert saves.look(1) is Change.SAVED
        saves.close()

    def test_where_nobody_can_listen_the_file_is_looked_at_more_often(
        self, file: Path, told: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "watchfiles", None)
        saves = Saves(file, told.set, now=0)
        assert told.wait(PATIENCE)
        assert saves.rest(0) <= 0.2
        saves.close()


@pytest.fixture
def told() -> threading.Event:
    return threading.Event()


def listens(folder: Path, told: threading.Event) -> None:
    """Return once the listener of layernorm.py has begun: it has heard of a save that is none."""
    path = folder / "layernorm.py"
    for number in range(PATIENCE * 10):
        os.utime(path, ns=(number, number))
        if told.wait(0.1):
            return
    raise AssertionError("the listener hears nothing")


# --- the state ---------------------------------------------------------------------------------------------------------


class Helper:
    """Stands in for the process that grades: answers when told to, by the source's first word."""

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.cancelled: list[str] = []
        self._ready: list[Answer] = []

    def submit(self, request: Request) -> None:
        self.asked.append(request)

    def cancel(self, tag: str) -> None:
        self.cancelled.append(tag)

    def answer(self, number: int = -1, *, fault: str = "") -> None:
        request = self.asked[number]
        kind = request.source.decode().split()[0]
        verdict = None if fault else verdict_document(replace(samples.ALL[kind](), kata=request.kata.id))
        self._ready.append(Answer(request, 0.5, verdict, fault))

    def poll(self) -> list[Answer]:
        ready, self._ready = self._ready, []
        return ready


class Person:
    """A Watching with a file, a helper and a clock of its own, and what a person would see."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder)
        self.time = 0.0
        self.file = folder / "layernorm.py"
        self.file.write_text("failing")
        self.desk = Desk(Output(TextIOWrapper(BytesIO(), encoding="utf-8"), StringIO(), {}))
        self.helper: Any = Helper()
        self.watching = Watching(
            self.desk,
            self.helper,
            Target(get_kata("layernorm"), self.file, "layernorm.py"),
            keys=True,
            clock=lambda: self.time,
            now=lambda: datetime(2026, 1, 2, 3, 4, 5),
        )
        self.watching.grade()

    def save(self, text: str) -> None:
        by_rename(self.file, text)
        self.time += 1
        self.watching.look()

    def verdict_comes(self, **options: Any) -> None:
        self.helper.answer(**options)
        self.watching.take_answers()

    @property
    def reads(self) -> str:
        return "\n".join(self.desk.output.lines(*self.watching.body(80), width=80))

    def grades(self) -> list[Any]:
        return self.desk.journal.events(kinds=("grade",))


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    person = Person(tmp_path, monkeypatch)
    yield person
    person.watching.close()
    person.desk.close()


class TestWatching:
    def test_the_first_grade_begins_at_once_and_says_so(self, person: Person) -> None:
        assert person.watching.state == "checking layernorm.py…"
        assert person.reads == ""
        person.verdict_comes()
        assert "✗ FAIL" in person.reads
        assert person.watching.state == "graded at 03:04:05, watching layernorm.py"

    def test_a_save_is_graded_and_the_old_verdict_stays_until_the_new_one_is_there(self, person: Person) -> None:
        person.verdict_comes()
        person.save("passing")
        assert "✗ FAIL" in person.reads
        assert person.watching.state.startswith("checking")
        person.verdict_comes()
        assert "✓ PASS" in person.reads

    def test_saves_during_a_grade_give_one_more_of_the_newest(self, person: Person) -> None:
        for text in ("passing 1", "passing 2", "passing 3"):
            person.save(text)
        assert len(person.helper.asked) == 1
        person.verdict_comes()
        assert [request.source for request in person.helper.asked] == [b"failing", b"passing 3"]
        person.verdict_comes()
        assert len(person.helper.asked) == 2
        assert "✓ PASS" in person.reads

    def test_a_save_without_a_change_keeps_verdict_and_scroll(self, person: Person) -> None:
        person.verdict_comes()
        before = person.watching.revision
        person.save("failing")
        assert (len(person.helper.asked), person.watching.revision) == (1, before)
        assert person.watching.state == "layernorm.py was saved unchanged: its verdict stands"

    def test_every_grade_is_remembered_with_its_source_and_verdict(self, person: Person) -> None:
        person.verdict_comes()
        person.save("passing")
        person.verdict_comes()
        journal = person.desk.journal
        events = person.grades()
        assert [event.data["verdict"] for event in events] == ["fail", "pass"]
        assert [journal.source(event.source) for event in events] == [b"failing", b"passing"]
        assert [journal.verdict(event.id)["verdict"] for event in events] == ["fail", "pass"]
        assert {event.path for event in events} == {person.file}

    @pytest.mark.parametrize(("key", "sign"), [("h", "Hint 1 of 3"), ("s", "class LayerNorm")])
    def test_a_hint_and_the_brief_stay_when_a_verdict_comes(self, person: Person, key: str, sign: str) -> None:
        person.watching.press(key)
        before = person.watching.revision
        person.verdict_comes()
        assert sign in person.reads
        assert person.watching.revision == before
        assert person.watching.state.endswith("; Enter shows the verdict")
        person.watching.press("x")
        assert sign in person.reads
        person.watching.press("enter")
        assert "✗ FAIL" in person.reads

    @pytest.mark.parametrize("key", ["h", "s"])
    def test_a_save_ends_a_hint_and_the_brief(self, person: Person, key: str) -> None:
        person.verdict_comes()
        person.watching.press(key)
        person.save("passing")
        assert "✗ FAIL" in person.reads
        person.verdict_comes()
        assert "✓ PASS" in person.reads

    def test_hints_come_one_by_one_and_are_remembered(self, person: Person) -> None:
        for number in (1, 2, 3):
            person.watching.press("h")
            assert f"Hint {number} of 3" in person.reads
        person.watching.press("h")
        assert all(f"Hint {number} of 3" in person.reads for number in (1, 2, 3))
        assert "kata solution layernorm --give-up" in person.watching.state
        assert [event.data["rung"] for event in person.desk.journal.events(kinds=("hint",))] == [1, 2, 3]
        person.verdict_comes()
        assert person.watching.verdict is not None
        assert person.watching.verdict.hints_used == 3

    def test_r_grades_again_and_t_once_with_timing(self, person: Person) -> None:
        person.verdict_comes()
        for key, word in (("r", "checking"), ("t", "timing"), ("r", "checking")):
            person.watching.press(key)
            assert person.watching.state == f"{word} layernorm.py…"
            person.verdict_comes()
        assert [request.timing for request in person.helper.asked] == [False, False, True, False]
        assert len(person.grades()) == 4

    def test_a_grade_that_hangs_is_given_up_for_what_was_saved_since(self, person: Person) -> None:
        person.time += 1
        person.save("passing")
        person.watching.take_answers()
        assert person.helper.cancelled == []  # a quick one is worth waiting for
        person.time += 10
        person.watching.take_answers()
        assert person.helper.cancelled == ["1"]
        assert person.helper.asked[-1].source == b"passing"
        assert person.watching.state == "checking layernorm.py…  (check given up: saved since)"
        person.verdict_comes()
        assert "✓ PASS" in person.reads
        assert len(person.grades()) == 1

    def test_a_timing_that_makes_way_for_a_save_is_not_called_slow(self, person: Person) -> None:
        """It takes its ten seconds, and nothing is wrong with the code."""
        person.verdict_comes()
        person.watching.press("t")
        person.time += 4
        person.save("passing")
        person.time += 2
        person.watching.take_answers()
        assert person.helper.cancelled == ["2"]
        assert "timing given up: saved since" in person.watching.state
        assert "took" not in person.watching.state

    def test_a_slow_grade_of_the_same_content_is_not_given_up(self, person: Person) -> None:
        person.watching.press("r")
        person.time += 60
        person.watching.take_answers()
        assert person.helper.cancelled == []

    def test_t_during_a_grade_is_not_forgotten_by_a_save(self, person: Person) -> None:
        person.watching.press("t")
        person.save("passing")
        person.verdict_comes()
        assert [(request.source, request.timing) for request in person.helper.asked[1:]] == [(b"passing", True)]

    def test_n_writes_the_next_kata_and_watches_it(self, person: Person) -> None:
        person.verdict_comes()
        person.watching.press("n")
        assert person.watching.target.kata.id == "scaled-dot-product"
        assert "scaled_dot_product_attention(" in person.reads
        assert person.watching.state == "wrote scaled_dot_product.py: it is graded when you save it"
        assert len(person.helper.asked) == 1
        person.save("passing")
        assert len(person.helper.asked) == 1, "the file that was watched before is not graded any more"
        by_rename(person.file.with_name("scaled_dot_product.py"), "passing")
        person.watching.look()
        assert person.helper.asked[-1].kata.id == "scaled-dot-product"
        assert [event.kata for event in person.desk.journal.events(kinds=("start",))] == ["scaled-dot-product"]

    def test_n_never_overwrites_and_grades_what_is_there(self, person: Person) -> None:
        other = person.file.with_name("scaled_dot_product.py")
        other.write_text("passing mine")
        person.watching.press("n")
        assert other.read_text() == "passing mine"
        assert person.helper.asked[-1].source == b"passing mine"

    def test_a_verdict_that_comes_after_n_is_remembered_and_not_shown(self, person: Person) -> None:
        person.watching.press("n")
        before = person.reads
        person.verdict_comes()
        assert person.reads == before
        assert [event.kata for event in person.grades()] == ["layernorm"]

    def test_n_with_every_other_kata_passed_stays_here(self, person: Person) -> None:
        for id in person.desk.katas:
            if id != "layernorm":
                person.desk.journal.append("grade", id, data={"verdict": "pass", "passed": 1, "required": 1})
        person.watching.press("n")
        assert person.watching.target.kata.id == "layernorm"
        assert "every other kata is passed" in person.watching.state

    def test_a_file_that_cannot_be_graded_is_a_verdict_like_any(self, person: Person) -> None:
        person.verdict_comes()
        person.file.write_bytes(b"\0\1\2\3")
        person.watching.look()
        assert "! UNUSABLE" in person.reads
        assert "binary" in person.reads
        assert "Next: edit layernorm.py and save it" in person.reads
        assert [event.data["verdict"] for event in person.grades()] == ["fail"]

    def test_an_unknown_key_is_told_and_a_question_mark_tells_more(self, person: Person) -> None:
        person.verdict_comes()
        person.watching.press("x")
        assert person.watching.state == "x is no key here; the keys stand below, ? tells of more"
        person.watching.press("?")
        assert "scroll" in person.watching.state
        assert "✗ FAIL" in person.reads

    def test_a_verdict_asked_for_with_timing_is_shown_from_there(self, person: Person) -> None:
        person.verdict_comes()
        assert not person.watching.shows_time
        person.watching.press("t")
        person.verdict_comes()
        assert person.watching.shows_time
        lines = person.desk.output.lines(screen(Page(60), samples.timed()), width=60)
        assert lines[place_of_timing(lines)].startswith("Time ÷ reference")
        assert place_of_timing(person.reads.splitlines()) == 0

    def test_a_file_that_is_gone_is_waited_for_and_not_graded(self, person: Person) -> None:
        person.verdict_comes()
        person.file.unlink()
        for person.time in (1, 2):
            person.watching.look()
        assert person.watching.state == "layernorm.py is gone: waiting for it"
        assert "✗ FAIL" in person.reads
        assert len(person.grades()) == 1

    def test_a_fault_of_the_helper_is_on_us(self, person: Person) -> None:
        person.verdict_comes(fault="the process that grades has died")
        assert "! GRADER ERROR" in person.reads
        assert "the process that grades has died" in person.reads

    def test_a_long_grade_counts_its_seconds(self, person: Person) -> None:
        person.time = 7
        assert person.watching.state == "checking layernorm.py… 7 s"
        assert person.watching.patience() <= 1


class TestFrame:
    BODY = tuple(f"line {number}" for number in range(50))

    @pytest.mark.parametrize("size", [(60, 24), (120, 40), (20, 5), (5, 2), (80, 1)])
    def test_fits_every_screen(self, size: tuple[int, int]) -> None:
        columns, rows = size
        lines = frame(self.BODY, "state", "keys", top=0, size=size, fit=lambda text: text[:columns])
        assert len(lines) == rows
        assert all(len(line) <= columns for line in lines)
        assert lines[-1].startswith("keys"[:columns])

    def test_tells_what_is_out_of_sight(self) -> None:
        def rule(top: int, rows: int = 23) -> str:
            return frame(self.BODY, "state", "keys", top=top, size=(60, rows), fit=str)[-3]

        assert rule(0).startswith("── 30 more below: space ─")
        assert rule(10).startswith("── 10 more above: b, 20 more below: space ─")
        assert rule(30).startswith("── 30 more above: b ─")
        assert set(rule(0, rows=60)) == {"─"}

    @pytest.mark.parametrize("kind", list(samples.ALL))
    @pytest.mark.parametrize("columns", [18, 24, 30, 39])
    def test_on_a_narrow_screen_words_and_figures_are_whole(self, kind: str, columns: int) -> None:
        verdict = samples.ALL[kind]()
        lines = narrow_screen(Page(columns), verdict, columns)
        words = verdict_line(Page(80), verdict).plain.split()
        assert " ".join(lines).split()[: len(words)] == words
        assert all(len(line) <= columns or " " not in line.strip() for line in lines)
        assert " ".join(" ".join(lines).split()).endswith(f"too narrow for more: {columns} columns, and 40 are needed")

    def test_what_is_cut_away_is_told_by_a_sign(self) -> None:
        assert [shortened("checking… 17 s", columns) for columns in (20, 14, 13, 1, 0)] == [
            "checking… 17 s",
            "checking… 17 s",
            "checking… 17…",
            "…",
            "",
        ]
        assert shortened("watching layernorm.py", 12, ascii_only=True) == "watching ..."

    @pytest.mark.parametrize("kind", list(samples.ALL))
    def test_a_verdict_is_one_line(self, kind: str) -> None:
        line: Text = verdict_line(Page(80), samples.ALL[kind]())
        assert line.plain.isprintable()
        assert re.match(r"✓ PASS|✗ FAIL|! UNUSABLE|\? NOT AUDITED|! GRADER ERROR", line.plain)


# --- a real terminal ---------------------------------------------------------------------------------------------------

# What stands in for the process that grades: answers by the first word of the source, on "hang" never.
ANSWERS = f"""
import base64, json, runpy, sys, time
sys.path.insert(0, {str(ROOT)!r})
from grader.render.jsonout import verdict_document
ALL = runpy.run_path({str(TESTS / "samples.py")!r})["ALL"]
for line in sys.stdin:
    message = json.loads(line)
    kind = base64.b64decode(message["source"]).decode().split()[0]
    if kind == "hang":
        continue
    print(json.dumps({{"tag": message["tag"], "verdict": verdict_document(ALL[kind]()), "fault": ""}}), flush=True)
"""
STAND_IN = f"""
import sys
from grader import cli, grade_helper
grade_helper.COMMAND = (sys.executable, "-c", {ANSWERS!r})
cli.main()
"""


class Session:
    """`kata watch layernorm` in a folder with the file."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home
        self.file = folder / "layernorm.py"
        self.children: list[pexpect.spawn] = []

    def environ(self, **changes: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
        own = {"PYTHONPATH": str(ROOT), "KATA_HOME": str(self.home), "OMP_NUM_THREADS": "1", "TERM": "xterm-256color"}
        return {**kept, **own, "LANG": "C.UTF-8", **changes}

    def command(self, *, real: bool = False) -> list[str]:
        return [sys.executable, *(("-m", "grader.cli") if real else ("-c", STAND_IN)), "watch", "layernorm"]

    def on_terminal(
        self, text: str, *, size: tuple[int, int] = (24, 80), real: bool = False, **environ: str
    ) -> pexpect.spawn:
        self.file.write_text(text)
        command, *arguments = self.command(real=real)
        child = pexpect.spawn(
            command,
            arguments,
            cwd=str(self.folder),
            env=self.environ(**environ),
            dimensions=size,
            timeout=PATIENCE,
            encoding="utf-8",
        )
        child.delaybeforesend = None
        self.children.append(child)
        return child

    def grades(self) -> list[str]:
        journal = Journal(self.home, warn=print)
        verdicts = [event.data["verdict"] for event in journal.events(kinds=("grade",))]
        journal.close()
        return verdicts


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    folder = tmp_path / "a place"
    folder.mkdir()
    session = Session(folder, tmp_path / "home")
    yield session
    for child in session.children:
        child.close(force=True)


def ended(child: pexpect.spawn) -> tuple[int | None, str]:
    """The exit code, and what stands on the person's own screen afterwards."""
    child.expect(pexpect.EOF)
    flags = termios.tcgetattr(child.child_fd)[3]
    assert flags & termios.ECHO, "the terminal is as before"
    assert flags & termios.ICANON, "the terminal is as before"
    child.close()
    return child.exitstatus, child.before.rpartition("\x1b[?1049l")[2]


class TestOnATerminal:
    def test_a_session(self, session: Session) -> None:
        child = session.on_terminal("failing")
        child.expect_exact("checking layernorm.py…")
        child.expect_exact("✗ FAIL")
        child.expect_exact("graded at")
        child.send("h")
        child.expect_exact("Hint 1 of 3")
        by_rename(session.file, "passing")
        child.expect_exact("✓ PASS")
        child.send("s")
        child.expect_exact("Layer normalisation")
        child.send("\x1b")
        child.expect_exact("✓ PASS")
        child.send("q")
        code, shown = ended(child)
        assert code == 0
        assert re.sub(r"\x1b\[[0-9;]*m", "", shown).startswith("✓ PASS  layernorm  ")
        assert session.grades() == ["fail", "pass"]

    def test_a_narrow_terminal_shows_whole_figures_and_says_why_no_more(self, session: Session) -> None:
        child = session.on_terminal("failing", size=(24, 30))
        child.expect_exact("8/11")
        child.expect_exact("too narrow for more")
        child.setwinsize(24, 80)
        child.expect_exact("8/11 properties")
        child.send("q")
        assert ended(child)[0] == 0

    def test_ctrl_c_is_130_and_gives_the_terminal_back(self, session: Session) -> None:
        child = session.on_terminal("hang")
        child.expect_exact("checking")
        child.sendintr()
        code, shown = ended(child)
        assert (code, shown.strip()) == (130, "stopped")

    def test_keys_are_heard_while_a_grade_hangs(self, session: Session) -> None:
        child = session.on_terminal("hang")
        child.expect_exact("checking")
        child.send("h")
        child.expect_exact("Hint 1 of 3")
        child.send("q")
        assert ended(child)[0] == 0

    def test_a_long_verdict_is_scrolled(self, session: Session) -> None:
        child = session.on_terminal("failing", size=(12, 60))
        child.expect_exact("more below: space")
        child.send(" ")
        child.expect_exact("more above: b")
        child.send("G")
        child.expect_exact("Next: edit layernorm.py and save it")
        child.send("q")
        assert ended(child)[0] == 0

    def test_another_size_draws_everything_again(self, session: Session) -> None:
        child = session.on_terminal("passing", size=(24, 60))
        child.expect_exact("graded at")
        child.setwinsize(30, 120)
        child.expect_exact("─" * 120)
        assert "✓ PASS" in child.before
        child.send("q")
        assert ended(child)[0] == 0

    def test_no_color_is_kept_and_dumb_terminals_get_no_escape_at_all(self, session: Session) -> None:
        child = session.on_terminal("failing", NO_COLOR="1")
        child.expect_exact("graded at")
        child.send("q")
        child.expect(pexpect.EOF)
        assert not re.search(r"\x1b\[[0-9;]*m", child.before)
        child = session.on_terminal("failing again", TERM="dumb")
        child.expect_exact("graded at")
        assert "\x1b" not in child.before
        assert "x FAIL" in child.before
        child.send("h")
        child.expect_exact("Hint 1 of 3")
        child.send("q")
        assert ended(child)[0] == 0

    def test_ctrl_z_leaves_the_screen_and_fg_draws_it_again(self, session: Session) -> None:
        session.file.write_text("failing")
        environ = session.environ(PS1="$ ")
        shell = pexpect.spawn(
            "bash",
            ["--norc", "--noprofile", "-i"],
            env=environ,
            cwd=str(session.folder),
            timeout=PATIENCE,
            encoding="utf-8",
            dimensions=(24, 80),
        )
        session.children.append(shell)
        (session.folder / "stand_in.py").write_text(STAND_IN)
        shell.expect_exact("$ ")
        shell.sendline(f"{sys.executable} stand_in.py watch layernorm")
        shell.expect_exact("graded at")
        shell.send("\x1a")
        shell.expect_exact("\x1b[?1049l")
        shell.expect_exact("Stopped")
        shell.sendline("fg")
        shell.expect_exact("\x1b[?1049h")
        shell.expect_exact("✗ FAIL")
        by_rename(session.file, "passing")
        shell.expect_exact("✓ PASS")
        shell.send("q")
        shell.expect_exact("\x1b[?1049l")

    def test_a_real_grade(self, session: Session) -> None:
        wrong, right = ((ROOT / "grader" / "demo" / f"{word}_layernorm.py").read_text() for word in ("wrong", "right"))
        child = session.on_terminal(wrong, real=True)
        child.expect_exact("✗ FAIL")
        by_rename(session.file, right)
        child.expect_exact("✓ PASS")
        by_rename(session.file, "class LayerNorm(:\n")
        child.expect_exact("! UNUSABLE")
        child.send("q")
        assert ended(child)[0] == 0
        assert session.grades() == ["fail", "pass", "unusable"]


class TestInAPipe:
    def test_every_grade_is_one_line(self, session: Session) -> None:
        session.file.write_text("failing")
        process = subprocess.Popen(
            session.command(),
            cwd=session.folder,
            env=session.environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("✗ FAIL  layernorm  ")
        by_rename(session.file, "passing")
        assert process.stdout.readline().startswith("✓ PASS  layernorm  ")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert (process.stdout.read(), process.stderr.read()) == ("", "stopped\n")
        process.stdout.close()
        process.stderr.close()

    def test_the_end_of_the_reader_is_the_end(self, session: Session) -> None:
        session.file.write_text("failing")
        process = subprocess.Popen(
            session.command(), cwd=session.folder, env=session.environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(PATIENCE) == 141
        assert process.stderr.read() == b""
        process.stderr.close()

    def test_a_file_that_is_not_there_is_told_with_the_command(self, session: Session) -> None:
        done = subprocess.run(
            session.command(),
            cwd=session.folder,
            env=session.environ(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "layernorm.py is not there" in done.stderr
        assert "kata start layernorm" in done.stderr
