"""A report for a terminal: the result first, then what went wrong, the time, the code, the answers, and what to do next.

A pure function of the Report and of what the terminal can show; text from outside the grader is escaped as everywhere
in `render`. Colour only repeats what a word or a sign beside it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from grader.render import report_text as words
from grader.render.failure import failure
from grader.render.page import BAD, GOOD, INDENT, Page, indented
from grader.render.report_fault import when, wrong_results
from grader.render.terminal import diagnosis
from grader.render.text import amount, fold
from grader.report.kata_model import DiffRow, FollowUp, KataReport, Result
from grader.report.model import PhaseTime, Report

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDE = 80
ENTRIES = 60  # lines of the timeline
ANSWER_LINES = 40
DIFF_LINES = 120
_STYLES = {"✓": "green", "✗": BAD, "!": BAD}


def screen(page: Page, report: Report) -> RenderableType:
    """The whole report."""
    parts: list[RenderableType] = list(_head(page, report))
    for kata in report.katas:
        parts += ["", *_kata(page, report, kata)]
    for heading, block in (
        ("Time in each phase, against its budget", _phases(page, report)),
        ("Timeline", _timeline(page, report)),
        ("Marks and notes", _interviewer(page, report)),
        ("Your code beside the reference: - yours, + reference", _code(page, report)),
        ("Follow-up questions", _questions(page, report)),
        ("Your interviews", _trend(page, report)),
        ("Practise next", _advice(page, report)),
    ):
        if block is not None:
            parts += ["", Text(heading, style="bold"), indented(block)]
    parts += ["", indented(_circumstances(page, report))]
    if report.advice:
        parts.append(page.text(f"Next: {report.advice[0].command}", "bold"))
    return Group(*parts)


def _head(page: Page, report: Report) -> Iterator[RenderableType]:
    good = words.outcome(report) == "pass"
    mark = Text("✓ PASS" if good else "✗ FAIL", style=GOOD if good else BAD)
    yield Text.assemble(mark, "  ", page.text(words.headline(report), "bold"))
    about = [f"interview {report.session}", words.date(report.begun), words.setting(report)]
    about += ["with an interviewer"] if report.interviewer else []
    yield indented(page.text(", ".join(about)))
    for remark in report.remarks:
        yield indented(page.text(remark, "bold"))
    yield indented(page.text(", ".join(f"{label} {value}" for label, value in words.facts(report))))
    for credit in report.credits:
        why = f": {credit.why}" if credit.why else ""
        yield indented(page.text(f"{words.span(int(credit.seconds))} given back at {words.clock(credit.at)}{why}"))


def _kata(page: Page, report: Report, kata: KataReport) -> Iterator[RenderableType]:
    yield page.text(kata.title if len(report.katas) == 1 else f"{kata.title} (round {kata.round + 1})", "bold")
    if not kata.results:
        yield indented(Text("Nothing was handed in."))
        return
    yield indented(_results(page, kata))
    yield indented(page.text(words.help_taken(kata)))
    for result in kata.results:
        if result.remark:
            yield indented(page.text(result.remark))
    if milestones := words.more_milestones(report, kata):
        yield indented(page.text(", ".join(f"{label} {value}" for label, value in milestones)))
    if kata.untouched:
        yield indented(page.text(words.NOTHING_WRITTEN, "bold"))
    for line in words.speeds(kata.last):
        yield indented(page.text(line))
    wrong = wrong_results(kata)
    for each in wrong:
        yield from _wrong(page, each, several=len(wrong) > 1)
    if kata.mended:
        yield ""
        yield indented(Text("Mistakes on the way", style="bold"))
    for mistake in kata.mended:
        name = f" ({mistake.diagnosis.id})" if mistake.diagnosis.id else ""
        yield indented(indented(page.text(f"{mistake.diagnosis.explanation}{name}")))
        found = f", smallest input: {mistake.example.call}" if mistake.example is not None else ""
        yield indented(indented(page.text(f"{when(mistake)}{found}")))


def _results(page: Page, kata: KataReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("properties", no_wrap=True)
    room = (page.width - INDENT - 12) // max(len(kata.results), 1) - 2
    for result in kata.results:
        table.add_column(result.label, max_width=max(12, room))
    for category, cells in words.categories(kata):
        texts = [Text.assemble((sign, _STYLES.get(sign, "")), " ", page.text(text)) for sign, text in cells]
        table.add_row(page.text(category), *texts, style="bold" if category == "all" else "")
    return table


def _wrong(page: Page, result: Result, *, several: bool) -> Iterator[RenderableType]:
    """What was wrong with one result."""
    verdict = result.verdict
    if verdict is None:
        return
    if several:
        yield ""
        yield indented(page.text(f"What was wrong {result.label}:", "bold"))
    if verdict.outcome not in ("pass", "fail") and verdict.reason:
        yield indented(page.text(verdict.reason))
    if verdict.diagnosis is not None:
        yield ""
        yield indented(diagnosis(page, verdict.diagnosis))
    block = failure(Page(page.width - INDENT, page.ascii_only), verdict)
    if block is not None:
        yield ""
        yield indented(block)


def _phases(page: Page, report: Report) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    for number in range(5):
        table.add_column(no_wrap=number < 4, justify="right" if number in (2, 3) else "left")
    cells = 24 if page.width >= WIDE else 12
    longest = max((max(each.seconds + each.overtime, each.budget) for each in report.phases), default=0.0) or 1.0
    for each in report.phases:
        total = each.seconds + each.overtime
        note = words.over_budget(total, each.budget)
        table.add_row(
            words.phase_label(report, each.round, each.title.partition(" ")[0]),
            _bar(each, longest, cells),
            words.clock(total),
            f"of {words.clock(each.budget)}",
            note if page.width >= WIDE else "",
        )
    return table


def _bar(each: PhaseTime, longest: float, cells: int) -> str:
    """What was spent, with a mark where the budget ends."""
    filled = round((each.seconds + each.overtime) / longest * cells)
    mark = min(round(each.budget / longest * cells), cells)
    bar = ("█" * filled).ljust(cells, "░")
    return f"{bar[:mark]}│{bar[mark:]}"


def _timeline(page: Page, report: Report) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, justify="right")
    table.add_column(overflow="fold")
    entries, left_out = words.shown_entries(report.entries, ENTRIES)
    for entry in entries:
        mark = {"pass": Text("✓ ", "green"), "fail": Text("✗ ", BAD)}.get(entry.mark, Text(""))
        until = "" if entry.until is None else f" until {words.clock(entry.until)}"
        where = f"{entry.kata}: " if report.names_kata(entry) else ""
        table.add_row(words.clock(entry.at), mark.append_text(page.text(where + entry.text + until)))
    if left_out:
        table.add_row("", Text(f"{left_out} more in --format json"))
    return table


def _interviewer(page: Page, report: Report) -> RenderableType | None:
    if not report.marks and not report.notes:
        return None
    parts: list[RenderableType] = []
    for mark in report.marks:
        line = page.text(f"{mark.title}: {mark.value} of {mark.out_of}", "bold")
        parts.append(line.append_text(page.text(f"  {mark.anchor}", "not bold")) if mark.anchor else line)
    for note in report.notes:
        about = ", ".join(filter(None, (note.by, note.kata)))
        parts.append(page.text(f"{words.clock(note.at)} {about}"))
        parts.append(page.boxed(page.lines(note.text)[:ANSWER_LINES]))
    return Group(*parts)


def _questions(page: Page, report: Report) -> RenderableType | None:
    """What was asked. The others have their model answers in the longer formats."""
    questions = [question for kata in report.katas for question in kata.questions]
    parts: list[RenderableType] = []
    for question in questions:
        if question.answer is not None or question.skipped:
            parts += ["", *_question(page, question)] if parts else [*_question(page, question)]
    others = sum(question.answer is None and not question.skipped for question in questions)
    if others:
        more = f"{amount(others, 'question')} not asked; with model answers in --format html"
        parts += [*([""] if parts else []), Text(more)]
    return Group(*parts) if parts else None


def _question(page: Page, question: FollowUp) -> Iterator[RenderableType]:
    from grader.render.overview import paragraphs

    yield page.text(question.title, "bold")
    if question.answer is None:
        yield Text("You skipped it." if question.skipped else "Not answered.")
    else:
        yield Text("Your answer:")
        lines = page.lines(question.answer)
        yield Page(page.width - INDENT, page.ascii_only).boxed(lines[:ANSWER_LINES])
        if len(lines) > ANSWER_LINES:
            yield Text(f"({amount(len(lines) - ANSWER_LINES, 'more line')} in --format html)")
    if question.model:
        yield Text("Model answer:")
        yield from paragraphs(question.model)
    if question.strong:
        yield page.text(f"A strong answer mentions: {'; '.join(question.strong)}.")


def _code(page: Page, report: Report) -> RenderableType:
    parts: list[RenderableType] = []
    for kata in report.katas:
        if len(report.katas) > 1:
            parts.append(page.text(kata.title, "bold"))
        if not kata.diff:
            parts.append(Text(words.no_diff(kata)))
            parts += _shortened([line for text in page.lines(kata.reference) for line in _line(page, "  ", text)])
            continue
        parts += _shortened(list(diff_lines(page, kata.diff)))
    return Group(*parts)


def _shortened(lines: list[Text]) -> list[Text]:
    more = len(lines) - DIFF_LINES
    return [*lines[:DIFF_LINES], *([Text(f"({amount(more, 'more line')} in --format html)")] if more > 0 else [])]


def diff_lines(page: Page, rows: tuple[DiffRow, ...]) -> Iterator[Text]:
    """A comparison line by line: first what is yours, then what is the reference's, as long as they differ."""
    waiting: list[Text] = []
    for row in rows:
        if row.kind in ("same", "gap"):
            yield from waiting
            waiting.clear()
            yield from _line(page, "  ", row.yours_text if row.kind == "same" else f"… {words.gap(row.skipped)}")
            continue
        if row.yours is not None:
            yield from _line(page, "- ", row.yours_text, "magenta")
        if row.reference is not None:
            waiting += _line(page, "+ ", row.reference_text, "green")
    yield from waiting


def _line(page: Page, sign: str, text: str, style: str = "") -> Iterator[Text]:
    """A line of code, folded where it is too long: no piece of code is cut away."""
    pieces = fold((page.lines(text) or [""])[0], page.width - INDENT - len(sign))
    for at, piece in enumerate(pieces):
        yield Text((sign if at == 0 else " " * len(sign)) + piece, style=style, no_wrap=True, overflow="ignore")


def _trend(page: Page, report: Report) -> RenderableType | None:
    if len(report.trend) < 2:
        return None
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    names = ("N", "date", "passed", "properties", "first green", "hints")
    rows = [
        (
            str(point.session),
            f"{point.time:%Y-%m-%d}",
            f"{point.passed} of {len(point.katas)}",
            words.share(point),
            words.moment(point.first_green),
            str(point.hints),
        )
        for point in report.trend
    ]
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        width = max(map(len, (name, *cells)))  # its own, whatever the katas would like to have
        table.add_column(name, no_wrap=True, min_width=width, justify="left" if name == "date" else "right")
    if page.width >= WIDE:
        table.add_column("katas")
    for point, row in zip(report.trend, rows, strict=True):
        note = words.trend_note(point)
        katas = [page.text(words.names(point) + (f" ({note})" if note else ""))] if page.width >= WIDE else []
        table.add_row(*map(Text, row), *katas)
    return table


def _advice(page: Page, report: Report) -> RenderableType | None:
    if not report.advice:
        return None
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for advice in report.advice:
        table.add_row(page.text(advice.kata, "bold"), page.text(advice.reason))
        table.add_row("", page.text(advice.command))
    return table


def _circumstances(page: Page, report: Report) -> Text:
    """What a rerun needs, and on what machine it was."""
    facts = [f"katas drawn with seed {report.seed}" if report.drawn else "katas chosen"]
    for kata in report.katas:
        if kata.last is not None and kata.last.verdict is not None:
            facts.append(f"{kata.id} graded with seed {kata.last.verdict.seed}")
    facts += [f"{name} {value}" for name, value in report.environment]
    return page.text(", ".join(facts))
