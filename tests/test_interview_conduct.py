"""A session conducted on a fake clock, with real files, a real journal and a grader that answers when the test says so."""

from __future__ import annotations

import os
import runpy
import shutil
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.catalog import find_katas
from grader.grade_helper import Answer, Request
from grader.interview.clock import Reading
from grader.interview.conduct import Conductor
from grader.interview.log import SessionLog
from grader.interview.model import KIND
from grader.interview.plan import Plan, RoundPlan
from grader.journal.events import Journal
from grader.journal.exchange import export, merge
from grader.render.jsonout import verdict_document
from grader.verdict import Outcome

samples = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "samples.py")))
KATAS = find_katas()
T0 = 1_800_000_000.0


class FakeClock:
    def __init__(self) -> None:
        self.passed = 0.0
        self.shift = 0.0  # of the wall's clock

    def read(self) -> Reading:
        return Reading(T0 + self.passed + self.shift, self.passed, "boot")


class FakeHelper:
    """Holds every request until `answer`."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.ready_answers: list[Answer] = []
        self.verdicts: dict[bytes, Any] = {}

    @property
    def busy(self) -> Request | None:
        return self.requests[0] if self.requests else None

    def submit(self, request: Request) -> None:
        self.requests.append(request)

    def cancel(self, tag: str) -> None:
        self.requests = [request for request in self.requests if request.tag != tag]

    def answer(self, verdict: Any = None, *, fault: str = "", seconds: float = 2.0) -> None:
        document = None if fault else verdict_document(verdict or samples.passing())
        self.ready_answers.append(Answer(self.requests.pop(0), seconds, document, fault))

    def poll(self) -> list[Answer]:
        answers, self.ready_answers = self.ready_answers, []
        return answers

    def wait(self) -> list[Answer]:
        while self.requests:
            verdict = self.verdicts.get(self.requests[0].source, samples.passing())
            self.answer(None if verdict == "fault" else verdict, fault="broken" if verdict == "fault" else "")
        return self.poll()


class Stage:
    """One session and everything around it."""

    def __init__(self, folder: Path, *rounds: tuple[float, tuple[str, ...]], **changes: Any) -> None:
        self.clock, self.helper = FakeClock(), FakeHelper()
        self.warnings: list[str] = []
        self.home = folder / "home"
        self.plan = Plan(
            "custom",
            tuple(RoundPlan(*each) for each in rounds or ((30, ("layernorm",)),)),
            str(folder / "work"),
            7,
            **changes,
        )
        self.journal = self.open_journal()
        self.log = SessionLog.begin(self.journal, self.clock, self.plan)
        self.conductor = Conductor(self.log, KATAS, self.helper)  # type: ignore[arg-type]
        self.conductor.begin()
        self.conductor.tick()

    def open_journal(self) -> Journal:
        now = lambda: datetime.fromtimestamp(self.clock.read().wall, UTC)  # noqa: E731
        return Journal(self.home, warn=self.warnings.append, now=now)

    def file(self, kata: str = "layernorm") -> Path:
        return self.conductor.path(kata)

    def save(self, text: str, kata: str = "layernorm") -> None:
        """As an editor does it, at the time of the fake clock."""
        self.file(kata).write_text(text)
        stamp = self.clock.read().wall
        os.utime(self.file(kata), (stamp, stamp))

    def wait(self, seconds: float, *, looking: bool = True) -> list[str]:
        """Let time pass; the kinds of what happened then."""
        self.clock.passed += seconds
        return [event.kind for event in self.conductor.tick()] if looking else []

    def after_a_crash(self) -> None:
        """Another process, which knows what the journal knows."""
        self.journal.close()
        self.journal, self.helper = self.open_journal(), FakeHelper()
        session = self.journal.sessions(KIND)[-1]
        self.log = SessionLog.load(self.journal, self.clock, session)
        self.conductor = Conductor(self.log, KATAS, self.helper)  # type: ignore[arg-type]

    def source(self, moment: Any) -> bytes | None:
        return self.log.source(moment.event.source)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def counted(stage: Stage, kata: str = "layernorm") -> tuple[str, bytes | None]:
    moment = stage.conductor.interview.counted(kata)
    assert moment is not None
    return moment.datum("how"), stage.source(moment)


class TestTheBeginning:
    def test_writes_the_stub_where_nothing_was_and_starts_the_clock(self, stage: Stage) -> None:
        assert stage.file().read_text() == KATAS["layernorm"].stub
        assert [event.kind for event in stage.journal.events()] == ["start", "begin"]
        assert stage.journal.started() == [("layernorm", stage.file())]

    def test_writes_no_stub_of_a_round_to_come(self, tmp_path: Path) -> None:
        stage = Stage(tmp_path, (45, ("layernorm",)), (45, ("causal-mask",)))
        assert not stage.file("causal-mask").exists()
        assert "start" in stage.wait(2700)
        assert stage.file("causal-mask").read_text() == KATAS["causal-mask"].stub

    def test_of_a_round_whose_stub_cannot_be_written_is_told_once_and_ends_nothing(self, tmp_path: Path) -> None:
        stage = Stage(tmp_path, (45, ("layernorm",)), (45, ("causal-mask",)))
        shutil.rmtree(tmp_path / "work")
        (tmp_path / "work").write_text("no folder")
        stage.wait(2700)
        stage.wait(1)
        assert len(stage.conductor.troubles) == 1
        assert "cannot make the folder" in stage.conductor.troubles[0]
        assert stage.conductor.round.number == 1

    def test_never_overwrites_a_file_in_its_place(self, tmp_path: Path) -> None:
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "layernorm.py").write_text("mine")
        assert Stage(tmp_path).file().read_text() == "mine"


class TestSaves:
    def test_are_kept_with_their_content_once_for_each(self, stage: Stage) -> None:
        stage.save("one")
        assert stage.wait(1) == ["save"]
        assert stage.wait(1) == []
        stage.save("two")
        stage.wait(1)
        saves = list(stage.conductor.interview.of("save"))
        assert [stage.source(moment) for moment in saves] == [b"one", b"two"]

    def test_of_the_same_content_are_no_news(self, stage: Stage) -> None:
        stage.save("one")
        stage.wait(1)
        stage.save("one")
        assert stage.wait(1) == []

    def test_of_nothing_are_believed_the_second_time(self, stage: Stage) -> None:
        stage.save("")
        assert stage.wait(1) == []
        stage.save("whole")
        assert stage.wait(1) == ["save"]
        stage.save("")
        stage.wait(1)
        assert stage.wait(1) == ["save"]

    def test_while_nobody_looked_are_seen_on_return(self, stage: Stage) -> None:
        stage.save("away")
        stage.after_a_crash()
        assert stage.wait(60) == ["save"]

    @pytest.mark.parametrize("what", ["gone", "folder", "pipe", "large"])
    def test_need_a_file_that_can_be_read(self, stage: Stage, what: str) -> None:
        stage.file().unlink()
        if what == "folder":
            stage.file().mkdir()
        if what == "pipe":
            os.mkfifo(stage.file())
        if what == "large":
            stage.file().write_bytes(b"x" * (1 << 20) + b"x")
        assert stage.wait(1) == []
        assert "cannot be read" in stage.conductor.ask_grade("layernorm")


class TestTheDeadline:
    def test_takes_the_file_as_it_is_then(self, stage: Stage) -> None:
        stage.save("in time")
        stage.wait(1799)
        assert "deadline" in stage.wait(1)
        assert counted(stage) == ("on-time", b"in time")

    def test_waits_for_no_grade(self, stage: Stage) -> None:
        stage.save("asked")
        stage.wait(1)
        assert stage.conductor.ask_grade("layernorm") == ""
        stage.save("in time")
        assert "deadline" in stage.wait(1799)
        assert counted(stage) == ("on-time", b"in time")
        assert [request.source for request in stage.helper.requests] == [b"asked", b"in time"]

    def test_is_graded_without_being_asked(self, stage: Stage) -> None:
        stage.save("in time")
        stage.wait(1800)
        stage.helper.answer(samples.failing())
        assert stage.wait(1) == ["grade"]
        grade = stage.conductor.interview.grade_of(stage.conductor.interview.counted("layernorm"))
        assert grade is not None
        assert (grade.datum("purpose"), grade.datum("verdict")) == ("deadline", "fail")

    def test_over_which_the_machine_slept_takes_what_was_written_before(self, stage: Stage) -> None:
        stage.save("before")
        stage.wait(9000)
        assert counted(stage) == ("unchanged-since", b"before")

    def test_that_nobody_saw_takes_the_last_save_when_the_file_was_changed_later(self, stage: Stage) -> None:
        stage.save("seen")
        stage.wait(60)
        stage.clock.passed = 2400
        stage.save("too late")
        stage.after_a_crash()
        kinds = stage.wait(60)
        assert kinds.index("deadline") < kinds.index("save")
        assert counted(stage) == ("last-save", b"seen")
        stage.conductor.finish()
        assert stage.source(stage.conductor.interview.final("layernorm")) == b"too late"

    def test_takes_the_last_save_when_the_file_is_gone(self, stage: Stage) -> None:
        stage.save("seen")
        stage.wait(60)
        stage.file().unlink()
        assert "deadline" not in stage.wait(1740)  # an editor may be about to put it back
        stage.wait(1)
        assert counted(stage) == ("last-save", b"seen")

    def test_does_not_believe_a_file_that_was_emptied_just_then(self, stage: Stage) -> None:
        stage.save("nearly whole")
        stage.wait(1799.9)
        stage.save("")
        assert "deadline" not in stage.wait(0.1)
        stage.save("nearly whole, and the end")
        assert "deadline" not in stage.wait(0.3)  # may be half of it
        assert "deadline" in stage.wait(0.5)
        assert counted(stage) == ("on-time", b"nearly whole, and the end")
        interview = stage.conductor.interview
        assert [stage.source(save) for save in interview.of("save")] == [b"nearly whole", b"nearly whole, and the end"]

    def test_takes_what_was_known_where_the_file_stays_empty(self, stage: Stage) -> None:
        stage.save("whole")
        stage.wait(1799.5)
        stage.save("")
        stage.wait(0.5)
        assert "deadline" in stage.wait(1)
        assert counted(stage) == ("last-save", b"whole")

    def test_takes_an_empty_file_that_was_so_for_long(self, stage: Stage) -> None:
        stage.save("whole")
        stage.wait(60)
        stage.save("")
        stage.wait(60)
        stage.wait(1)
        assert "deadline" in stage.wait(1679)
        assert counted(stage) == ("on-time", b"")

    def test_is_taken_before_the_view_leaves(self, stage: Stage) -> None:
        stage.save("whole")
        stage.wait(1799.9)
        stage.save("")
        stage.wait(0.2)
        stage.conductor.left("key")
        assert counted(stage) == ("last-save", b"whole")

    def test_is_what_its_grade_is_of_however_late_that_comes(self, stage: Stage) -> None:
        stage.save("right")
        stage.after_a_crash()
        stage.wait(432_000)
        stage.helper.answer()
        stage.wait(5)
        assert stage.journal.events(kinds=("grade",))[0].data["asked_at"] == 1800

    def test_cannot_be_put_off_by_setting_the_clock_back(self, stage: Stage) -> None:
        stage.save("in time")
        stage.wait(60)
        stage.clock.shift = -3600
        assert "deadline" in stage.wait(1740)
        stage.conductor.finish()
        assert stage.conductor.interview.clock_set_back

    def test_moves_by_the_time_that_a_fault_of_ours_cost(self, stage: Stage) -> None:
        stage.save("asked")
        stage.wait(1700)
        stage.conductor.ask_grade("layernorm")
        stage.helper.answer(fault="the process that grades has died", seconds=40.0)
        assert stage.wait(40) == ["grade", "credit"]
        assert "deadline" not in stage.wait(60 + 39)
        assert "deadline" in stage.wait(1)

    def test_is_taken_again_when_a_fault_is_found_after_it(self, stage: Stage) -> None:
        stage.save("asked")
        stage.wait(1790)
        stage.conductor.ask_grade("layernorm")
        assert "deadline" in stage.wait(10)
        stage.helper.answer(fault="died", seconds=30.0)
        stage.wait(20)
        assert stage.conductor.interview.state(stage.conductor.at) == "running"
        stage.save("with the time given back")
        assert "deadline" in stage.wait(10)
        assert counted(stage) == ("on-time", b"with the time given back")

    def test_of_a_round_is_followed_by_the_next_round(self, tmp_path: Path) -> None:
        stage = Stage(tmp_path, (45, ("layernorm",)), (45, ("causal-mask",)))
        stage.save("first")
        stage.wait(2700)
        assert stage.conductor.round.katas == ("causal-mask",)
        stage.wait(2700)
        assert counted(stage) == ("on-time", b"first")
        assert counted(stage, "causal-mask")[1] == KATAS["causal-mask"].stub.encode()


class TestTheEnd:
    def test_hands_in_the_file_as_it_is(self, stage: Stage) -> None:
        stage.save("at the end")
        stage.wait(600)
        stage.conductor.finish()
        assert counted(stage) == ("file", b"at the end")
        assert not stage.conductor.interview.open

    def test_does_not_hand_in_a_file_that_is_being_saved(self, stage: Stage) -> None:
        stage.save("whole")
        stage.wait(60)
        stage.save("")
        stage.conductor.finish()
        assert counted(stage) == ("last-save", b"whole")

    def test_after_the_deadline_tells_both_results(self, stage: Stage) -> None:
        stage.save("wrong")
        stage.wait(1800)
        stage.save("right")
        stage.wait(720)
        stage.conductor.finish()
        stage.helper.verdicts = {b"wrong": samples.failing(), b"right": samples.passing()}
        stage.conductor.grade_all()
        interview = stage.conductor.interview
        graded = [interview.grade_of(which) for which in (interview.counted("layernorm"), interview.final("layernorm"))]
        assert [grade and grade.datum("verdict") for grade in graded] == ["fail", "pass"]

    def test_without_anybody_there_at_the_deadline_takes_that_snapshot_first(self, stage: Stage) -> None:
        stage.save("before")
        stage.after_a_crash()
        stage.clock.passed = 9000
        stage.conductor.finish()
        kinds = [moment.kind for moment in stage.conductor.interview.moments]
        assert kinds.index("deadline") < kinds.index("hand-in") < kinds.index("finish")
        assert counted(stage) == ("unchanged-since", b"before")

    def test_measures_the_speed_of_what_passed_without(self, stage: Stage) -> None:
        stage.save("right")
        stage.wait(1)
        stage.conductor.ask_grade("layernorm")
        assert not stage.helper.requests[0].timing
        stage.helper.answer()
        stage.wait(2)
        stage.conductor.finish()
        stage.conductor.grade_all()
        timed = [moment.datum("timing") for moment in stage.conductor.interview.of("grade")]
        assert timed == [False, True]

    def test_measures_no_speed_of_what_failed(self, stage: Stage) -> None:
        stage.conductor.ask_grade("layernorm")
        stage.helper.answer(samples.failing())
        stage.wait(2)
        stage.conductor.finish()
        stage.conductor.grade_all()
        assert len(list(stage.conductor.interview.of("grade"))) == 1

    def test_gives_up_on_a_snapshot_that_we_cannot_grade(self, stage: Stage) -> None:
        stage.save("strange")
        stage.helper.verdicts = {b"strange": "fault"}
        stage.wait(1)
        stage.conductor.finish()
        stage.conductor.grade_all()
        faults = [moment.datum("verdict") for moment in stage.conductor.interview.of("grade")]
        assert faults == ["grader-error", "grader-error"]
        assert list(stage.conductor.interview.of("credit")) == []

    def test_by_abort_keeps_the_files_and_grades_nothing(self, stage: Stage) -> None:
        stage.save("mine")
        stage.wait(5)
        stage.conductor.finish("abort")
        assert counted(stage) == ("file", b"mine")
        assert stage.helper.requests == []

    def test_in_another_terminal_is_seen_by_the_first(self, stage: Stage) -> None:
        other = SessionLog.load(stage.open_journal(), stage.clock, stage.journal.sessions(KIND)[-1])
        Conductor(other, KATAS, FakeHelper()).finish()  # type: ignore[arg-type]
        assert stage.wait(1) == ["hand-in", "finish"]
        assert not stage.conductor.interview.open


class TestGradesAndHints:
    def test_a_grade_says_what_it_was_for_and_when_it_was_asked_for(self, stage: Stage) -> None:
        stage.save("mine")
        stage.wait(100)
        stage.conductor.ask_grade("layernorm")
        stage.helper.answer(samples.failing())
        stage.wait(3)
        event = stage.journal.events(kinds=("grade",))[0]
        assert (event.data["purpose"], event.data["asked_at"], event.data["passed"]) == ("asked", 100, 8)
        assert stage.journal.verdict(event.id)["verdict"] == "fail"  # type: ignore[index]
        assert stage.journal.source(event.source or "") == b"mine"

    def test_a_second_grade_waits_for_the_first(self, stage: Stage) -> None:
        stage.conductor.ask_grade("layernorm")
        assert stage.conductor.ask_grade("layernorm") == "a grade is under way"

    def test_no_file_is_graded_that_is_being_saved(self, stage: Stage) -> None:
        stage.save("whole")
        stage.wait(60)
        stage.save("")
        assert stage.conductor.ask_grade("layernorm") == "layernorm.py is empty at this moment"
        stage.wait(1)
        assert stage.conductor.ask_grade("layernorm") == ""

    def test_a_slow_grade_makes_way_for_newer_content(self, stage: Stage) -> None:
        stage.save("hangs")
        stage.wait(1)
        stage.conductor.ask_grade("layernorm")
        stage.wait(10)
        stage.save("mended")
        assert stage.conductor.ask_grade("layernorm") == ""
        assert [request.source for request in stage.helper.requests] == [b"mended"]
        (given_up,) = stage.conductor.interview.of("give-up")
        assert (given_up.datum("asked_at"), given_up.datum("seconds")) == (1, 10)
        stage.helper.answer()
        assert "grade" in stage.wait(1)
        assert list(stage.conductor.interview.of("credit")) == []

    def test_a_quick_grade_is_let_end_and_given_up_when_it_turns_out_slow(self, stage: Stage) -> None:
        stage.save("one")
        stage.wait(1)
        stage.conductor.ask_grade("layernorm")
        for text in ("two", "three"):
            stage.save(text)
            assert stage.conductor.ask_grade("layernorm") == ""
        assert [request.source for request in stage.helper.requests] == [b"one", b"three"]
        assert stage.wait(0)[-1] == "give-up"  # of the second, which had not begun
        assert "give-up" not in stage.wait(4)
        assert "give-up" in stage.wait(1)
        assert [request.source for request in stage.helper.requests] == [b"three"]

    def test_a_snapshot_whose_grade_was_given_up_is_graded_all_the_same(self, stage: Stage) -> None:
        stage.save("slow")
        stage.wait(1795)
        stage.conductor.ask_grade("layernorm")
        stage.wait(5)
        stage.save("overtime")
        stage.wait(5)
        stage.conductor.ask_grade("layernorm")
        stage.wait(1)
        assert [request.source for request in stage.helper.requests] == [b"overtime", b"slow"]

    def test_hints_climb_the_ladder_of_this_session(self, stage: Stage) -> None:
        rungs = [stage.conductor.give_hint("layernorm") for _ in range(4)]
        assert [rung and rung[0] for rung in rungs] == [1, 2, 3, None]
        assert stage.journal.of("layernorm").hints == 3

    def test_a_grade_tells_the_hints_of_this_session(self, stage: Stage) -> None:
        stage.journal.append("hint", "layernorm", data={"rung": 3})  # of an earlier day
        stage.conductor.give_hint("layernorm")
        stage.conductor.ask_grade("layernorm")
        stage.helper.answer()
        stage.wait(1)
        assert stage.journal.events(kinds=("grade",))[0].data["hints"] == 1

    def test_phases_end_at_the_last_one(self, stage: Stage) -> None:
        steps = [stage.conductor.enter_phase(1) for _ in range(4)]
        assert steps == ["implement", "test", "follow-up", None]
        assert stage.conductor.enter_phase(-1) == "test"


class TestAJournalInTrouble:
    def break_disk(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: Any, **__: Any) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr("grader.journal.file.transaction", full)

    def test_that_is_full_loses_nothing_of_a_session_that_goes_on(
        self, stage: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            self.break_disk(stage, patch)
            stage.save("on a full disk")
            assert stage.wait(10) == ["save"]
            stage.conductor.give_hint("layernorm")
            assert stage.log.unwritten == 2
            assert "disk is full" in stage.warnings[0]
            assert "deadline" in stage.wait(1790)
            assert counted(stage) == ("on-time", b"on a full disk")
        stage.wait(10)
        assert stage.log.unwritten == 0
        stage.after_a_crash()
        moments = stage.conductor.interview.moments
        assert [(moment.kind, round(moment.at)) for moment in moments][2:5] == [
            ("save", 10),
            ("hint", 10),
            ("deadline", 1800),
        ]

    def test_that_never_could_be_written_still_holds_the_session(self, tmp_path: Path) -> None:
        (tmp_path / "home").write_text("no folder")
        stage = Stage(tmp_path)
        stage.save("mine")
        stage.wait(1800)
        stage.conductor.finish()
        stage.conductor.grade_all()
        assert stage.log.session.id == 0
        assert counted(stage) == ("on-time", b"mine")
        grade = stage.conductor.interview.grade_of(stage.conductor.interview.counted("layernorm"))
        assert grade is not None
        assert stage.log.verdict(grade.event)["verdict"] == "pass"  # type: ignore[index]

    def test_that_never_could_be_written_leaves_a_file_that_can_be_imported(self, tmp_path: Path) -> None:
        (tmp_path / "home").write_text("no folder")
        stage = Stage(tmp_path)
        stage.save("mine")
        stage.wait(1800)
        stage.conductor.finish()
        stage.conductor.grade_all()
        path = stage.log.export(tmp_path)
        other = Journal(tmp_path / "other", warn=pytest.fail)
        merge(other, path.read_bytes().splitlines(keepends=True), "x")
        there = SessionLog.load(other, stage.clock, other.sessions(KIND)[0])
        here, known = stage.conductor.interview, there.interview
        assert [(m.kind, m.at, m.event.source) for m in known.moments] == [
            (m.kind, m.at, m.event.source) for m in here.moments
        ]
        grade = known.grade_of(known.counted("layernorm"))
        assert grade is not None
        assert there.verdict(grade.event)["verdict"] == "pass"  # type: ignore[index]

    def test_that_takes_no_more_leaves_a_file_that_completes_it(
        self, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            self.break_disk(stage, patch)
            stage.save("on a full disk")
            stage.wait(10)
            stage.conductor.finish()
            path = stage.log.export(tmp_path)
        before = stage.journal.count()
        result = merge(stage.journal, path.read_bytes().splitlines(keepends=True), "x")
        assert (result.events, result.known) == (3, before)
        stage.after_a_crash()
        assert stage.conductor.interview.state(0) == "finished"
        assert counted(stage) == ("file", b"on a full disk")

    def test_that_is_damaged_is_set_aside_and_the_session_written_again(self, stage: Stage) -> None:
        stage.save("first")
        stage.wait(10)
        stage.journal.close()
        for name in os.listdir(stage.home):
            if name.startswith("journal.sqlite3"):
                (stage.home / name).write_bytes(b"no database at all" * 1000)
        stage.save("second")
        stage.wait(10)
        stage.wait(10)
        assert any("was damaged: it is kept as" in warning for warning in stage.warnings)
        assert stage.log.unwritten == 0
        stage.after_a_crash()
        kinds = [moment.kind for moment in stage.conductor.interview.moments]
        assert kinds == ["start", "begin", "save", "save"]
        assert stage.source(stage.conductor.interview.last("save")) == b"second"
        assert stage.source(next(stage.conductor.interview.of("save"))) == b"first"

    def test_is_shared_by_two_processes_without_a_loss(self, stage: Stage) -> None:
        other = SessionLog.load(stage.open_journal(), stage.clock, stage.journal.sessions(KIND)[-1])
        for number in range(5):
            other.add("note", "", {"text": f"theirs {number}"})
            stage.conductor.note(f"ours {number}")
        other.poll()
        stage.log.poll()
        texts = [[moment.datum("text") for moment in log.interview.notes] for log in (stage.log, other)]
        assert len(texts[0]) == 10
        assert texts[0] == texts[1]


def test_a_kata_that_is_not_here_any_more_is_told(stage: Stage) -> None:
    from grader.errors import GraderError

    with pytest.raises(GraderError, match="the kata layernorm of this interview is not here"):
        Conductor(stage.log, {}, FakeHelper())  # type: ignore[arg-type]


def test_a_verdict_of_ours_that_is_a_grader_error_gives_its_time_back(stage: Stage) -> None:
    stage.conductor.ask_grade("layernorm")
    stage.helper.answer(replace(samples.grader_error(), outcome=Outcome.GRADER_ERROR), seconds=12.5)
    assert stage.wait(13) == ["grade", "credit"]
    assert stage.conductor.round.credit == 12.5


def test_a_session_whose_kata_is_gone_can_be_ended(stage: Stage) -> None:
    stage.save("mine")
    Conductor(stage.log, {}, FakeHelper(), to_abort=True).finish("abort")  # type: ignore[arg-type]
    assert stage.conductor.interview.state(0) == "aborted"
    assert counted(stage) == ("file", b"mine")


class TestASessionOfAnotherMachine:
    """Brought by `kata import`: its paths and its folder are a stranger's."""

    @pytest.fixture
    def brought(self, stage: Stage, tmp_path: Path) -> Conductor:
        stage.save("brought along")
        stage.wait(60)
        lines: list[str] = []
        export(stage.journal, lines.append)
        secret = tmp_path / "secret.py"
        secret.write_text("of this machine")
        hostile = [line.replace(str(stage.file()), str(secret)).encode() for line in lines]
        self.other = Journal(tmp_path / "other", warn=pytest.fail)
        merge(self.other, hostile, "x")
        self.clock = stage.clock
        self.clock.passed = 9000
        log = SessionLog.load(self.other, self.clock, self.other.sessions(KIND)[0])
        assert [moment.event.path for moment in log.interview.of("start")] == [secret]
        return Conductor(log, KATAS, FakeHelper())  # type: ignore[arg-type]

    def test_is_finished_from_what_was_brought_along(
        self, brought: Conductor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        shutil.rmtree(tmp_path / "work")
        monkeypatch.setattr("grader.interview.looking.read_state", pytest.fail)
        monkeypatch.setattr("grader.interview.looking.signature_of", pytest.fail)
        brought.finish()
        brought.grade_all()
        interview = brought.interview
        counted = interview.counted("layernorm")
        assert counted is not None
        assert brought.log.source(counted.event.source or "") == b"brought along"
        assert interview.grade_of(counted) is not None
        assert interview.ended is not None
        assert interview.ended.at == 60  # our clock has nothing to do with it
        assert not (tmp_path / "work").exists()

    def test_writes_no_path_of_its_own(self, brought: Conductor) -> None:
        before = len(self.other.events())
        brought.finish("abort")
        assert [event.path for event in self.other.events()[before:]] == [None, None]
