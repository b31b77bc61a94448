"""A report as Markdown, for an issue, a pull request or a file of notes; plain CommonMark and GitHub's tables.

Text from outside the grader is made visible (`render.text`) and every sign that means something to Markdown or HTML is
escaped; code stands in fences that are longer than any run of backticks in it. Model answers are ours and stay Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from grader.render import report_text as words
from grader.render.report_fault import example_of, faults, when
from grader.render.text import amount, printable, printable_lines
from grader.report.kata_model import DiffRow, FollowUp, KataReport
from grader.report.model import Report

ENTRIES = 120  # lines of the timeline
LONGEST = 5000  # characters of a text in one piece
_SPECIAL = re.compile(r"([\\`*_\[\]#|~$])")
_AT_THE_START = re.compile(r"^[-+=>]|^\d+(?=[.)])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", "@": "&#64;\u2060"}  # the last keeps GitHub from calling somebody


def markdown_report(report: Report) -> str:
    """The whole document."""
    blocks: list[str] = [*_head(report)]
    for kata in report.katas:
        blocks += _kata(report, kata)
    blocks += ["## Time in each phase", _phases(report), "## Practise next", *_advice(report)]
    blocks += _trend(report)
    blocks += _interviewer(report)
    blocks += ["## Your code beside the reference", *_code(report)]
    blocks += _questions(report)
    blocks += ["## Timeline", *_timeline(report), "## Environment", _environment(report)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def escaped(text: str) -> str:
    """Text from anywhere on one line, of which Markdown and HTML understand nothing."""
    text = printable(text if len(text) <= LONGEST else text[:LONGEST] + "…")
    text = _SPECIAL.sub(r"\\\1", text)
    for sign, entity in _ENTITIES.items():
        text = text.replace(sign, entity)
    bare = text.lstrip(" ")  # four spaces would begin a block of code
    indent = "&nbsp;" * (len(text) - len(bare))
    return indent + _AT_THE_START.sub(lambda sign: f"{sign[0]}\\" if sign[0].isdigit() else f"\\{sign[0]}", bare)


def fenced(text: str, language: str = "text") -> str:
    """Code from anywhere, in a fence that nothing in it can close."""
    text = text if len(text) <= 20 * LONGEST else text[: 20 * LONGEST] + "\n…"
    body = "\n".join(printable_lines(text))
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _quoted(text: str) -> str:
    """An answer or a note: a quotation, line by line as it was written."""
    lines = printable_lines(text if len(text) <= LONGEST else text[:LONGEST] + "…")
    return "\n".join(f"> {escaped(line)}\\" if line.strip() else ">" for line in lines).removesuffix("\\")


def _head(report: Report) -> Iterator[str]:
    mark = "✓" if words.outcome(report) == "pass" else "✗"
    yield f"# {mark} {escaped(words.headline(report))}"
    about = f"Mock interview {report.session}, {words.date(report.begun)}, {escaped(words.setting(report))}"
    yield about + (", with an interviewer." if report.interviewer else ".")
    if report.remarks:
        yield "\n".join(f"> **{escaped(remark)}**" for remark in report.remarks)
    yield _table([label for label, _ in words.facts(report)], [[escaped(value) for _, value in words.facts(report)]])
    if report.credits:
        given = [f"- {words.span(int(c.seconds))} at {words.clock(c.at)}: {escaped(c.why)}" for c in report.credits]
        yield "Time given back for faults of ours:"
        yield "\n".join(given)


def _kata(report: Report, kata: KataReport) -> Iterator[str]:
    where = f", round {kata.round + 1}" if len(report.rounds) > 1 else ""
    yield f"## {escaped(kata.title)}{where}"
    if not kata.results:
        yield "Nothing was handed in."
        return
    head = ["required properties", *(escaped(result.label) for result in kata.results)]
    rows = [
        [escaped(category), *(f"{sign} {escaped(text)}".strip() for sign, text in cells)]
        for category, cells in words.categories(kata)
    ]
    yield _table(head, rows)
    remarks = [words.help_taken(kata), *(result.remark for result in kata.results if result.remark)]
    yield escaped(" ".join(remarks))
    if milestones := words.more_milestones(report, kata):
        yield escaped(", ".join(f"{label} {value}" for label, value in milestones) + ".")
    if kata.untouched:
        yield f"**{words.NOTHING_WRITTEN}**"
    if speeds := words.speeds(kata.last):
        yield "\n".join(f"- {escaped(line)}" for line in speeds)
    for fault in faults(kata):
        if fault.heading:
            yield f"### {escaped(fault.heading)}"
        for each in fault.diagnoses:
            name = f" ({escaped(each.id)})" if each.id else ""
            yield f"**{escaped(each.explanation)}**{name}"
            facts = (("Fix", each.fix), ("Evidence", each.evidence))
            yield "  \n".join(f"{name}: {escaped(text)}" for name, text in facts if text)
        if fault.reason:
            yield escaped(fault.reason)
        if fault.laws:
            yield "\n".join(f"- **{escaped(law.id)}**: {escaped(law.description)}" for law in fault.laws)
        if fault.example:
            yield f"Smallest failing input{f' of {escaped(fault.law)}' if fault.law else ''}:"
            yield fenced(fault.example)
    if kata.mended:
        yield "### Mistakes on the way"
    for mistake in kata.mended:
        name = f" ({escaped(mistake.diagnosis.id)})" if mistake.diagnosis.id else ""
        yield f"**{escaped(mistake.diagnosis.explanation)}**{name}, {when(mistake)}"
        if mistake.diagnosis.fix:
            yield f"The fix: {escaped(mistake.diagnosis.fix)}"
        if mistake.example is not None:
            yield fenced(example_of(mistake))


def _phases(report: Report) -> str:
    rows = []
    for each in report.phases:
        total = each.seconds + each.overtime
        label = words.phase_label(report, each.round, each.title)
        rows.append([label, words.clock(total), words.clock(each.budget), words.over_budget(total, each.budget)])
    return _table(["phase", "spent", "budget", ""], rows)


def _advice(report: Report) -> Iterator[str]:
    if not report.advice:
        yield "No kata is here to recommend."
        return
    lines = [
        f"{number}. **{escaped(each.title)}**: {escaped(each.reason)} (`{printable(each.command)}`)"
        for number, each in enumerate(report.advice, start=1)
    ]
    yield "\n".join(lines)


def _trend(report: Report) -> Iterator[str]:
    if len(report.trend) < 2:
        return
    yield "## Your interviews"
    rows = [
        [
            str(point.session),
            f"{point.time:%Y-%m-%d}",
            escaped(words.names(point)),
            f"{point.passed} of {len(point.katas)}",
            words.share(point),
            words.moment(point.first_green),
            str(point.hints),
            words.trend_note(point),
        ]
        for point in report.trend
    ]
    yield _table(["N", "date", "katas", "passed", "properties", "first green", "hints", ""], rows)


def _interviewer(report: Report) -> Iterator[str]:
    if not report.marks and not report.notes:
        return
    yield "## Marks and notes"
    if report.marks:
        rows = [[escaped(m.title), f"{m.value} of {m.out_of}", escaped(m.anchor)] for m in report.marks]
        yield _table(["dimension", "mark", "what it means"], rows)
    for note in report.notes:
        about = ", ".join(escaped(part) for part in (note.by, note.kata) if part)
        yield f"{words.clock(note.at)} {about}".strip()
        yield _quoted(note.text)


def _questions(report: Report) -> Iterator[str]:
    if not any(kata.questions for kata in report.katas):
        return
    yield "## Follow-up questions"
    for kata in report.katas:
        for question in kata.questions:
            yield from _question(question)


def _question(question: FollowUp) -> Iterator[str]:
    yield f"### {question.title if question.known else escaped(question.title)}"
    if question.answer is None:
        yield "You skipped it." if question.skipped else "Not answered."
    else:
        yield "Your answer:"
        yield _quoted(question.answer)
    if question.model:
        yield "Model answer:"
        yield question.model
    if question.strong:
        yield f"A strong answer mentions: {'; '.join(question.strong)}."


def _code(report: Report) -> Iterator[str]:
    for kata in report.katas:
        if len(report.katas) > 1:
            yield f"### {escaped(kata.title)}"
        if not kata.diff:
            yield words.no_diff(kata)
            if kata.reference:
                yield fenced(kata.reference.rstrip("\n"), "python")
            continue
        yield fenced("\n".join(["--- yours", "+++ reference", *_diff(kata.diff)]), "diff")


def _diff(rows: Sequence[DiffRow]) -> Iterator[str]:
    waiting: list[str] = []
    for row in rows:
        if row.kind in ("same", "gap"):
            yield from waiting
            waiting.clear()
            yield f" {row.yours_text}" if row.kind == "same" else f"@@ {words.gap(row.skipped)} @@"
            continue
        if row.yours is not None:
            yield f"-{row.yours_text}"
        if row.reference is not None:
            waiting.append(f"+{row.reference_text}")
    yield from waiting


def _timeline(report: Report) -> Iterator[str]:
    entries, left_out = words.shown_entries(report.entries, ENTRIES)
    rows = []
    for entry in entries:
        mark = {"pass": "✓ ", "fail": "✗ "}.get(entry.mark, "")
        until = "" if entry.until is None else f" until {words.clock(entry.until)}"
        rows.append([words.clock(entry.at), escaped(entry.kata), mark + escaped(entry.text) + until])
    yield _table(["at", "kata", "what"], rows)
    if left_out:
        yield f"{amount(left_out, 'more line is', 'more lines are')} in the JSON report."


def _environment(report: Report) -> str:
    facts = [("katas", f"drawn with seed {report.seed}" if report.drawn else "chosen"), *report.environment]
    for kata in report.katas:
        if kata.last is not None and kata.last.verdict is not None:
            facts.append((kata.id, f"graded with seed {kata.last.verdict.seed}, device {kata.last.verdict.device}"))
    return "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in facts)
