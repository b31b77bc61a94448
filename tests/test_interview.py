"""A session rebuilt from its events: rounds, phases, deadlines, what counts. No file, no terminal, no real clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from grader.interview.clock import Reading
from grader.interview.model import KIND, Interview, rebuild
from grader.interview.plan import Plan, RoundPlan
from grader.interview.presets import FEEDBACK, PRESETS
from grader.interview.snapshot import FileState, choose
from grader.journal.events import Event, Session

T0 = 1_800_000_000.0
WORDS = ("credit", "phase", "round", "deadline", "hand-in", "grade", "hint", "answer", "mark", "note", "take-over")


def plan(*rounds: tuple[float, tuple[str, ...]], **changes: Any) -> Plan:
    rounds = rounds or ((30, ("layernorm",)),)
    return Plan("custom", tuple(RoundPlan(*each) for each in rounds), "/somewhere", 7, **changes)


ONSITE = plan((45, ("layernorm",)), (45, ("causal-mask",)))


class Story:
    """Events one after the other, each so many seconds after the beginning."""

    def __init__(self, of: Plan | None = None) -> None:
        self.plan = of or plan()
        self.session = Session(1, "x", KIND, datetime.fromtimestamp(T0, UTC), self.plan.settings())
        self.events: list[Event] = []
        self.shift = 0.0  # of the wall's clock
        self.boot, self.booted = "a", 0.0
        self.add(0, "begin")

    def reading(self, at: float) -> Reading:
        return Reading(T0 + at + self.shift, at - self.booted, self.boot)

    def add(self, at: float, kind: str, kata: str = "", source: str | None = None, **data: Any) -> Story:
        reading = self.reading(at)
        when = datetime.fromtimestamp(reading.wall, UTC)
        number = len(self.events) + 1
        data["clock"] = reading.document()
        self.events.append(Event(number, str(number), when, kind, kata, None, data, 1, source, kind == "grade"))
        return self

    def tell(self) -> Interview:
        return rebuild(self.session, self.events)


class TestThePlan:
    def test_comes_back_from_its_settings(self) -> None:
        whole = plan((20.5, ("a", "b")), feedback="none", allow_pause=True, environment=(("torch", "2"),))
        assert Plan.of(whole.settings()) == whole

    def test_presets_are_those_that_the_issue_names(self) -> None:
        assert PRESETS == {"screen": (30,), "standard": (45,), "onsite": (45, 45)}
        assert Plan.of(plan().settings()).feedback == "properties"
        assert FEEDBACK == ("full", "properties", "none")

    @pytest.mark.parametrize(
        "broken",
        [
            {},
            {"rounds": []},
            {"rounds": [{"minutes": 0, "katas": ["a"]}]},
            {"rounds": [{"minutes": float("inf"), "katas": ["a"]}]},
            *(
                {**plan().settings(), "rounds": [{"minutes": much, "katas": ["a"]}]}
                for much in (1e308, 601, float("nan"))
            ),
            {"rounds": 3},
            {**plan().settings(), "seed": float("inf")},
        ],
    )
    def test_settings_that_are_no_plan_raise_value_error(self, broken: dict[str, Any]) -> None:
        session = Session(1, "x", KIND, datetime.fromtimestamp(T0, UTC), broken)
        with pytest.raises(ValueError, match="plan"):
            rebuild(session, [])


class TestTheClock:
    def test_runs_from_the_first_event(self) -> None:
        story = Story()
        assert story.tell().now(story.reading(90)) == 90
        assert story.tell().rest(90) == 1710

    def test_goes_on_while_nobody_looks(self) -> None:
        story = Story().add(60, "leave", how="key")
        assert story.tell().rest(story.tell().now(story.reading(600))) == 1200

    def test_is_not_fooled_by_a_wall_clock_set_back(self) -> None:
        story = Story()
        story.shift = -3600
        story.add(600, "save", "layernorm", "s")
        interview = story.tell()
        assert interview.now(story.reading(700)) == 700
        assert interview.clock_set_back

    def test_counts_the_time_that_the_machine_was_off(self) -> None:
        story = Story().add(60, "save", "layernorm", "s")
        story.boot, story.booted = "b", 1000
        assert story.tell().now(story.reading(1060)) == 1060

    def test_stands_still_in_a_pause_where_the_plan_allows_one(self) -> None:
        story = Story(plan(allow_pause=True)).add(100, "pause").add(400, "unpause").add(450, "save", "layernorm", "s")
        interview = story.tell()
        assert interview.practice
        assert interview.moments[-1].at == 150
        assert interview.now(story.reading(500)) == 200
        assert interview.state(200) == "running"

    def test_stands_still_while_the_pause_lasts(self) -> None:
        story = Story(plan(allow_pause=True)).add(100, "pause")
        assert story.tell().now(story.reading(9000)) == 100
        assert story.tell().state(100) == "paused"

    def test_has_no_pause_where_the_plan_allows_none(self) -> None:
        story = Story().add(100, "pause")
        assert story.tell().now(story.reading(500)) == 500
        assert not story.tell().practice

    def test_stands_at_the_end_once_there_is_one(self) -> None:
        story = Story().add(500, "finish").add(600, "grade", "layernorm", "s", verdict="pass")
        assert story.tell().now(story.reading(90_000)) == 500
        assert story.tell().state(500) == "finished"


class TestRounds:
    def test_follow_one_another_at_the_deadline(self) -> None:
        interview = Story(ONSITE).tell()
        assert [(each.begin, each.deadline) for each in interview.rounds] == [(0, 2700), (2700, 5400)]
        assert [interview.round_at(at).number for at in (0, 2699, 2700, 99_999)] == [0, 0, 1, 1]

    def test_that_are_handed_in_early_begin_the_next_with_its_whole_time(self) -> None:
        interview = Story(ONSITE).add(1200, "round", round=1).tell()
        first, second = interview.rounds
        assert first.handed_in
        assert (first.end, second.begin, second.deadline) == (1200, 1200, 3900)

    def test_that_never_began_are_not_there_after_the_end(self) -> None:
        interview = Story(ONSITE).add(300, "finish").tell()
        assert [each.katas for each in interview.rounds] == [("layernorm",)]
        with pytest.raises(KeyError):
            interview.round_of("causal-mask")

    def test_that_would_begin_at_the_very_end_never_began(self) -> None:
        interview = Story(ONSITE).add(2700, "finish").tell()
        assert [each.number for each in interview.rounds] == [0]
        assert {span.round for span in interview.spans} == {0}
        assert not interview.rounds[0].handed_in

    def test_get_back_the_time_that_a_fault_of_ours_cost(self) -> None:
        interview = Story(ONSITE).add(100, "credit", "layernorm", round=0, seconds=30.0).tell()
        assert [(each.begin, each.deadline, each.credit) for each in interview.rounds] == [
            (0, 2730, 30),
            (2730, 5430, 0),
        ]

    def test_are_over_time_after_the_last_deadline_only(self) -> None:
        interview = Story(ONSITE).tell()
        assert [interview.state(at) for at in (2800, 5399, 5400)] == ["running", "running", "overtime"]
        assert interview.rest(5460) == -60


class TestPhases:
    def test_begin_with_clarify_and_last_until_the_next(self) -> None:
        interview = (
            Story().add(200, "phase", round=0, phase="implement").add(900, "phase", round=0, phase="test").tell()
        )
        stays = [(span.phase, span.begin, span.end) for span in interview.spans]
        assert stays == [("clarify", 0, 200), ("implement", 200, 900), ("test", 900, None)]
        assert interview.phase_at(500).phase == "implement"

    def test_have_soft_budgets_that_add_up_to_the_round(self) -> None:
        names = ("implement", "test", "follow-up")
        story = Story()
        for number, name in enumerate(names, start=1):
            story.add(number * 100, "phase", round=0, phase=name)
        assert sum(span.budget for span in story.tell().spans) == pytest.approx(1800)

    def test_may_be_entered_again(self) -> None:
        story = Story().add(10, "phase", round=0, phase="implement").add(20, "phase", round=0, phase="clarify")
        assert [span.phase for span in story.tell().spans] == ["clarify", "implement", "clarify"]

    def test_start_again_with_each_round(self) -> None:
        story = Story(ONSITE).add(100, "phase", round=0, phase="test").add(2800, "save", "causal-mask", "s")
        interview = story.tell()
        assert interview.phase_at(2750).phase == "clarify"
        assert (interview.moments[-1].round, interview.moments[-1].phase) == (1, "clarify")

    def test_that_nobody_knows_are_passed_over(self) -> None:
        story = Story().add(10, "phase", round=0, phase="dancing").add(20, "phase", round=9, phase="test")
        assert [span.phase for span in story.tell().spans] == ["clarify"]


class TestWhatIsDue:
    def test_nothing_before_the_deadline(self) -> None:
        assert Story().tell().due(1799) == []

    def test_a_snapshot_at_the_deadline_once(self) -> None:
        story = Story()
        assert [each.number for each in story.tell().due(1800)] == [0]
        story.add(1800.2, "deadline", "layernorm", "s", round=0, due=1800.0)
        assert story.tell().due(1801) == []

    def test_again_when_a_credit_has_moved_the_deadline(self) -> None:
        story = Story().add(1800, "deadline", "layernorm", "s", round=0, due=1800.0)
        story.add(1805, "credit", "layernorm", round=0, seconds=20.0)
        interview = story.tell()
        assert interview.state(1805) == "running"
        assert interview.due(1810) == []
        assert [each.number for each in interview.due(1820)] == [0]

    def test_nothing_for_a_round_that_was_handed_in(self) -> None:
        story = Story(ONSITE).add(100, "hand-in", "layernorm", "s", round=0).add(100, "round", round=1)
        assert [each.number for each in story.tell().due(9000)] == [1]

    def test_every_kata_of_the_round(self) -> None:
        story = Story(plan((30, ("a", "b")))).add(1800, "deadline", "a", "s", round=0, due=1800.0)
        assert [each.number for each in story.tell().due(1800)] == [0]


class TestWhatCounts:
    def test_is_the_deadline_and_overtime_stands_apart(self) -> None:
        story = Story().add(1800, "deadline", "layernorm", "then", round=0, due=1800.0)
        story.add(2500, "hand-in", "layernorm", "later", round=0).add(2500, "finish")
        story.add(2510, "grade", "layernorm", "then", verdict="fail").add(
            2520, "grade", "layernorm", "later", verdict="pass"
        )
        interview = story.tell()
        counted, final = interview.counted("layernorm"), interview.final("layernorm")
        assert counted is not None
        assert final is not None
        assert (counted.event.source, final.event.source) == ("then", "later")
        assert interview.grade_of(counted).datum("verdict") == "fail"  # type: ignore[union-attr]
        assert interview.grade_of(final).datum("verdict") == "pass"  # type: ignore[union-attr]

    def test_is_what_was_handed_in_before_the_deadline(self) -> None:
        story = Story().add(600, "hand-in", "layernorm", "early", round=0).add(600, "finish")
        assert story.tell().counted("layernorm").event.source == "early"  # type: ignore[union-attr]
        assert story.tell().final("layernorm").event.source == "early"  # type: ignore[union-attr]

    def test_of_a_round_handed_in_early_is_not_changed_by_the_end(self) -> None:
        story = Story(ONSITE).add(600, "hand-in", "layernorm", "early", round=0).add(600, "round", round=1)
        story.add(3000, "hand-in", "layernorm", "late", round=0).add(3000, "finish")
        assert story.tell().counted("layernorm").event.source == "early"  # type: ignore[union-attr]
        assert story.tell().final("layernorm").event.source == "late"  # type: ignore[union-attr]

    def test_is_graded_by_any_grade_of_the_same_content(self) -> None:
        story = Story().add(500, "grade", "layernorm", "s", verdict="pass")
        story.add(600, "hand-in", "layernorm", "s", round=0).add(600, "finish")
        assert story.tell().ungraded() == []

    def test_is_not_graded_by_a_fault_of_ours(self) -> None:
        story = Story().add(500, "grade", "layernorm", "s", verdict="grader-error")
        story.add(600, "hand-in", "layernorm", "s", round=0).add(600, "finish")
        assert [moment.event.source for moment in story.tell().ungraded()] == ["s"]

    def test_waits_for_one_grade_where_two_snapshots_are_the_same(self) -> None:
        story = Story().add(1800, "deadline", "layernorm", "s", round=0, due=1800.0)
        story.add(2000, "hand-in", "layernorm", "s", round=0).add(2000, "finish")
        assert len(story.tell().ungraded()) == 1

    def test_is_nothing_where_there_was_no_file(self) -> None:
        story = Story().add(1800, "deadline", "layernorm", None, round=0, due=1800.0, how="missing")
        interview = story.tell()
        assert interview.grade_of(interview.counted("layernorm")) is None
        assert interview.ungraded() == []


class TestTheFileAtTheDeadline:
    """Which content counts, by when the file was written and who was there to see it."""

    def choice(self, story: Story, at: float, source: bytes | None, written: float | None) -> Any:
        interview, reading = story.tell(), story.reading(at)
        mtime = None if written is None else T0 + written + story.shift
        return choose(interview, interview.rounds[0], "layernorm", FileState(source, mtime), reading)

    def test_is_the_file_when_somebody_looks_in_time(self) -> None:
        found = self.choice(Story(), 1801, b"new", 1801)
        assert (found.how, found.source, found.unseen) == ("on-time", b"new", False)

    def test_is_the_file_as_it_still_is_after_a_sleep_over_the_deadline(self) -> None:
        found = self.choice(Story().add(60, "save", "layernorm", "old"), 9000, b"edited while away", 1700)
        assert (found.how, found.source) == ("unchanged-since", b"edited while away")

    def test_is_the_last_save_when_the_file_was_written_after_the_deadline(self) -> None:
        found = self.choice(Story().add(60, "save", "layernorm", "old"), 9000, b"too late", 1900)
        assert (found.how, found.digest, found.source, found.unseen) == ("last-save", "old", None, True)

    def test_is_never_a_save_after_the_deadline(self) -> None:
        story = Story().add(60, "save", "layernorm", "old").add(1801, "save", "layernorm", "too late")
        assert self.choice(story, 9000, b"later still", 2000).digest == "old"

    def test_is_the_last_save_when_the_clock_was_set_back_and_tells_nothing(self) -> None:
        story = Story().add(60, "save", "layernorm", "old")
        story.shift = -7200
        story.add(120, "note", text="x")
        assert self.choice(story, 9000, b"forged", 1700).how == "last-save"

    def test_is_the_file_when_its_content_is_the_last_that_was_seen(self) -> None:
        content = FileState(b"same")
        story = Story().add(60, "save", "layernorm", content.digest)
        found = self.choice(story, 9000, b"same", 5000)  # touched, not changed
        assert (found.how, found.unseen) == ("unchanged-since", False)

    def test_is_the_last_save_when_the_file_is_gone(self) -> None:
        found = self.choice(Story().add(60, "save", "layernorm", "old"), 1800, None, None)
        assert (found.how, found.digest) == ("last-save", "old")

    def test_is_missing_when_nothing_was_ever_there(self) -> None:
        assert self.choice(Story(), 1800, None, None).how == "missing"


class TestEverythingElse:
    @pytest.mark.parametrize(
        "junk", ["ten", [], {}, None, True, -5, float("nan"), 1e300, 10**400], ids=lambda junk: f"{junk!r:.9}"
    )
    def test_whatever_a_stranger_wrote_a_session_can_be_rebuilt(self, junk: Any) -> None:
        story = Story()
        keys = ("round", "seconds", "rung", "question", "dimension", "value", "due", "phase", "verdict", "how", "by")
        for kind in (*WORDS, "hologram"):
            story.add(60, kind, "layernorm", "s", **dict.fromkeys(keys, junk))
            story.add(60, kind, "layernorm", "s", **{**dict.fromkeys(keys, junk), "round": 0})
        story.events[-1].data["clock"] = {"wall": junk, "ticks": junk, "boot": junk}
        story.events[-2].data["clock"] = junk
        interview = story.tell()
        assert interview.rounds[0].deadline == 1800
        assert interview.hints("layernorm") == 0
        assert interview.now(story.reading(90)) == 90
        assert list(interview.answers) == []
        assert all(moment.time for moment in interview.moments)
        interview.due(4000)

    def test_the_last_answer_to_a_question_and_the_last_mark_win(self) -> None:
        story = (
            Story()
            .add(10, "answer", "layernorm", question=0, text="a")
            .add(20, "answer", "layernorm", question=0, text="b")
        )
        story.add(30, "mark", dimension="knowledge", value=2).add(40, "mark", dimension="knowledge", value=3)
        interview = story.tell()
        assert interview.answers["layernorm", 0].datum("text") == "b"
        assert interview.marks["knowledge"].datum("value") == 3

    def test_hints_are_those_of_this_session(self) -> None:
        story = Story().add(10, "hint", "layernorm", rung=1).add(20, "hint", "layernorm", rung=2)
        assert story.tell().hints("layernorm") == 2
        assert story.tell().hints("causal-mask") == 0

    def test_an_abort_is_an_end(self) -> None:
        interview = Story().add(10, "abort").tell()
        assert interview.state(10) == "aborted"
        assert not interview.open

    def test_a_session_without_a_beginning_blocks_nothing(self) -> None:
        story = Story()
        story.events.clear()
        assert story.tell().state(0) == "not-begun"
        assert not story.tell().open

    def test_an_event_that_the_journal_learned_late_keeps_its_own_time(self) -> None:
        story = Story().add(100, "save", "layernorm", "s")
        late = story.events.pop()
        story.events.append(
            Event(
                late.id, late.identity, datetime(2030, 1, 1, tzinfo=UTC), late.kind, late.kata, None, late.data, 1, "s"
            )
        )
        assert story.tell().moments[-1].at == 100
        assert story.tell().moments[-1].time == datetime.fromtimestamp(T0 + 100, UTC)


def test_a_grade_that_comes_late_does_not_tell_what_the_file_was_then() -> None:
    story = Story(plan((1, ("layernorm",))))
    story.add(5, "save", "layernorm", "A").add(7, "save", "layernorm", "B")
    interview = story.add(9, "grade", "layernorm", "A", verdict="fail", asked_at=5, purpose="asked").tell()
    known = interview.last_source("layernorm")
    assert known is not None
    assert known.event.source == "B"
    gone = choose(interview, interview.rounds[0], "layernorm", FileState(None), story.reading(60.5))
    assert (gone.digest, gone.how) == ("B", "last-save")


def test_a_session_of_another_machine_is_never_open_and_its_clock_stands() -> None:
    story = Story()
    story.session = replace(story.session, imported=True)
    interview = story.add(10, "save", "layernorm", "A").tell()
    assert not interview.open
    assert interview.now(story.reading(9999)) == 10
    assert interview.state(10) == "elsewhere"


def test_time_given_back_is_a_number_that_can_be_meant() -> None:
    story = Story()
    for seconds in (1e308, 1e308, float("inf"), float("nan"), -5, "ten"):
        story.add(10, "credit", "layernorm", round=0, seconds=seconds)
    assert story.tell().rounds[0].deadline == 1800


def test_nobody_is_there_between_leaving_and_coming_back_after_the_deadline() -> None:
    story = Story().add(100, "leave", how="key").add(200, "join", how="resume")
    assert story.tell().absences == ()  # before the deadline the clock stops for nothing
    story.add(1900, "leave", how="key").add(9000, "join", how="resume").add(9100, "save", "layernorm", "A")
    assert story.add(9200, "finish").tell().absences == ((1900, 9000),)


def test_nobody_is_there_when_a_session_is_finished_days_later() -> None:
    story = Story().add(600, "save", "layernorm", "A")  # and then the terminal died
    story.add(432_000, "deadline", "layernorm", "A", round=0, due=1800, how="unchanged-since")
    story.add(432_001, "save", "layernorm", "B").add(432_001, "hand-in", "layernorm", "B")
    assert story.add(432_001, "finish", away=True).tell().absences == ((1800, 432_001),)
    story.events[-1].data.pop("away")  # type: ignore[attr-defined]
    assert story.tell().absences == ()
