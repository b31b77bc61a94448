"""`kata history`, `kata restore`, `kata export` and `kata import`: the journal, looked at, taken back from and moved.

Thin Click commands. The paths in a journal are only shown: what is restored goes into this folder, or where the user says.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.desk import Desk
from grader.errors import KataError, UsageError
from grader.ranges import WholeRange
from grader.render.text import amount

if TYPE_CHECKING:
    from grader.journal.events import Event
    from grader.render.history import Moment, Row
    from grader.render.page import Page

LIMIT = 20


class History(click.Group):
    """`kata history KATA` is `kata history list KATA`, and `kata history 12` is `kata history show 12`."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if args and args[0].isdecimal():
            args = ["show", *args]
        elif not args or (args[0] not in self.commands and args[0] not in context.help_option_names):
            args = ["list", *args]
        return super().parse_args(context, args)


@click.group(
    cls=History, short_help="List your attempts; show one again.", subcommand_metavar="[list] [KATA] | show [N]"
)
def history() -> None:
    """List your attempts, or show one as it was.

    kata history [KATA] lists attempts with their numbers (--limit N, --all for starts, hints and saves too, --json), and
    kata history show N shows source and verdict of one (--source, --json).
    """


@history.command("list", short_help="List the attempts, the newest last.")
@click.argument("kata", required=False)
@click.option("--limit", type=WholeRange(0), help=f"How many, 0 for all [default: {LIMIT}, with --json all].")
@click.option("--all", "everything", is_flag=True, help="Starts, hints, saves and all else too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_obj
def list_events(desk: Desk, kata: str | None, *, limit: int | None, everything: bool, as_json: bool) -> None:
    """List the attempts at KATA (default: at all katas), the newest last."""
    from rich.text import Text

    from grader.interview.beside import is_kept_back
    from grader.render import history as view

    id = None if kata is None else _kata_of_journal(desk, kata)
    events = desk.journal.events(kata=id, kinds=() if everything else ("grade", "hint"))
    hidden = is_kept_back(desk.journal)
    rows = [row for row in view.rows_of(events) if everything or row.event.kind == "grade"]
    rows = [row for row in rows if hidden is None or row.event.kind != "grade" or row.event.session != hidden]
    count = len(rows)
    limit = (0 if as_json else LIMIT) if limit is None else limit
    rows = rows[-limit:] if limit else rows
    if as_json:
        from grader.render.jsonout import dumps, plain

        desk.output.write(dumps(plain({"schema_version": 1, "events": [view.document(row) for row in rows]})))
        return
    if not rows:
        what = "No attempts yet" if id is None else f"No attempts at {id} yet"
        desk.output.show(Text(f"{what}."), Text("Next: kata grade, after kata start KATA", style="bold"))
        return
    page = _page(desk)
    narrow = replace(page, width=min(page.width, desk.output.columns))  # a table, unlike a text, cannot be wrapped
    desk.output.show(view.table(narrow, rows, _moment(desk)))
    if len(rows) < count:
        desk.output.say(f"The last {len(rows)} of {count}; --limit 0 shows all.")
    last = next((row.event for row in reversed(rows) if row.event.source and row.event.has_verdict), None)
    if last is not None:
        desk.output.say(f"Next: kata history show {last.id}, or kata restore {last.id}")


@history.command("show", short_help="Show source and verdict of one attempt.")
@click.argument("number", metavar="N", type=WholeRange(1), required=False)
@click.option("--source", "only_source", is_flag=True, help="Print the source and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_obj
def show_event(desk: Desk, number: int | None, *, only_source: bool, as_json: bool) -> None:
    """Show source and verdict of attempt N (default: the last one), as they were."""
    from grader.interview.beside import refuse_verdict
    from grader.render import history as view

    row = _row(desk, number)
    if not only_source:
        refuse_verdict(desk.journal, row.event)
    source = None if row.event.source is None else desk.journal.source(row.event.source)
    if only_source:
        if source is None:
            raise _without_source(row.event)
        desk.output.write_source(source)
    elif as_json:
        from grader.render.jsonout import dumps, plain

        text = None if source is None else source.decode("utf-8", "backslashreplace")
        verdict = desk.journal.verdict(row.event.id)
        desk.output.write(dumps(plain({"schema_version": 1, **view.document(row), "text": text, "verdict": verdict})))
    else:
        _show(desk, row, source)


def _show(desk: Desk, row: Row, source: bytes | None) -> None:
    from rich.text import Text

    from grader.render import history as view
    from grader.submission import decode_source

    page, event = _page(desk), row.event
    desk.output.show(view.heading(page, row, _moment(desk)))
    if source is not None:
        desk.output.show(Text(""), view.source(page, page.lines(decode_source(source))))
    elif event.kind == "grade":
        desk.output.show(Text("The source was not kept."))
    verdict = desk.journal.verdict(event.id)
    if verdict is not None:
        _show_verdict(desk, page, verdict)
    elif event.kind == "grade":
        desk.output.show(view.outcome(page, event), Text("Of the verdict no more was kept."))
    elif event.data:
        from grader.render.jsonout import dumps, plain

        desk.output.show(Text(""), page.boxed(page.lines(dumps(plain(dict(event.data))))))
    if source is not None:
        desk.output.say(f"Next: kata restore {event.id} brings it back")


def _show_verdict(desk: Desk, page: Page, document: dict[str, Any]) -> None:
    from rich.text import Text

    from grader.render.terminal import screen
    from grader.verdict_json import verdict_of

    try:
        with desk.output.console.capture():  # a stranger's verdict may be built to trip the renderer: first try it
            desk.output.console.print(screen(page, verdict_of(document)))
        desk.output.show(Text(""), screen(page, verdict_of(document)))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        desk.output.warn(f"the verdict cannot be shown as it was ({error}); --json prints what was kept")


@click.command(short_help="Bring your file of an earlier attempt back.")
@click.argument("number", metavar="N", type=WholeRange(1))
@click.argument("file", required=False)
@click.pass_obj
def restore(desk: Desk, number: int, file: str | None) -> None:
    """Bring the source of attempt N back, into this folder or as FILE.

    The file that is there now is backed up beside it first. kata history lists the numbers.
    """
    from grader import workspace
    from grader.journal.events import utc_now

    event = _row(desk, number).event
    source = None if event.source is None else desk.journal.source(event.source)
    if source is None:
        raise _without_source(event)
    if file is not None:
        path = desk.folder / file
    else:
        kata = desk.katas.get(event.kata)
        if kata is None:
            raise UsageError(f"there is no kata {event.kata} here to name the file", f"kata restore {number} FILE")
        path = desk.folder / kata.file_name
    backup, changed = workspace.restore(path, source, utc_now().astimezone())
    facts = {"from": number, "backup": None if backup is None else backup.name}
    desk.journal.append("restore", event.kata, path.absolute(), facts, source=source)
    desk.output.write_path(path)
    again = f"{desk.command} grade {workspace.quote(file)} --kata {event.kata}" if file else f"{desk.command} grade"
    if not changed:
        desk.output.say(f"{path.name} is that of attempt {number} already; it is left as it is.", f"Next: {again}")
        return
    kept = [f"Your file is kept as {backup.name}"] if backup is not None else []
    elsewhere = file is not None and event.kata in desk.katas and path.name != desk.katas[event.kata].file_name
    moved = [f"From now on, kata grade without a name grades {path.name} here."] if elsewhere else []
    desk.output.say(f"Attempt {number} is back.", *kept, *moved, f"Next: {again}")


@click.command(short_help="Write the journal as JSON Lines.")
@click.argument("file", required=False)
@click.pass_obj
def export(desk: Desk, file: str | None) -> None:
    """Write the whole journal into FILE, to import it on another machine; into a pipe without FILE, or where it is "-".

    It holds your sources. A file that is there is never overwritten.
    """
    from grader.journal import exchange

    if file is None and desk.output.look.terminal:
        raise UsageError(
            "the whole journal would run over this screen", f"{desk.command} export FILE, or {desk.command} export -"
        )
    if file is None or file == "-":
        exchange.export(desk.journal, desk.output.write)
        return
    from grader.workspace import write_new

    path = desk.folder / file
    with write_new(path) as stream:
        events = exchange.export(desk.journal, stream.write)
    desk.output.write_path(path)
    desk.output.say(f"{amount(events, 'event')} written.", f"Next, on the other machine: kata import {path.name}")


@click.command("import", short_help="Add an exported journal to this one.")
@click.argument("file")
@click.pass_obj
def import_journal(desk: Desk, file: str) -> None:
    """Add the events of FILE, which kata export wrote, to the journal; "-" reads stdin.

    Events that are known already are left alone. If a line is wrong, nothing at all is imported.
    """
    from grader.journal import exchange

    try:
        with sys.stdin.buffer if file == "-" else open(desk.folder / file, "rb") as stream:
            lines = iter(lambda: stream.readline(exchange.LONGEST_LINE + 1), b"")
            result = exchange.merge(desk.journal, lines, "stdin" if file == "-" else file)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", "kata export FILE writes a file to import") from None
    known = f"; {amount(result.known, 'event')} known already" if result.known else ""
    sessions = f", {amount(result.sessions, 'session')}" if result.sessions else ""
    desk.output.write(f"{amount(result.events, 'event')} new{sessions}{known}\n")


def _row(desk: Desk, number: int | None) -> Row:
    """The event with this number, or the last grade, and the hints used by then."""
    from grader.render.history import rows_of

    event = None if number is None else desk.journal.event(number)
    if event is None and number is not None:
        raise UsageError(f"there is no attempt {number} in the journal", "kata history")
    kinds = ("grade", "hint")
    rows = rows_of(desk.journal.events(kata=None if event is None else event.kata, kinds=kinds))
    if event is None:
        rows = [row for row in rows if row.event.kind == "grade"]
        if not rows:
            raise UsageError("there are no attempts yet", "kata grade, after kata start KATA")
        return rows[-1]
    return next((row for row in rows if row.event.id == event.id), rows_of([event])[0])


def _without_source(event: Event) -> KataError:
    return UsageError(f"number {event.id} ({event.kind}) holds no source", "kata history shows the others")


def _kata_of_journal(desk: Desk, name: str) -> str:
    """A kata of the catalogue; else one that the journal knows, from a pack that is not here now."""
    from grader.catalog import normalise

    try:
        return desk.kata(name).id
    except UsageError:
        id = normalise(name)
        if desk.journal.events(kata=id):
            return id
        raise


def _page(desk: Desk) -> Page:
    from grader.render.page import Page

    return Page(desk.output.look.width, ascii_only=not desk.output.look.unicode)


def _moment(desk: Desk) -> Moment:
    from grader.journal.events import utc_now
    from grader.render.history import Moment

    try:
        folder = desk.folder
    except UsageError:  # the current folder is gone; the journal is not
        folder = Path(os.sep)
    return Moment(utc_now(), folder, Path(os.path.expanduser("~")))
