"""A replay steps through what was saved, shows what changed, goes on by itself and stops where it is told to."""

from __future__ import annotations

import os
import re
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
import sessions
from sessions import ATTENTION, LAYERNORM, RIGHT, WRONG, Told

from grader import cli, grade_helper
from grader.grade_helper import Answer, Request
from grader.render.jsonout import verdict_document
from grader.render.replay import state, step_screen
from grader.report.diff import changes
from grader.report.replay import FASTEST, GRADE, LONGEST, QUIT, SHORTEST, SLOWEST, Player, Step, steps

ROOT = Path(__file__).parents[1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def made(*times: float) -> list[Step]:
    """Steps at these minutes."""
    return [Step(at * 60, LAYERNORM, 0, "implement", f"digest {at}", None, ("saved",)) for at in times]


class TestSteps:
    def test_every_content_is_one_step_with_what_happened_to_it(self, home: Path) -> None:
        found = steps(sessions.normal(home).interview())
        assert [(step.at / 60, step.happened, step.mark) for step in found] == [
            (0, ("the stub was written",), ""),
            (7, ("saved",), ""),
            (9, ("saved", "graded: fail, 8 of 11 properties"), "fail"),
            (
                16,
                (
                    "saved",
                    "graded: pass, 11 of 11 properties",
                    "deadline: snapshot taken",
                    "the snapshot of the deadline graded: pass, 11 of 11 properties",
                ),
                "pass",
            ),
        ]
        assert [step.before for step in found] == [None, *(step.source for step in found[:-1])]

    def test_each_kata_changes_from_its_own_content(self, home: Path) -> None:
        found = steps(sessions.onsite(home).interview())
        for kata in (LAYERNORM, ATTENTION):
            own = [step for step in found if step.kata == kata]
            assert [step.before for step in own] == [None, *(step.source for step in own[:-1])]

    def test_an_old_content_that_comes_back_is_a_step_of_its_own(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin()
        told.wait(1).save(WRONG).wait(1).save(RIGHT).wait(1).save(WRONG)
        found = steps(told.hand_in(WRONG).finish().interview())
        assert len(found) == 4
        assert found[3].source == found[1].source


class TestPlayer:
    def test_a_minute_takes_two_seconds_and_a_step_neither_a_blink_nor_an_age(self) -> None:
        player = Player(made(0, 0.1, 1.1, 30, 31))
        lengths = []
        while player.playing:
            left = player.left()
            assert left is not None
            lengths.append(left)
            player.pass_time(left)
        assert lengths == pytest.approx([SHORTEST, 2.0, LONGEST, 2.0])
        assert player.left() is None, "it stays on the last step"

    @pytest.mark.parametrize("speed", [0.5, 1, 2, 4, 8])
    def test_the_speed_divides_the_time(self, speed: float) -> None:
        assert Player(made(0, 1), speed).left() == pytest.approx(2.0 / speed)

    def test_time_that_is_left_over_counts_for_the_next_step(self) -> None:
        player = Player(made(0, 1, 2, 3))
        player.pass_time(4.5)
        assert (player.place, player.left()) == (2, 1.5)
        player.pass_time(1000)
        assert player.place == 3

    def test_space_pauses_and_goes_on(self) -> None:
        player = Player(made(0, 1))
        player.pass_time(1.5)
        player.press("space")
        player.pass_time(1000)
        assert (player.place, player.left()) == (0, None)
        player.press("space")
        assert player.left() == pytest.approx(0.5)

    def test_arrows_step_and_pause(self) -> None:
        player = Player(made(0, 1, 2))
        places = []
        for key in ("right", "right", "right", "left", "home", "left", "end"):
            player.press(key)
            places.append(player.place)
        assert places == [1, 2, 2, 1, 0, 0, 2]
        assert player.paused

    def test_plus_and_minus_stay_within_the_speeds(self) -> None:
        player = Player(made(0, 1))
        for _ in range(9):
            player.press("+")
        assert player.speed == FASTEST
        for _ in range(9):
            player.press("-")
        assert player.speed == SLOWEST

    def test_q_and_g_are_left_to_the_caller_and_g_pauses(self) -> None:
        player = Player(made(0, 1))
        assert player.press("x") == ""
        assert player.press("g") == GRADE
        assert player.paused
        assert player.press("q") == player.press("escape") == QUIT

    def test_the_line_below_says_where_it_is(self) -> None:
        player = Player(made(0, 1), 4)
        assert state(player) == "1/2  0:00  layernorm  4 ×"
        player.press("end")
        assert state(player, "grading step 2…") == "2/2  1:00  layernorm  paused  grading step 2…"


class TestInAPipe:
    @pytest.fixture
    def kata(self, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
        monkeypatch.setenv("KATA_HOME", str(home))
        monkeypatch.chdir(tmp_path)

        def run(*arguments: str) -> tuple[int, str, str]:
            code = cli.run(["interview", "replay", *arguments])
            return code, *capsys.readouterr()

        return run

    def test_all_steps_are_printed_with_what_changed(self, kata, home: Path) -> None:
        sessions.normal(home)
        code, out, err = kata("1")
        assert (code, err) == (0, "")
        assert re.findall(r"^Step (\d) of 4  ([\d:]+)", out, re.MULTILINE) == [
            ("1", "0:00"),
            ("2", "7:00"),
            ("3", "9:00"),
            ("4", "16:00"),
        ]
        last = out[out.index("Step 4") :]
        assert re.search(r"^\d+ - │ +normed = centred / \(torch.sqrt\(variance\) \+ self.eps\)", last, re.MULTILINE)
        assert re.search(r"^\d+ \+ │ +normed = centred / torch.sqrt\(variance \+ self.eps\)", last, re.MULTILINE)

    def test_a_session_without_snapshots_and_a_step_that_is_none_end_in_a_sentence(self, kata, home: Path) -> None:
        told = sessions.normal(home)
        assert "there is no step 9: interview 1 has 4" in kata(str(told.id), "--grade", "9")[2]
        assert kata("1", "--speed", "9")[0] == 2

    @pytest.mark.parametrize("width", [40, 60, 120])
    def test_no_line_is_wider_than_the_terminal_or_more_than_text(self, home: Path, width: int) -> None:
        told = sessions.hostile(home)
        for step in steps(told.interview()):
            changed = changes(None, (told.journal.source(step.source) or b"").decode("utf-8", "replace"))
            text = sessions.printed(lambda page: step_screen(page, step, 1, 2, changed), width)  # noqa: B023
            assert max(map(len, text.splitlines())) <= width
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)

    def test_a_step_is_graded_again_and_the_journal_learns_nothing(
        self, kata, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told = sessions.normal(home)
        before = len(told.journal.events())
        asked: list[Request] = []

        class Helper:
            def submit(self, request: Request) -> None:
                asked.append(request)

            def wait(self) -> list[Answer]:
                return [Answer(asked[0], 1.0, verdict_document(sessions.diagnosed()))]

            def close(self) -> None: ...

        monkeypatch.setattr(grade_helper, "GradeHelper", Helper)
        code, out, _ = kata("1", "--grade", "3")
        assert code == 1, "the exit code of the grade"
        assert "eps-outside-sqrt" in out
        assert (asked[0].kata.id, asked[0].source.decode()) == (LAYERNORM, WRONG)
        assert len(told.journal.events()) == before


class TestOnATerminal:
    @pytest.fixture
    def spawn(self, home: Path, tmp_path: Path) -> Callable[..., pexpect.spawn]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
        own = {"PYTHONPATH": str(ROOT), "KATA_HOME": str(home), "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}

        def spawn(*arguments: str, columns: int = 80, **environ: str) -> pexpect.spawn:
            child = pexpect.spawn(
                sys.executable,
                ["-m", "grader.cli", "interview", "replay", *arguments],
                cwd=str(tmp_path),
                env={**kept, **own, "TERM": "xterm-256color", **environ},
                dimensions=(24, columns),
                timeout=30,
                encoding="utf-8",
            )
            child.delaybeforesend = None
            return child

        return spawn

    def test_a_narrow_terminal_is_told_to_be_one(self, home: Path, spawn) -> None:
        sessions.normal(home)
        child = spawn("1", columns=30)
        child.expect_exact("too narrow for more")
        child.setwinsize(24, 80)
        child.expect_exact("Step")
        child.send("q")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0

    def test_it_plays_steps_pauses_grades_and_gives_the_terminal_back(self, home: Path, spawn) -> None:
        sessions.normal(home)
        child = spawn("1", "--speed", "8")
        child.expect_exact("Step 1 of 4")
        child.expect_exact("Step 2 of 4")
        child.expect_exact("the end")
        child.send("\x1b[D")
        child.expect_exact("Step 3 of 4")
        child.expect_exact("paused")
        child.send("g")
        child.expect_exact("grading step 3…")
        child.expect_exact("eps-outside-sqrt", timeout=60)
        child.send("\x1b[C")
        child.expect_exact("Step 4 of 4")
        child.send("q")
        child.expect(pexpect.EOF)
        flags = termios.tcgetattr(child.child_fd)[3]
        child.close()
        assert child.exitstatus == 0
        assert flags & termios.ECHO
        assert flags & termios.ICANON

    def test_without_a_cursor_to_move_all_steps_are_printed(self, home: Path, spawn) -> None:
        sessions.normal(home)
        child = spawn("1", TERM="dumb")
        child.expect_exact("Step 4 of 4")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
        assert "\x1b" not in child.before
