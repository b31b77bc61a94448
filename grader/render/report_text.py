"""The words of a report that its renderers share: times, outcomes, the headline, tables as plain cells.

Pure functions of a Report; no markup of any kind. Text from outside the grader passes through as it is: each renderer
escapes for its own medium.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from grader.interview.plan import minutes
from grader.interview.presets import CUSTOM
from grader.interview.rounds import is_over
from grader.render.text import NO_SPEED, amount, ratio
from grader.report.kata_model import KataReport, Result, Stretch
from grader.report.model import Entry, Report, TrendPoint

OUTCOMES = {
    "pass": ("✓", "passed"),
    "fail": ("✗", "did not pass"),
    "unusable": ("!", "could not be graded"),
    "grader-error": ("!", "not graded, our fault"),
    "missing": ("–", "no file"),
    "not-graded": ("–", "never graded"),
}


def clock(seconds: float) -> str:
    """`9:05`, `1:02:07`: a time of the session's clock."""
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def span(seconds: float) -> str:
    """`90 s`, `1:40 min`, `12 min`, `1 h 05 min`: how long something took."""
    if seconds < 99.5:
        return f"{max(0.0, seconds):.0f} s"
    if seconds < 599.5 and round(seconds) % 60:
        return f"{clock(round(seconds))} min"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def stretch(red: Stretch | None) -> str:
    return "–" if red is None else f"{span(red.shown)} ({clock(red.begin)} to {clock(red.end)})"


def moment(at: float | None) -> str:
    return "–" if at is None else clock(at)


def green_words(at: float | None, speed: str) -> str:
    """`12:30`, with a word where that pass is not one of a grade with speed."""
    return moment(at) + {"": "", "not measured": f" ({NO_SPEED})"}.get(speed, f" ({speed})")


def sign(outcome: str) -> str:
    return OUTCOMES.get(outcome, ("–", ""))[0]


def word(outcome: str) -> str:
    return OUTCOMES.get(outcome, ("", outcome))[1]


def counts(result: Result) -> str:
    """`8 of 11`, "" where nothing was counted."""
    return f"{result.passed} of {result.required}" if result.passed is not None and result.required else ""


def told(result: Result) -> str:
    """`did not pass at the deadline`."""
    said = f"{word(result.outcome)}{',' if result.label.startswith('handed') else ''} {result.label}"
    return f"{said} ({NO_SPEED})" if result.good and result.without_speed else said


def headline(report: Report) -> str:
    """The session in one sentence."""
    katas = report.katas
    if len(katas) == 1:
        counted, final = katas[0].counted, katas[0].final
        if counted is None:
            return f"{katas[0].title}: nothing was handed in"
        return f"{katas[0].title}: {told(counted)}" + ("" if final is None else f", {told(final)}")
    more = report.passed_in_the_end
    later = f", {more} of {len(katas)} with more time" if more > report.passed else ""
    return f"{report.passed} of {amount(len(katas), 'kata')} passed{later}"


def outcome(report: Report) -> str:
    """How the whole went: "pass" where every kata passed by what counts."""
    return "pass" if report.katas and report.passed == len(report.katas) else "fail"


def setting(report: Report) -> str:
    """`screen: 30 minutes`, `onsite: 45 + 45 minutes`, or of a custom one the time alone, as everywhere: `18 seconds`."""
    rounds = [round((each.deadline - each.begin - each.credit) / 60, 4) for each in report.rounds]
    whole = f"{' + '.join(f'{each:g}' for each in rounds)} minutes"
    planned = minutes(rounds[0]) if len(rounds) == 1 else whole
    if report.minutes > sum(rounds) + 0.1:
        planned += f" of {report.minutes:g}"
    return planned if report.preset == CUSTOM else f"{report.preset[:20]}: {planned}"


def facts(report: Report) -> list[tuple[str, str]]:
    """The figures that say most."""
    green = green_words(report.first_green, report.first_green_speed)
    found = [("first run", moment(report.first_run)), ("first green", green)]
    found.append(("longest red", "–" if report.red is None else span(report.red.shown)))
    found.append(("hints", str(report.hints)))
    found.append(("saves", str(sum(kata.saves for kata in report.katas))))
    found.append(("grades", str(sum(kata.grades for kata in report.katas))))
    return found


def categories(kata: KataReport) -> list[tuple[str, list[tuple[str, str]]]]:
    """(category, a (sign, text) for each of `kata.results`); the first row is of all required properties together."""
    results = kata.results
    rows = [("all", [(sign(r.outcome), _all(kata, r)) for r in results])]
    names = list(dict.fromkeys(tally.category for result in results for tally in result.tallies))
    for name in names:
        cells = []
        for result in results:
            tally = next((t for t in result.tallies if t.category == name), None)
            if tally is None:
                cells.append(("–", "not measured" if name == "timing" and kata.lacks_speed(result) else ""))
            else:
                cells.append(("✓" if tally.passed == tally.required else "✗", f"{tally.passed} of {tally.required}"))
        rows.append((name, cells))
    return rows


def _all(kata: KataReport, result: Result) -> str:
    said = counts(result) or word(result.outcome)
    return f"{said}, {NO_SPEED}" if kata.lacks_speed(result) else said


def help_taken(kata: KataReport) -> str:
    """Hints in a sentence, so that results with and without them cannot be mixed up."""
    if not kata.hints:
        return "No hint was taken."
    taken = amount(kata.hints, "hint was taken", "hints were taken")
    when = f"{taken}, the first at {moment(kata.first_hint)}"
    if kata.unaided is None:
        return f"{when}, before anything was graded."
    return f"{when}."


def milestones(kata: KataReport) -> list[tuple[str, str]]:
    return [
        ("first run", moment(kata.first_run)),
        ("first green", green_words(kata.first_green, kata.first_green_speed)),
        ("longest red stretch", stretch(kata.red)),
        ("saves", str(kata.saves)),
        ("grades", str(kata.grades)),
    ]


def more_milestones(report: Report, kata: KataReport) -> list[tuple[str, str]]:
    """What the session's facts do not say already: of one kata alone, only where its red stretch was."""
    if len(report.katas) > 1:
        return milestones(kata)
    return [] if kata.red is None else [("longest red stretch", stretch(kata.red))]


def phase_label(report: Report, round: int, title: str) -> str:
    return title if len(report.rounds) == 1 else f"round {round + 1}: {title}"


def over_budget(seconds: float, budget: float) -> str:
    """`4 min over`, or "" where there is nothing to say."""
    return f"{span(int(seconds) - int(budget))} over" if is_over(seconds, budget) else ""


def shown_entries(entries: Sequence[Entry], limit: int) -> tuple[list[Entry], int]:
    """At most `limit` entries, and how many were left out: saves and comings and goings first, then the middle."""
    kept = list(entries)
    if len(kept) > limit:
        kept = [entry for entry in kept if entry.kind not in ("save", "join", "leave")]
    if len(kept) > limit:
        kept = [*kept[: limit // 2], *kept[len(kept) - (limit - limit // 2) :]]
    return kept, len(entries) - len(kept)


def share(point: TrendPoint) -> str:
    """The part of the properties that passed at the deadline."""
    return "–" if point.share is None else f"{point.share:.0%}"


def total(point: TrendPoint) -> int:
    return len(point.katas)


def names(point: TrendPoint) -> str:
    return ", ".join(point.katas)


def trend_note(point: TrendPoint) -> str:
    return ", ".join(filter(None, ("practice" if point.practice else "", "given up" if point.aborted else "")))


def speeds(result: Result | None) -> list[str]:
    """How fast the code is and what it holds, a line each; empty where nothing was measured."""
    timing = None if result is None or result.verdict is None else result.verdict.timing
    if timing is None or timing.skipped:
        return []
    lines = [
        f"{speed.mode}: {ratio(speed.ratio)} × the reference, {speed.limit:g} × allowed, {speed.decision.replace('-', ' ')}"
        for speed in timing.speeds
    ]
    return [*lines, *([timing.memory] if timing.memory else [])]


NOTHING_WRITTEN = "Nothing was written: the file is still the stub."


def gap(skipped: int) -> str:
    """Lines that both sides share and that are left out."""
    return amount(skipped, "equal line")


def no_diff(kata: KataReport) -> str:
    """What to say where a comparison has no lines."""
    if kata.untouched:
        return f"{NOTHING_WRITTEN} The reference:" if kata.reference else NOTHING_WRITTEN
    if kata.compared:
        return "The code is the reference's, line by line."
    return "There is no code to compare."


def date(time: datetime) -> str:
    """A moment of the wall's clock, in the zone that it is told in."""
    return f"{time:%d %B %Y, %H:%M}".lstrip("0")
