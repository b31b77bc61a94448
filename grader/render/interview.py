"""An interview in words: the line of its live view, what happened, the results after it. `preflight` has the plan.

Pure functions of the session and of what the terminal can show. Nothing here tells more of a grade than the session's
feedback policy allows, but for `outcome` and `results`, which are for after the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from grader.catalog import HINTS
from grader.interview.model import Interview, Moment
from grader.interview.plan import minutes as minutes
from grader.interview.rounds import is_over
from grader.render.page import Page, indented
from grader.render.text import amount

if TYPE_CHECKING:
    from rich.console import RenderableType

KEYS = (
    ("g", "grade the file as saved"),
    ("h", "hint: one more of the ladder, recorded"),
    ("p", "next phase; P goes back"),
    ("a", "answer the next follow-up question"),
    ("n", "note for the report"),
    ("s", "brief; b shows it too"),
    ("k", "the other kata"),
    ("space", "pause, or go on"),
    ("i", "interviewer's script for this phase"),
    ("r", "rubric"),
    ("m", "mark from 1 to 4"),
    ("f", "finish: hand in"),
    ("q", "leave; the clock goes on"),
    ("?", "these keys"),
)


def clock(seconds: float) -> str:
    """Minutes and seconds; hours where there are some."""
    whole = int(abs(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def status_line(interview: Interview, at: float, *, grading: bool, kata: str, width: int, note: str = "") -> str:
    """The live view's only line that changes: clock, phase, last grade. Shorter where the terminal is narrow."""
    each, span = interview.round_at(at), interview.phase_at(at)
    state = interview.state(at)
    rest = each.deadline - at
    if state == "paused":
        head = f"paused, {clock(rest)} left"
    else:
        head = f"{clock(rest)} left" if rest > 0 else f"overtime {clock(rest)}"
    if len(interview.plan.rounds) > 1:
        head += f", round {each.number + 1}/{len(interview.plan.rounds)}"
    spent = time_in(interview, each.number, span.phase, at)
    phase = f"{span.phase} {clock(spent)}/{clock(span.budget)}" + (" over" if is_over(spent, span.budget) else "")
    grade = "grading…" if grading else grade_words(interview.last("grade", kata=kata), interview.plan.feedback)
    if len(each.katas) > 1:
        grade = f"{kata}: {grade}"
    saves = sum(1 for _ in interview.of("save", kata=kata))
    saved = amount(saves, "save")
    last = note or "? keys"
    wide = [head, phase, grade, saved, last]
    less = [head, span.phase, grade]
    brief = grade.replace(f", {SPEED_LATER}", ", no speed yet")
    for parts in (
        wide,
        [head, phase, grade, last],
        [*less, last],
        less,
        [head, span.phase, brief],
        [head, brief],
        [head],
    ):
        line = " · ".join(part for part in parts if part)
        if len(line) + line.count("·") < width:
            return line
    return clock(rest)


def time_in(interview: Interview, number: int, phase: str, at: float) -> float:
    """Seconds that were spent in a phase so far, all stays together."""
    spans = [span for span in interview.spans if (span.round, span.phase) == (number, phase)]
    return sum(max(0.0, min(at, span.end if span.end is not None else at) - span.begin) for span in spans)


SPEED_LATER = "speed not measured yet"


def grade_words(moment: Moment | None, feedback: str, noun: str = "") -> str:
    """The last grade in three words, as far as the policy lets it be told; and that a pass is one without speed."""
    if moment is None:
        return "not graded"
    if feedback == "none":
        return f"graded {clock(moment.at)}"
    word = {"pass": "✓ pass", "fail": "✗ fail", "unusable": "! unusable", "grader-error": "! our fault"}
    outcome = str(moment.datum("verdict"))
    counts = f" {moment.datum('passed')}/{moment.datum('required')}{noun}" if outcome in ("pass", "fail") else ""
    later = f", {SPEED_LATER}" if outcome == "pass" and moment.without_speed else ""
    return word.get(outcome, outcome) + counts + later


def told_grade(page: Page, moment: Moment, feedback: str, reason: str, nothing_yet: str = "") -> list[Text]:
    """A grade in the middle of a session, for the policies "properties" and "none".

    `nothing_yet` is said of a stub, in which every law fails for one reason.
    """
    if feedback == "none":
        return [page.text("graded; the result is kept for the end")]
    lines = [page.text(grade_words(moment, feedback, " properties"))]
    failed = moment.datum("failed") or []
    if nothing_yet:
        lines.append(page.text(nothing_yet))
    elif failed and moment.datum("verdict") == "fail":
        lines.append(page.text("failed: " + ", ".join(map(str, failed))))
    if moment.datum("verdict") in ("unusable", "grader-error"):
        lines.append(page.text(reason))
    return lines


def deadline_words(moment: Moment) -> str:
    """What was taken at the deadline, and how sure that is."""
    how = moment.datum("how")
    if how == "on-time":
        return "the file as it was at the deadline"
    if how == "unchanged-since":
        return "the file, which was not written after the deadline"
    if how == "last-save":
        doubt = (
            "; edits after it are not counted, since nobody saw when they were made" if moment.datum("unseen") else ""
        )
        return f"the last content seen before the deadline{doubt}"
    return "nothing: there was no file"


def results(page: Page, interview: Interview) -> RenderableType:
    """The results after the end: a row a kata, at the deadline and after overtime."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("kata", "result", "overtime", "hints"):
        table.add_column(name, no_wrap=name != "kata")
    for each in interview.rounds:
        for kata in each.katas:
            table.add_row(
                page.text(kata), *map(page.text, outcome(interview, kata)), f"{interview.hints(kata)}/{HINTS}"
            )
    lines: list[RenderableType] = [Text("Result", style="bold"), indented(table)]
    for moment in interview.of("deadline"):
        if moment.datum("how") != "on-time" and moment is interview.counted(moment.kata):
            lines.append(indented(page.text(f"{moment.kata}: graded is {deadline_words(moment)}.")))
    if interview.clock_set_back:
        lines.append(indented(page.text("The computer's clock was set back meanwhile; that gave no time.")))
    return Group(*lines)


def outcome(interview: Interview, kata: str) -> tuple[str, str]:
    """The result that counts, and that of overtime work where there was some."""
    counted, final = interview.counted(kata), interview.final(kata)
    result = _graded(interview, counted)
    if counted is None or final is None or final.event.source == counted.event.source:
        return result, "–"
    late = int(final.at) - int(interview.round_of(kata).deadline)  # as the two times are told everywhere
    return result, f"{_graded(interview, final)} after {clock(late)} more"


def _graded(interview: Interview, snapshot: Moment | None) -> str:
    if snapshot is None or snapshot.event.source is None:
        return "no file"
    grade = interview.grade_of(snapshot)
    return "not graded yet" if grade is None else grade_words(grade, "full")


def given_away(interview: Interview, at: float) -> str:
    """`12:30 left and round 2 to come`: what an end now would give away; "" where there is nothing."""
    if not interview.open or interview.state(at) == "overtime":
        return ""
    number, rounds = interview.round_at(at).number, len(interview.plan.rounds)
    to_come = (
        f"round {number + 2} to come" if number + 2 == rounds else f"{amount(rounds - number - 1, 'round')} to come"
    )
    rest = f"{clock(interview.rest(at))} left"
    return rest if number + 1 == rounds else f"{rest} and {to_come}"


def status_text(page: Page, interview: Interview, at: float) -> RenderableType:
    """`kata interview status`: one session."""
    number, when, preset, state, _ = session_row(interview, at)
    lines = [page.text(f"Interview {number}, {preset}, begun {when}: {state}", "bold")]
    if interview.open:
        each, span = interview.round_at(at), interview.phase_at(at)
        spent = time_in(interview, each.number, span.phase, at)
        if len(interview.plan.rounds) > 1:
            lines.append(page.text(f"  round {each.number + 1} of {len(interview.plan.rounds)}"))
        over = " over" if is_over(spent, span.budget) else ""
        lines.append(page.text(f"  {span.phase}: {clock(spent)} of {clock(span.budget)}{over}"))
        for kata in each.katas:
            grade = grade_words(interview.last("grade", kata=kata), interview.plan.feedback)
            lines.append(page.text(f"  {kata}: {grade}"))
        return Group(*lines)
    return Group(*lines, results(page, interview))


def session_row(interview: Interview, at: float) -> tuple[str, ...]:
    """One session in `kata interview list`."""
    state = interview.state(at)
    if state in ("running", "paused"):
        state = f"{state}, {clock(interview.rest(at))} left"
    elif state == "overtime":
        state = f"overtime {clock(interview.rest(at))}"
    begun = [kata for each in interview.rounds for kata in each.katas]
    what = ", ".join(f"{kata} {_graded(interview, interview.counted(kata))}" for kata in begun)
    when = f"{interview.session.started.astimezone():%Y-%m-%d %H:%M}"
    if interview.open:
        what = ", ".join(kata for each in interview.rounds if each.begin <= at for kata in each.katas)
    return str(interview.id), when, interview.plan.name, state, what


def session_table(page: Page, rows: Iterable[Sequence[str]]) -> Table:
    """`kata interview list`."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("N", "begun", "kind", "state", "katas"):
        table.add_column(name, no_wrap=name in ("N", "begun", "kind"), overflow="fold")
    for row in rows:
        table.add_row(*map(page.text, row))
    return table


def session_document(interview: Interview, at: float) -> dict[str, Any]:
    """One session for `--json`. While it is open, nothing of its grades that the policy hides."""
    state = interview.state(at)
    each, span = interview.round_at(at), interview.phase_at(at)
    shown = not interview.open or interview.plan.feedback != "none"
    katas = []
    for one in interview.rounds:
        if interview.open and one.begin > at:
            continue  # still to come: a surprise
        for kata in one.katas:
            last = interview.last("grade", kata=kata)
            counted = None if interview.open else interview.grade_of(interview.counted(kata))
            katas.append(
                {
                    "id": kata,
                    "round": one.number + 1,
                    "saves": sum(1 for _ in interview.of("save", kata=kata)),
                    "hints": interview.hints(kata),
                    "last_grade": last.datum("verdict") if last and shown else None,
                    "result": None if counted is None else counted.datum("verdict"),
                }
            )
    return {
        "id": interview.id,
        "preset": interview.plan.preset,
        "started": interview.session.started.isoformat(timespec="seconds"),
        "state": state,
        "minutes": interview.plan.minutes,
        "round": each.number + 1,
        "rounds": len(interview.plan.rounds),
        "phase": span.phase,
        "elapsed_seconds": round(at, 1),
        "left_seconds": round(each.deadline - at, 1) if interview.open else None,
        "practice": interview.practice,
        "seed": interview.plan.seed,
        "feedback": interview.plan.feedback,
        "folder": interview.plan.folder,
        "katas": katas,
    }
