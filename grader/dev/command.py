"""`kata dev`: the tools for authors of katas. Thin Click commands; what they need is imported when one runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.desk import Desk
from grader.errors import GraderError, UsageError

if TYPE_CHECKING:
    from grader.dev.finding import Report


@click.group(invoke_without_command=True, short_help="For authors: check katas, write new ones.")
@click.pass_context
def dev(context: click.Context) -> None:
    """For authors of katas: write a new one, and check that it is complete, right and strict."""
    if context.invoked_subcommand is None:
        desk: Desk = context.obj
        desk.output.write(context.get_help() + "\n")


@dev.command(short_help="Check katas and say what to mend.")
@click.argument("path", required=False)
@click.option("--fast", is_flag=True, help="Do not grade the known mistakes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def check(context: click.Context, path: str | None, fast: bool, as_json: bool) -> None:
    """Check the katas at PATH: a kata's folder, a pack (a folder with katas/ and reference/) or a kata's id.

    Without PATH, all katas that are known here. The reference must hold every property in each dtype, the stub must
    fail, and every known mistake must die by the property that it names and be recognised. This runs the code of the
    katas without any isolation. Exit code: 0 nothing to mend, 1 something.
    """
    from grader.dev.check import check_kata, find_folders, neighbours
    from grader.workspace import quote

    desk: Desk = context.obj
    roots = desk.roots
    folders = find_folders(path, desk.folder, roots)
    others = neighbours([*find_folders(None, desk.folder, roots), *folders])
    from grader.host import prestart

    prestart()  # torch loads over there while the files are read here
    reports: list[Report] = []
    width = max(len(folder.name) for folder in folders)
    for folder in folders:
        try:
            reports.append(check_kata(folder, others, fast=fast, progress=desk.output.progress))
        except ImportError as error:
            if (error.name or "grader").partition(".")[0] == "grader":
                raise  # a bug of ours, not of the installation
            raise GraderError(f"cannot import {error.name}: {error}", "kata doctor") from error
        if not as_json:
            _show(desk, reports[-1], width)
    if as_json:
        from grader.render.dev import report_document
        from grader.render.jsonout import dumps

        desk.output.write(dumps(report_document(reports)))
    elif any(report.findings for report in reports):
        again = " ".join([desk.command, "dev check", *([quote(path)] if path else [])])
        desk.output.say(f"Next: mend this, then {again}")
    context.exit(1 if any(report.findings for report in reports) else 0)


def _show(desk: Desk, report: Report, width: int) -> None:
    from grader.render.dev import report_screen
    from grader.render.page import Page

    page = Page(desk.output.look.width, ascii_only=not desk.output.look.unicode)
    desk.output.show(report_screen(page, report, width))
    desk.output.flush()


@dev.command(short_help="Write a small kata that works, to make yours of.")
@click.argument("id")
@click.option("--into", metavar="DIR", default=".", help="The pack to write into [default: this folder].")
@click.pass_context
def new(context: click.Context, id: str, into: str) -> None:
    """Write the kata ID into a pack: DIR/katas/ID/ and DIR/reference/ID.py.

    It is a tiny kata that works. Each file says in lines with BLANK what to put in its place, and `kata dev check` lists
    those that are left. Nothing is overwritten: where the kata is there already the exit code is 1.
    """
    from grader.catalog import normalise
    from grader.dev.new import new_kata
    from grader.workspace import quote

    desk: Desk = context.obj
    id = normalise(id)
    pack = desk.folder / into
    if id in desk.katas:
        raise UsageError(f"there is a kata {id} already: {desk.katas[id].folder}", "choose another id")
    try:
        folder = new_kata(id, pack)
    except FileExistsError as error:
        desk.output.error(f"{error} is there already and is left as it is", "choose another id")
        context.exit(1)
    shown = folder.relative_to(desk.folder) if folder.is_relative_to(desk.folder) else folder
    desk.output.write_path(folder)
    desk.output.say(f"Next: fill the blanks that this lists: kata dev check {quote(str(shown))}")
    if pack.resolve() not in [root.resolve() for root in desk.roots]:
        desk.output.say(f"To practise it: kata --katas {quote(into)} start {id}")
