"""The report of an interview: what it says about each kind of session, and that every format says it."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
import samples
import sessions
from markdown_it import MarkdownIt
from sessions import ATTENTION, LAYERNORM, RIGHT, STUB, WRONG, Told

from grader import cli
from grader.desk import Desk
from grader.output import Output
from grader.questions import read_questions
from grader.render import report_text
from grader.render.report_html import html_report
from grader.render.report_json import report_document
from grader.render.report_markdown import escaped, markdown_report
from grader.render.report_terminal import screen
from grader.report.build import EARLIER, wanted
from grader.report.command import find, make
from grader.report.diff import CONTEXT, changes, compare
from grader.report.kata_model import Point, Stretch
from grader.report.model import Report
from grader.report.story import end_of, longest_red, phase_times, points
from grader.verdict import Status

STORIES = pytest.mark.parametrize("story", sessions.ALL)


# Lines of which Markdown or HTML would make something else.
LINES = [
    *(
        "1. one",
        "10) ten",
        "- item",
        "+ item",
        "> quote",
        "# heading",
        "===",
        "* * *",
        "    code",
        "  - nested",
        "a | b",
    ),
    *(
        "`code` _it_ ~~gone~~ $x$ **bold**",
        "[a](b) ![a](b) <b>bold</b> &lt; \\* \\",
        "a@b http://c.example 57:00. (x + y) - 1",
    ),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Report]:
    """The report of each story, made once: nobody changes it."""
    return cache(lambda story: report_of(sessions.ALL[story](tmp_path_factory.mktemp(story))))


@pytest.fixture
def kata(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """`kata("interview", "report")`: exit code, stdout, stderr."""
    monkeypatch.setenv("KATA_HOME", str(home))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(list(arguments))
        return code, *capsys.readouterr()

    return run


def report_of(told: Told) -> Report:
    """As the command makes it."""
    desk = Desk(Output(StringIO(), StringIO(), {}))
    desk.__dict__["journal"] = told.journal
    return make(desk, find(desk, told.id))


def on_terminal(report: Report, width: int, **environ: str) -> str:
    return sessions.printed(lambda page: [screen(page, report)], width, **environ)


FORMATS: dict[str, Callable[[Report], str]] = {
    "terminal": lambda report: on_terminal(report, 80),
    "markdown": markdown_report,
    "html": html_report,
    "json": lambda report: json.dumps(report_document(report), ensure_ascii=False),
}


class TestResults:
    def test_what_counts_is_the_file_at_the_deadline_and_overtime_is_told_apart(self, home: Path) -> None:
        [kata] = report_of(sessions.overtime(home)).katas
        assert [(r.label, r.outcome, r.passed, r.required) for r in kata.results] == [
            ("at the deadline", "fail", 8, 11),
            ("after 12 more minutes", "pass", 11, 11),
        ]
        report = report_of(sessions.overtime(home))
        assert (report.passed, report.passed_in_the_end, report.overtime) == (0, 1, 720)

    def test_without_work_after_the_deadline_there_is_one_result(self, home: Path) -> None:
        [kata] = report_of(sessions.normal(home)).katas
        assert kata.final is None
        assert kata.last is kata.counted

    def test_the_result_before_the_first_hint_stands_beside_the_one_with_hints(self, home: Path) -> None:
        [kata] = report_of(sessions.normal(home)).katas
        assert kata.unaided is not None
        assert (kata.unaided.label, kata.unaided.outcome) == ("before the first hint", "fail")
        assert kata.counted is not None
        assert kata.counted.good
        assert (kata.hints, kata.first_hint) == (1, 13 * 60)

    def test_without_hints_no_result_is_called_unaided(self, home: Path) -> None:
        [kata] = report_of(sessions.overtime(home)).katas
        assert kata.unaided is None
        assert report_text.help_taken(kata) == "No hint was taken."

    def test_results_are_counted_by_category(self, home: Path) -> None:
        [kata] = report_of(sessions.overtime(home)).katas
        assert kata.counted is not None
        counted = [(tally.category, tally.passed, tally.required) for tally in kata.counted.tallies]
        assert counted == [
            ("values", 1, 2),
            ("shapes", 1, 1),
            ("gradients", 1, 2),
            ("numerics", 1, 2),
            ("robustness", 4, 4),
        ]

    def test_a_file_that_was_not_there_is_no_grade(self, home: Path) -> None:
        [kata] = report_of(sessions.only_hints(home)).katas
        assert kata.counted is not None
        assert kata.counted.outcome == "missing"
        assert report_text.help_taken(kata).endswith("before anything was graded.")

    def test_a_snapshot_that_was_never_graded_says_so(self, home: Path) -> None:
        report = report_of(sessions.ungraded(home))
        assert report_text.headline(report) == "Layer normalisation: never graded at the deadline"

    def test_handing_in_early_is_said_with_its_time(self, home: Path) -> None:
        report = report_of(sessions.onsite(home))
        assert [kata.counted.label for kata in report.katas if kata.counted] == [
            "handed in after 30 minutes",
            "at the deadline",
        ]
        assert report_text.headline(report) == "1 of 2 katas passed"

    def test_a_verdict_that_is_lost_leaves_the_counts(self, home: Path) -> None:
        told = sessions.normal(home)
        told.journal.file.write(lambda connection: connection.execute("DROP TABLE verdicts") and 0)
        told.journal.verdict = lambda event: None  # type: ignore[method-assign]
        told.journal.events = lambda **_: told_events  # type: ignore[method-assign]
        told_events = sessions.normal(home.with_name("other")).journal.events(session=1)
        [kata] = report_of(told).katas
        assert kata.counted is not None
        assert (kata.counted.verdict, kata.counted.passed, kata.counted.tallies) == (None, 11, ())


class TestMistakes:
    def test_what_was_mended_on_the_way_is_told_with_its_time_and_the_input_that_showed_it(self, home: Path) -> None:
        [kata] = report_of(sessions.normal(home)).katas
        [mistake] = kata.mended
        assert (mistake.diagnosis.id, mistake.at, mistake.until) == ("eps-outside-sqrt", 9 * 60, 17 * 60)
        assert mistake.law == "matches-formula"
        assert mistake.example is not None
        assert mistake.example.call == "LayerNorm(3, eps=0.1)(x)"

    @pytest.mark.parametrize("format", ["markdown", "html", "terminal"])
    def test_every_format_tells_it(self, format: str, home: Path) -> None:
        text = FORMATS[format](report_of(sessions.normal(home)))
        assert "Mistakes on the way" in text
        assert "from 9:00 to 17:00" in text
        assert "LayerNorm(3, eps=0.1)(x)" in text

    def test_a_diagnosis_without_a_fix_has_no_empty_line_for_it(self, home: Path) -> None:
        bare = dataclasses.replace(sessions.DIAGNOSED, fix="")
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(30).deadline(WRONG)
        told.grade(WRONG, samples.failing(diagnosis=bare), purpose="deadline").finish()
        for format in ("markdown", "html"):
            text = FORMATS[format](report_of(told))
            assert "Evidence:" in text
            assert "Fix:" not in text

    def test_what_all_laws_say_is_said_once(self, home: Path) -> None:
        failing = samples.failing()
        properties = tuple(
            dataclasses.replace(each, message="NotImplementedError: Write it.")
            if each.status is Status.FAILED
            else each
            for each in failing.properties
        )
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(30).deadline(WRONG)
        told.grade(WRONG, dataclasses.replace(failing, properties=properties), purpose="deadline").finish()
        text = html_report(report_of(told))
        assert sum(each.status is Status.FAILED for each in properties) > 1
        assert text.count("NotImplementedError: Write it.") == 1

    def test_what_the_result_tells_is_not_told_twice(self, home: Path) -> None:
        [kata] = report_of(sessions.overtime(home)).katas
        assert kata.mended == ()

    def test_a_mistake_that_came_back_and_stayed_is_not_mended(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(1).grade(WRONG, sessions.diagnosed())
        told.wait(1).grade(RIGHT, samples.passing()).wait(1).grade(WRONG + "#", sessions.diagnosed()).hand_in(RIGHT)
        assert report_of(told.finish()).katas[0].mended == ()

    def test_a_grade_that_failed_as_the_one_before_is_not_looked_up(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin()
        for number in range(9):
            told.wait(1).grade(f"{WRONG}# {number}", sessions.diagnosed())
        told.wait(1).grade(RIGHT, samples.passing()).hand_in(RIGHT).finish()
        grades = {event.id for event in told.journal.events(kinds=("grade",))}
        assert wanted(told.interview()).grades == {min(grades), max(grades)}
        [mistake] = report_of(told).katas[0].mended
        assert (mistake.at, mistake.until) == (60, 600)

    def test_a_mistake_is_shown_by_the_input_that_the_grade_led_with(self, home: Path) -> None:
        large = dataclasses.replace(samples.GOT, values=None, shape=(261, 3))
        long = dataclasses.replace(samples.EXAMPLE, got=large)
        failed = (
            samples.result(samples.LAWS[0], Status.FAILED, message="x", counterexample=long),
            samples.result(samples.LAWS[3], Status.FAILED, message="x", counterexample=samples.EXAMPLE),
        )
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(1).save(WRONG)
        verdict = dataclasses.replace(sessions.diagnosed(), properties=failed)
        told.grade(WRONG, verdict).wait(2).save(RIGHT).grade(RIGHT, samples.passing()).hand_in(RIGHT)
        [mistake] = report_of(told.finish()).katas[0].mended
        assert (mistake.law, mistake.example) == (samples.LAWS[3][0], samples.EXAMPLE)
        assert verdict.first_failure is failed[1]


class TestTime:
    def test_the_first_run_is_the_first_grade_that_was_asked_for(self, home: Path) -> None:
        report = report_of(sessions.normal(home))
        assert (report.first_run, report.first_green) == (9 * 60, 17 * 60)
        assert report_of(sessions.ungraded(home.with_name("other"))).first_run is None

    @pytest.mark.parametrize(
        ("grades", "red"),
        [
            ([], None),
            ([(10, "pass")], None),
            ([(10, "fail")], (10, 100)),
            ([(99.9, "fail")], None),
            ([(10, "fail"), (30, "pass")], (10, 30)),
            ([(10, "fail"), (20, "unusable"), (30, "pass"), (50, "fail")], (50, 100)),
            ([(10, "fail"), (80, "pass"), (90, "fail"), (95, "pass")], (10, 80)),
        ],
    )
    def test_the_longest_red_stretch_runs_from_a_red_grade_to_the_next_green_one_or_the_end(
        self, grades: list[tuple[float, str]], red: tuple[float, float] | None
    ) -> None:
        points = [Point(at, outcome, None, None) for at, outcome in grades]
        assert longest_red(points, 100) == (None if red is None else Stretch(*red))

    @STORIES
    def test_the_phases_take_all_of_the_session(self, story: str, reports: Callable[[str], Report]) -> None:
        report = reports(story)
        assert sum(each.seconds + each.overtime for each in report.phases) == pytest.approx(report.elapsed)

    def test_time_after_the_deadline_is_no_time_of_the_phase(self, home: Path) -> None:
        report = report_of(sessions.overtime(home))
        implement = next(each for each in report.phases if each.phase == "implement")
        assert (implement.seconds, implement.overtime, implement.budget) == (
            28 * 60,
            12 * 60,
            pytest.approx(0.55 * 30 * 60),
        )

    def test_a_pause_is_no_time_and_makes_it_practice(self, home: Path) -> None:
        report = report_of(sessions.paused(home))
        assert (report.elapsed, report.paused, report.practice) == (600, 600, True)
        assert report.remarks == (
            "Practice: this session could be paused (paused for 10 minutes), so its times prove nothing.",
        )

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [(1, "1 second"), (8, "8 seconds"), (59, "59 seconds"), (90, "90 seconds"), (120, "2 minutes")],
    )
    def test_no_time_is_rounded_up_to_what_it_was_not(self, home: Path, seconds: int, words: str) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(seconds / 60).hand_in(WRONG)
        [kata] = report_of(told.event("abort")).katas
        assert kata.counted is not None
        assert kata.counted.label == f"handed in after {words}"

    def test_a_phase_is_over_its_budget_when_its_seconds_say_so(self) -> None:
        assert [report_text.over_budget(seconds, 6.0) for seconds in (6.9, 8)] == ["", "2 s over"]

    def test_the_setting_is_told_by_one_name(self, home: Path) -> None:
        custom = report_of(Told(home, sessions.plan((0.3, LAYERNORM), preset="custom")).begin().finish())
        assert report_text.setting(custom) == "18 seconds"
        assert report_text.setting(report_of(sessions.normal(home))) == "screen: 30 minutes"
        assert report_text.setting(report_of(sessions.onsite(home))) == "onsite: 45 + 45 minutes"

    def test_the_grades_are_those_that_the_candidate_asked_for(self, home: Path) -> None:
        [kata] = report_of(sessions.overtime(home)).katas
        assert (kata.grades, len(kata.points)) == (2, 3)

    def test_time_given_back_is_told(self, home: Path) -> None:
        [credit] = report_of(sessions.onsite(home)).credits
        assert (credit.seconds, credit.why) == (90, "the grader failed")

    def test_a_session_that_was_given_up_tells_which_round_never_began(self, home: Path) -> None:
        report = report_of(sessions.abandoned(home))
        assert (report.state, [kata.id for kata in report.katas]) == ("aborted", [LAYERNORM])
        assert report.remarks == (
            "Given up after 12 minutes.",
            f"The session ended before the round of {ATTENTION} began.",
        )

    def test_saves_in_a_row_are_one_line_of_the_timeline(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin()
        for number in range(5):
            told.wait(1).save(f"x = {number}\n")
        report = report_of(told.wait(1).hint(1).save(RIGHT).hand_in(RIGHT).finish())
        assert [(entry.text, entry.at, entry.until) for entry in report.entries if entry.kind == "save"] == [
            ("saved 5 times", 60, 300),
            ("saved", 360, None),
        ]
        assert report.katas[0].saves == 6


class TestPeople:
    def test_marks_say_what_they_mean_and_notes_whose_they_are(self, home: Path) -> None:
        report = report_of(sessions.onsite(home))
        assert [(mark.title, mark.value) for mark in report.marks] == [("Correctness", 2), ("Communication", 4)]
        assert all(mark.anchor for mark in report.marks)
        assert [(note.by, note.kata, note.text) for note in report.notes] == [
            ("interviewer", LAYERNORM, "Said the shapes before writing.")
        ]

    def test_the_last_mark_for_a_dimension_wins(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM), interviewer=True)).begin()
        for value in (1, 3):
            told.wait(1).event("mark", data={"dimension": "knowledge", "value": value})
        assert [mark.value for mark in report_of(told.hand_in(RIGHT).finish()).marks] == [3]

    def test_answers_stand_beside_the_model_answers(self, home: Path) -> None:
        [kata] = report_of(sessions.normal(home)).katas
        questions = read_questions((sessions.ROOT / "katas" / LAYERNORM / "questions.md").read_text(encoding="utf-8"))
        first, second, third, *_ = kata.questions
        assert first.answer == "Because the row is all there is.\nNothing is estimated."
        assert (first.model, first.strong) == (questions[0].answer, questions[0].strong)
        assert (second.answer, second.skipped, third.answer, third.skipped) == (None, True, None, False)
        assert len(kata.questions) == len(questions)

    def test_an_answer_keeps_its_question_when_the_questions_change_places(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin()
        told.answer(0, "What does it cost, and what limits its speed?", "Memory.").answer(
            1, "A question of old?", "Yes."
        )
        moved, gone, *_ = report_of(told.hand_in(RIGHT).finish()).katas[0].questions
        assert "memory traffic" in moved.model
        assert (gone.title, gone.model, gone.known) == ("A question of old?", "", False)


class TestAdvice:
    def test_three_katas_each_with_a_reason_what_failed_here_first(self, home: Path) -> None:
        advice = report_of(sessions.onsite(home)).advice
        assert len(advice) == 3
        assert (advice[0].kata, advice[0].reason) == (ATTENTION, "did not pass: eps-outside-sqrt")
        assert all(each.reason and each.command.startswith("kata ") for each in advice)
        assert LAYERNORM not in {each.kata for each in advice}, "it was passed a moment ago, without a hint"

    def test_a_pass_in_overtime_only_is_a_reason(self, home: Path) -> None:
        first = report_of(sessions.overtime(home)).advice[0]
        assert (first.kata, first.reason) == (LAYERNORM, "passed only after 12 more minutes")

    def test_a_pass_with_hints_is_a_reason(self, home: Path) -> None:
        first = report_of(sessions.normal(home)).advice[0]
        assert (first.kata, first.reason) == (LAYERNORM, "passed with 1 hint")


class TestTrend:
    def test_earlier_sessions_come_first_and_later_ones_not_at_all(self, home: Path) -> None:
        sessions.overtime(home, sessions.BEGUN - timedelta(days=9))
        told = sessions.normal(home)
        sessions.normal(home, sessions.BEGUN + timedelta(days=1))
        trend = report_of(told).trend
        assert [(point.session, point.passed, point.share and round(point.share, 2)) for point in trend] == [
            (1, 0, 0.73),
            (2, 1, 1.0),
        ]

    def test_a_session_that_still_runs_or_cannot_be_read_is_no_part_of_it(self, home: Path) -> None:
        Told(home, sessions.plan((30, LAYERNORM)), sessions.BEGUN - timedelta(days=2)).begin()
        told = sessions.normal(home)
        told.journal.begin_session("interview", {"rounds": "of another kind"})
        assert [point.session for point in report_of(told).trend] == [told.id]

    @pytest.mark.parametrize("width", [80, 100])
    def test_only_the_katas_are_broken_where_the_table_is_narrow(self, home: Path, width: int) -> None:
        names = "layernorm,causal-mask,linear-attention,multi-head-attention"
        many = sessions.plan((30, names))
        Told(home, many, sessions.BEGUN - timedelta(days=2)).begin().wait(5).hand_in(WRONG).event("abort")
        text = on_terminal(report_of(sessions.normal(home)), width)
        [head] = [line for line in text.splitlines() if "first green" in line and "properties" in line]
        assert head.split() == ["N", "date", "passed", "properties", "first", "green", "hints", "katas"]
        assert "2026-11-27" in text
        assert "0 of 4" in text
        assert all(name in text for name in names.split(","))

    def test_no_more_than_a_page_of_it(self, home: Path) -> None:
        for day in range(EARLIER + 3, 0, -1):
            sessions.only_hints(home) if day % 2 else sessions.overtime(home, sessions.BEGUN - timedelta(days=day))
        told = sessions.normal(home, sessions.BEGUN + timedelta(days=1))
        assert len(report_of(told).trend) == EARLIER + 1


class TestAFileInWhichNothingWasWritten:
    @pytest.fixture
    def report(self, home: Path) -> Report:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(30).deadline(STUB)
        return report_of(told.grade(STUB, samples.failing(), purpose="deadline").finish())

    @pytest.mark.parametrize("format", ["terminal", "markdown", "html"])
    def test_is_said_to_be_the_stub_and_not_taken_apart(self, report: Report, format: str) -> None:
        text = FORMATS[format](report)
        assert "Nothing was written" in text
        assert "Smallest failing input" not in text
        assert "did not pass" in text

    @pytest.mark.parametrize("format", ["terminal", "markdown"])
    def test_is_followed_by_the_reference_alone(self, report: Report, format: str) -> None:
        text = FORMATS[format](report)
        assert "variance + self.eps" in text
        assert "NotImplementedError" not in text

    def test_is_advised_to_be_written(self, report: Report) -> None:
        assert (report.advice[0].kata, report.advice[0].reason) == (LAYERNORM, "nothing was written in this interview")

    def test_is_one_thing_and_a_file_that_was_there_before_another(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(30).deadline(WRONG).finish()
        assert not report_of(told).katas[0].untouched


class TestCode:
    def test_of_the_terminal_is_folded_and_never_cut(self, home: Path) -> None:
        long = RIGHT.replace("import torch", "import torch  # " + " ".join(f"word{n}" for n in range(40)), 1)
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(5).hand_in(long).finish()
        text = on_terminal(report_of(told), 60)
        assert all(f"word{n}" in text for n in range(40))

    def test_one_equal_line_is_one(self) -> None:
        assert [report_text.gap(number) for number in (1, 2)] == ["1 equal line", "2 equal lines"]

    def test_the_code_that_counts_last_stands_beside_the_reference(self, home: Path) -> None:
        rows = report_of(sessions.ungraded(home)).katas[0].diff
        changed = [row for row in rows if row.kind == "changed"]
        assert len(changed) == 1
        assert "torch.sqrt(variance) + self.eps" in changed[0].yours_text
        assert "torch.sqrt(variance + self.eps)" in changed[0].reference_text
        assert CONTEXT <= sum(row.kind == "same" for row in rows) <= 2 * CONTEXT
        assert rows[0].kind == "gap"

    def test_every_line_of_both_is_there_or_counted(self) -> None:
        rows = compare(STUB, RIGHT)
        skipped = sum(row.skipped for row in rows)
        assert sum(row.yours is not None for row in rows) + skipped == len(STUB.splitlines())
        assert sum(row.reference is not None for row in rows) + skipped == len(RIGHT.splitlines())

    def test_code_that_is_the_reference_is_said_to_be(self, home: Path) -> None:
        [kata] = report_of(sessions.normal(home)).katas
        assert (kata.compared, kata.diff) == (True, ())

    def test_changes_turn_one_snapshot_into_the_next(self) -> None:
        found = changes(WRONG, RIGHT)
        assert [change.text.strip() for change in found if change.sign == "-"] == [
            "normed = centred / (torch.sqrt(variance) + self.eps)  # (..., D)"
        ]
        assert [change.number for change in found if change.sign == "+"] == [
            number for number, line in enumerate(RIGHT.splitlines(), start=1) if "normed = " in line
        ]


class TestForeignEvents:
    def test_events_of_a_newer_version_change_no_result_and_are_told_by_their_name(self, home: Path) -> None:
        report = report_of(sessions.newer(home))
        usual = report_of(sessions.normal(home.with_name("usual")))
        assert [(r.label, r.outcome, r.passed) for r in report.katas[0].results] == [
            (r.label, r.outcome, r.passed) for r in usual.katas[0].results
        ]
        assert "hologram" in [entry.text for entry in report.entries]
        assert (report.marks, report.notes, report.katas[0].hints) == ((), (), 1)

    def test_a_verdict_that_cannot_be_shown_is_left_out(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(1).save(WRONG)
        view = dataclasses.replace(samples.GOT, values=[[1.0, 2.0], 3.0, []], shape=(3, 2))
        example = dataclasses.replace(samples.EXAMPLE, got=view, expected=view, worst=(1, 1))
        strange = samples.failing(
            properties=(samples.result(samples.LAWS[0], Status.FAILED, message="x", counterexample=example),)
        )
        report = report_of(told.grade(WRONG, strange).hand_in(WRONG).finish())
        [kata] = report.katas
        assert kata.counted is not None
        assert (kata.counted.outcome, kata.counted.verdict) == ("fail", None)
        for show in FORMATS.values():
            assert show(report)

    def test_a_kata_that_is_not_here_any_more_is_told_by_its_name(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, "of-a-pack"))).begin().wait(1)
        told.save(WRONG, "of-a-pack").grade(WRONG, sessions.diagnosed(), "of-a-pack").hand_in(WRONG, "of-a-pack")
        report = report_of(told.finish())
        [kata] = report.katas
        assert (kata.title, kata.compared, kata.questions) == ("of-a-pack", False, ())
        for show in FORMATS.values():
            assert "of-a-pack" in show(report).replace("\\", "")

    def test_a_session_whose_settings_are_no_plan_ends_in_a_sentence(self, kata, home: Path) -> None:
        told = sessions.normal(home)
        told.journal.begin_session("interview", {"version": 99})
        code, out, err = kata("interview", "report", "2")
        assert (code, out) == (2, "")
        assert "newer torch-kata, or damaged" in err


class TestEveryFormat:
    @STORIES
    @pytest.mark.parametrize("format", FORMATS)
    def test_shows_every_session(self, story: str, format: str, reports: Callable[[str], Report]) -> None:
        report = reports(story)
        text = FORMATS[format](report)
        for kata in report.katas:
            assert kata.title in text
            for result in kata.results:
                assert result.label in " ".join(text.split())

    @pytest.mark.parametrize("format", FORMATS)
    def test_says_what_the_issue_asks_for(self, format: str, reports: Callable[[str], Report]) -> None:
        text = " ".join(FORMATS[format](reports("onsite")).split())
        for wanted_text in (
            "eps-outside-sqrt",
            "sqrt(variance + eps)",
            "LayerNorm(3, eps=0.1)(x)",
            "the grader failed",
            "Said the shapes before writing.",
            "Leads: asks what matters",
            "1729",
            "Some CPU @ 2.0 GHz",
            "scaled_dot_product_attention(query, key, value, attn_mask=None)",
        ):
            plain = text if format != "markdown" else text.replace("\\", "").replace("&#64;\u2060", "@")
            plain = plain.replace("&#39;", "'").replace("&#34;", '"')
            assert wanted_text in plain, wanted_text

    @pytest.mark.parametrize("format", FORMATS)
    def test_is_harmless_whatever_a_stranger_wrote(self, format: str, reports: Callable[[str], Report]) -> None:
        text = FORMATS[format](reports("hostile"))
        if format == "json":
            text = json.dumps(json.loads(text))  # as it is printed: ASCII
            assert text.isascii()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2028\u2029\u2066-\u2069]", text)
        text.encode("utf-8")

    @STORIES
    @pytest.mark.parametrize("width", [40, 60, 120])
    def test_fits_the_terminal(self, story: str, width: int, reports: Callable[[str], Report]) -> None:
        lines = on_terminal(reports(story), width).splitlines()
        assert max(map(len, lines)) <= width

    def test_has_no_escape_sequence_under_no_color(self, reports: Callable[[str], Report]) -> None:
        report = reports("onsite")
        assert "\x1b" not in on_terminal(report, 80, NO_COLOR="1", FORCE_COLOR="1")
        assert "\x1b" in on_terminal(report, 80, FORCE_COLOR="1")

    def test_is_ascii_where_the_terminal_is(self, reports: Callable[[str], Report]) -> None:
        text = on_terminal(reports("onsite"), 80, TERM="dumb")
        assert text.isascii()

    def test_json_is_versioned_and_holds_the_verdicts(self, reports: Callable[[str], Report]) -> None:
        document = json.loads(json.dumps(report_document(reports("overtime")), allow_nan=False))
        assert next(iter(document)) == "schema_version"
        assert document["schema_version"] == 1
        [kata] = document["katas"]
        assert kata["counted"]["verdict"]["verdict"] == "fail"
        assert kata["counted"]["verdict"]["diagnosis"]["id"] == "eps-outside-sqrt"
        assert document["begun"] == "2026-11-29T18:30:00.000Z"

    def test_markdown_of_a_stranger_is_text_and_nothing_else(self, reports: Callable[[str], Report]) -> None:
        text = markdown_report(reports("hostile"))
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
        inline = [child for token in tokens for child in token.children or []]
        assert not {token.type for token in [*tokens, *inline]} & {"html_block", "html_inline", "link_open", "image"}
        fences = [token.content for token in tokens if token.type == "fence"]
        assert any("``` |" in fence for fence in fences), "the attack's own fence stands inside of ours"
        headings = [token for token in tokens if token.type == "heading_open" and token.tag in ("h1", "h2")]
        usual = markdown_report(reports("normal"))
        assert len(headings) == len(re.findall(r"^##? ", usual, re.MULTILINE)) + 1, "and the one of marks and notes"

    @pytest.mark.parametrize("text", LINES)
    def test_markdown_shows_a_line_as_it_was_written(self, text: str) -> None:
        [opened, inline, closed] = MarkdownIt("gfm-like", {"linkify": False}).parse(escaped(text))
        assert (opened.type, closed.type) == ("paragraph_open", "paragraph_close")
        shown = "".join(child.content for child in inline.children or [])
        assert shown.replace("\u2060", "").replace("\xa0", " ") == text
        assert {child.type for child in inline.children or []} <= {"text", "text_special"}

    def test_a_long_session_is_shortened_for_people_and_whole_in_json(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin()
        for number in range(300):
            told.wait(0.05).hint(1).save(f"x = {number}\n")
        report = report_of(told.hand_in(RIGHT).finish())
        assert len(report.entries) > 600
        assert "more in --format json" in on_terminal(report, 80)
        assert "more lines" in markdown_report(report)
        assert len(report_document(report)["entries"]) == len(report.entries)

    @pytest.mark.parametrize("format", ["terminal", "markdown", "html"])
    def test_says_how_fast_the_code_is_where_that_was_measured(self, format: str, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin().wait(1).save(RIGHT).grade(RIGHT, samples.timed())
        text = FORMATS[format](report_of(told.hand_in(RIGHT).finish())).replace("\\", "")
        assert "forward: 1.08 × the reference, 2 × allowed, quick enough" in text
        assert "64 MB at L = 4096" in text

    def test_times_of_day_are_those_of_the_reader_and_utc_in_json(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told = sessions.normal(home)
        try:
            monkeypatch.setenv("TZ", "Asia/Kolkata")
            time.tzset()
            report = report_of(told)
        finally:
            monkeypatch.undo()
            time.tzset()
        assert report_text.date(report.begun) == "30 November 2026, 00:00"
        assert report_document(report)["begun"] == "2026-11-29T18:30:00.000Z"


class TestLookedUp:
    def test_few_verdicts_and_sources_however_long_the_session(self, home: Path) -> None:
        told = Told(home, sessions.plan((30, LAYERNORM))).begin()
        for number in range(50):
            source = f"{WRONG}# {number}\n"
            told.wait(0.5).save(source).grade(source, samples.failing())
        found = wanted(told.hint(1).hand_in(source).finish().interview())
        assert (len(found.grades), len(found.sources)) == (2, 1)


class TestCommand:
    def test_without_a_number_it_is_the_last_that_has_ended(self, kata, home: Path) -> None:
        sessions.normal(home)
        sessions.overtime(home, sessions.BEGUN + timedelta(days=1))
        Told(home, sessions.plan((30, LAYERNORM)), sessions.BEGUN + timedelta(days=2)).begin()
        code, out, _ = kata("interview", "report")
        assert code == 0
        assert "interview 2," in out

    def test_it_opens_when_the_interview_is_over(self, kata, home: Path) -> None:
        Told(home, sessions.plan((30, LAYERNORM))).begin().wait(40)
        for arguments in (("report", "1"), ("report",), ("replay", "1")):
            code, out, err = kata("interview", *arguments)
            assert (code, out) == (2, "")
            assert "Next: kata interview finish" in err

    def test_without_any_interview_it_says_how_to_begin(self, kata) -> None:
        assert kata("interview", "report")[2].endswith("Next: kata interview\n")
        assert "there is no interview 7" in kata("interview", "report", "7")[2]

    @pytest.mark.parametrize(
        ("name", "begins"), [("r.html", "<!doctype html>"), ("r.md", "# "), ("r.json", "{"), ("r.txt", "✓ PASS")]
    )
    def test_the_format_follows_the_name_of_the_file(
        self, kata, home: Path, tmp_path: Path, name: str, begins: str
    ) -> None:
        sessions.normal(home)
        code, out, _ = kata("interview", "report", "--output", name)
        assert (code, Path(out.strip()).name) == (0, name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)

    def test_a_file_that_is_there_is_never_overwritten(self, kata, home: Path, tmp_path: Path) -> None:
        sessions.normal(home)
        (tmp_path / "mine.html").write_text("mine")
        code, _, err = kata("interview", "report", "--output", "mine.html")
        assert code == 2
        assert "left as it is" in err
        assert (tmp_path / "mine.html").read_text() == "mine"
        assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["mine.html"]

    def test_nobody_reads_html_in_a_terminal_so_it_becomes_a_file(
        self, kata, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sessions.normal(home)
        monkeypatch.setattr("grader.output._is_terminal", lambda stream: True)
        code, out, err = kata("interview", "report", "--format", "html")
        assert (code, Path(out.strip())) == (0, tmp_path / "interview-1.html")
        assert "open it in a browser" in err
        assert (tmp_path / "interview-1.html").read_text(encoding="utf-8").startswith("<!doctype html>")

    @pytest.mark.parametrize("format", ["markdown", "html", "json"])
    def test_a_pipe_gets_the_document_and_nothing_else(self, kata, home: Path, format: str) -> None:
        told = sessions.normal(home)
        code, out, err = kata("interview", "report", "--format", format)
        assert (code, err) == (0, "")
        if format == "json":
            assert json.loads(out)["session"] == told.id


def test_what_happens_while_nobody_is_there_is_neither_time_in_a_phase_nor_red_nor_on_the_chart(tmp_path: Path) -> None:
    told = sessions.Told(tmp_path, sessions.plan((30, sessions.LAYERNORM))).begin()
    told.wait(5).phase("implement").wait(5).save(sessions.WRONG).wait(1).event("leave", data={"how": "key"})
    told.wait(7200 - 11).deadline(sessions.WRONG).hand_in(sessions.WRONG).event("finish", data={"away": True})
    told.grade(sessions.WRONG, sessions.diagnosed(), purpose="deadline", asked_at=1800)
    interview = told.interview()
    times = {each.phase: (each.seconds, each.overtime) for each in phase_times(interview)}
    assert times["implement"] == (1500, 0)
    grades = points(interview, sessions.LAYERNORM)
    assert [point.at for point in grades] == [1800]
    assert longest_red(grades, end_of(interview), interview.absences) is None


def test_a_red_stretch_is_cut_where_nobody_was_there() -> None:
    grades = (Point(0, "fail", 1, 2), Point(1000, "pass", 2, 2))
    assert longest_red(grades, 1000, ((100, 700),)) == Stretch(700, 1000)
    assert longest_red(grades, 1000, ((0, 999.5),)) is None
