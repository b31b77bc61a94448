"""`kata interview report`: collect what the journal knows about a session, and show it in one of four formats.

Thin: the report is made by `build` and shown by `render.report_*`. A session may have come from a stranger by
`kata import`, so whatever its events do to the pure functions ends in a sentence, not in a traceback.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.desk import Desk
from grader.errors import GraderError, KataError, UsageError
from grader.ranges import WholeRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.interview.model import Interview
    from grader.journal.events import Session
    from grader.questions import Question
    from grader.report.model import Report
    from grader.verdict import Verdict

FORMATS = {"terminal": "", "markdown": ".md", "html": ".html", "json": ".json"}
STRANGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What a stranger's events can raise in code that believes them."""


@click.command(short_help="Show the report of an interview.")
@click.argument("number", metavar="[N]", type=WholeRange(1), required=False)
@click.option(
    "--format",
    "format",
    type=click.Choice(tuple(FORMATS)),
    help="How [default: as the name of --output says, else terminal].",
)
@click.option("--output", metavar="FILE", help="Write it into FILE; a file that is there is never overwritten.")
@click.pass_obj
def report(desk: Desk, number: int | None, format: str | None, output: str | None) -> None:
    """Show the report of interview N (default: the last one that has ended).

    It tells the reference and the model answers, so it opens when the interview is over.
    """
    format = format or _format_of(output)
    interview = find(desk, number)
    made = make(desk, interview)
    if format == "html" and output is None and desk.output.look.terminal:
        output = f"interview-{interview.id}.html"  # nobody reads HTML in a terminal
    if output is None:
        _print(desk, made, format)
        return
    from grader.workspace import write_new

    path = desk.folder / output
    text = _document(desk, made, format)
    with write_new(path) as stream:
        stream.write(text)
    desk.output.write_path(path)
    if format == "html":
        desk.output.say("Next: open it in a browser; it is one file, whole in itself.")


def show_report(desk: Desk, session: int) -> None:
    """Show the report at the end of a session. Says what is wrong instead of failing."""
    try:
        _print(desk, make(desk, find(desk, session)), "terminal")
    except KataError as error:
        desk.output.warn(error.message)


def find(desk: Desk, number: int | None) -> Interview:
    """Interview N, or the last one that has ended. UsageError while it is still going on."""
    from grader.interview.model import KIND

    sessions = desk.journal.sessions(KIND)
    if number is not None:
        session = next((each for each in sessions if each.id == number), None)
        if session is None:
            raise UsageError(f"there is no interview {number}", "kata interview list")
        interview = _rebuilt(desk, session)
        if interview.ended is None:
            raise UsageError(f"interview {number} is still going on", "kata interview finish")
        return interview
    for session in reversed(sessions):
        interview_or_none = _rebuilt_or_none(desk, session)
        if interview_or_none is not None and interview_or_none.ended is not None:
            return interview_or_none
    if sessions:
        raise UsageError("no interview has ended yet", "kata interview finish")
    raise UsageError("there was no interview yet", "kata interview")


def make(desk: Desk, interview: Interview) -> Report:
    """The report of a session that has ended."""
    from grader.interview.model import KIND
    from grader.journal.events import utc_now
    from grader.report import build as report_build
    from grader.report.outside import KINDS, while_it_ran

    try:
        wanted = report_build.wanted(interview)
        katas = [kata for kata in interview.plan.katas if kata in desk.katas]
        material = report_build.Material(
            interview=interview,
            now=utc_now().astimezone(),
            earlier=_earlier(desk, desk.journal.sessions(KIND), interview),
            catalogue=desk.katas,
            references={kata: text for kata in katas if (text := _reference(desk, kata)) is not None},
            questions={kata: _questions(desk, kata) for kata in katas},
            progress=desk.journal.progress(),
            verdicts={id: verdict for id in wanted.grades if (verdict := _verdict(desk, id)) is not None},
            outside=while_it_ran(interview, desk.journal.events(kinds=KINDS)),
            sources={digest: text for digest in wanted.sources if (text := source_text(desk, digest)) is not None},
        )
        return report_build.build(material)
    except STRANGE as error:
        raise _strange(interview.id, error) from error


def _format_of(output: str | None) -> str:
    suffix = "" if output is None else Path(output).suffix
    return next((format for format, end in FORMATS.items() if end and end == suffix), "terminal")


def _print(desk: Desk, made: Report, format: str) -> None:
    if format == "terminal":
        from grader.render.page import Page
        from grader.render.report_terminal import screen

        page = Page(desk.output.look.width, ascii_only=not desk.output.look.unicode)
        desk.output.show(screen(page, made))
    else:
        desk.output.write(_document(desk, made, format))


def _document(desk: Desk, made: Report, format: str) -> str:
    if format == "html":
        from grader.render.report_html import html_report

        return html_report(made)
    if format == "markdown":
        from grader.render.report_markdown import markdown_report

        return markdown_report(made)
    if format == "json":
        from grader.render.jsonout import dumps
        from grader.render.report_json import report_document

        return dumps(report_document(made))
    from io import BytesIO, TextIOWrapper

    from grader.output import Output
    from grader.render.page import Page
    from grader.render.report_terminal import screen

    kept = BytesIO()
    stream = TextIOWrapper(kept, encoding="utf-8", newline="\n")
    plain = Output(stream, stream, {"NO_COLOR": "1", "COLUMNS": str(desk.output.look.width)})
    plain.show(screen(Page(plain.look.width), made))
    plain.flush()
    return kept.getvalue().decode()


def _rebuilt(desk: Desk, session: Session) -> Interview:
    from grader.interview.model import rebuild

    try:
        return rebuild(session, desk.journal.events(session=session.id))
    except STRANGE as error:
        raise _strange(session.id, error) from error


def _rebuilt_or_none(desk: Desk, session: Session) -> Interview | None:
    try:
        return _rebuilt(desk, session)
    except UsageError:
        return None


def _strange(session: int, error: Exception) -> UsageError:
    return UsageError(
        f"interview {session} cannot be read: it is of a newer torch-kata, or damaged ({error})", "kata interview list"
    )


def _earlier(desk: Desk, sessions: Sequence[Session], interview: Interview) -> list[Interview]:
    """The sessions before this one that have ended and can be read, oldest first."""
    from grader.report.advice import trend_point
    from grader.report.build import EARLIER

    found: list[Interview] = []
    before = [each for each in sessions if (each.started, each.id) < (interview.session.started, interview.id)]
    for session in sorted(before, key=lambda each: (each.started, each.id), reverse=True):
        if len(found) == EARLIER:
            break
        earlier = _rebuilt_or_none(desk, session)
        if earlier is None or earlier.ended is None:
            continue
        with suppress(*STRANGE):  # a stranger's session must not spoil the report of one's own
            trend_point(earlier)
            found.append(earlier)
    return found[::-1]


def _reference(desk: Desk, kata: str) -> str | None:
    try:
        return desk.katas[kata].solution
    except GraderError:
        return None


def _questions(desk: Desk, kata: str) -> tuple[Question, ...]:
    from grader.questions import read_questions

    try:
        return read_questions((desk.katas[kata].folder / "questions.md").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return ()


def _verdict(desk: Desk, event: int) -> Verdict | None:
    """The verdict of a grade; None where it is lost, or built so that it cannot be shown."""
    from grader.render.failure import failure
    from grader.render.page import Page
    from grader.render.report_fault import counterexample
    from grader.verdict_json import verdict_of

    document = desk.journal.verdict(event)
    try:
        if document is None:
            return None
        verdict = verdict_of(document)
        failure(Page(80), verdict)
        for result in verdict.properties:
            if result.counterexample is not None:
                list(counterexample(result.counterexample))
        return verdict
    except STRANGE:
        return None


def source_text(desk: Desk, digest: str) -> str | None:
    """A kept source as text, whatever its bytes."""
    from grader.submission import decode_source

    source = desk.journal.source(digest)
    return None if source is None else decode_source(source)
