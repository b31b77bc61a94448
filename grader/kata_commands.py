"""The commands about one kata, or all of them, that run no code of anybody's: list, show, start, reset, hint, solution, status.

Imported by every `kata` command, so that whatever is slow is imported inside. Nothing here needs torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.completion import complete_kata
from grader.desk import Desk
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.catalog import Kata


@click.command("list", short_help="List the katas, with your state in each.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_obj
def list_katas(desk: Desk, as_json: bool) -> None:
    """List the katas, from easy to hard, with your state in each."""
    from grader.render import overview

    katas, progress = desk.katas.values(), desk.journal.progress()
    if as_json:
        from grader.render.jsonout import dumps

        desk.output.write(dumps({"schema_version": 1, "katas": overview.kata_documents(katas, progress)}))
        return
    desk.output.show(overview.kata_list(katas, progress, desk.output.look.width), overview.next_line(_next(desk)))


def first_screen(desk: Desk) -> None:
    """`kata` alone: where am I, and what next."""
    from grader.interview.beside import describe_running
    from grader.render import overview

    here = desk.current()
    place = None if here is None else (here.kata, here.shown)
    lines = overview.whereabouts(desk.katas, desk.journal.progress(), place, describe_running(desk.journal))
    desk.output.show(*lines, overview.next_line(_next(desk)), "All commands: kata --help")


def _next(desk: Desk) -> str:
    """The command to go on with."""
    from grader.interview.beside import running
    from grader.render.overview import next_command

    if running(desk.journal) is not None:  # whose clock goes on
        return "kata interview resume"
    here = desk.current()
    known = None if here is None else here.kata
    return next_command(desk.katas, desk.journal.progress(), known, desk.command)


@click.command(short_help="Show the brief of a kata.")
@click.argument("kata", required=False, shell_complete=complete_kata)
@click.option("--lang", type=click.Choice(("en", "zh")), default="en", show_default=True, help="Language of the brief.")
@click.pass_obj
def show(desk: Desk, kata: str | None, lang: str) -> None:
    """Show the brief of KATA (default: the kata last started here)."""
    from grader.render.overview import brief

    chosen = desk.kata(kata)
    if lang != "en" and not desk.output.can_write(chosen.brief_in(lang)):
        raise UsageError(
            f"the brief in the language {lang} needs UTF-8, and this output takes {desk.output.encoding}",
            f"{desk.command} show {chosen.id}, or the same with PYTHONIOENCODING=utf-8",
        )
    desk.output.show(brief(chosen, lang, desk.command))


@click.command(short_help="Write a stub into this folder.")
@click.argument("kata", shell_complete=complete_kata)
@click.pass_context
def start(context: click.Context, kata: str) -> None:
    """Write the stub of KATA into this folder and print its path.

    A file that is already there is never overwritten: its path is printed all the same, it becomes the one that
    `kata grade` grades, and the exit code is 1.
    """
    from grader import workspace

    desk: Desk = context.obj
    chosen = desk.kata(kata)
    path, written = workspace.start(chosen, desk.folder)
    desk.journal.append("start", chosen.id, path, {"written": written})
    desk.output.write_path(path)
    if desk.given_packs and chosen.folder.parent.parent in desk.packs:
        desk.output.say(f"Give --katas to the next commands too, or set KATA_PATH to {chosen.folder.parent.parent}")
    if written:
        desk.output.say(
            f"The brief: {desk.command} show {chosen.id}", f"Next: edit {path.name}, then {desk.command} grade"
        )
        return
    desk.output.say(
        f"{path.name} was already here and is left as it is.", f"For a fresh stub: {desk.command} reset {chosen.id}"
    )
    context.exit(1)


@click.command(short_help="Back your file up and start afresh.")
@click.argument("kata", shell_complete=complete_kata)
@click.pass_obj
def reset(desk: Desk, kata: str) -> None:
    """Put a fresh stub of KATA in place, after a backup of your file beside it."""
    from grader import workspace
    from grader.journal.events import utc_now

    chosen = desk.kata(kata)
    path, backup = workspace.reset(chosen, desk.folder, utc_now().astimezone())
    desk.journal.append("reset", chosen.id, path, {"backup": None if backup is None else backup.name})
    desk.output.write_path(path)
    kept = (
        f"Your file is kept as {backup.name}"
        if backup is not None
        else f"There was no {path.name} here; now there is a stub."
    )
    desk.output.say(kept, f"Next: edit {path.name}, then {desk.command} grade")


@click.command(short_help="Show the next of three hints.")
@click.argument("kata", required=False, shell_complete=complete_kata)
@click.pass_obj
def hint(desk: Desk, kata: str | None) -> None:
    """Show the next hint for KATA (default: the kata last started here).

    There are three: a nudge, the idea, and nearly the code. Each call gives one more, and after the third all three.
    """
    from grader.hints import next_hint
    from grader.next_step import solution as solution_command

    chosen = desk.kata(kata)
    hint = next_hint(desk.journal, chosen)
    desk.output.show(*hint.parts)
    if hint.interview is not None:
        desk.output.say(
            f"{chosen.id} is in interview {hint.interview}, which is running: its report tells of this hint."
        )
    if hint.left:
        desk.output.say(f"{hint.left} more: {desk.command} hint {chosen.id}")
        return
    said = "These are all the hints." if hint.repeated else "That was the last hint."
    if hint.interview is not None:  # which shows no solution
        desk.output.say(said, "Next: kata interview resume")
    else:
        desk.output.say(f"{said} The answer: {solution_command(desk, chosen.id)}", f"Next: {_grade_of(desk, chosen)}")


def _grade_of(desk: Desk, kata: Kata) -> str:
    """The way to another attempt from wherever the user is."""
    if (desk.folder / kata.file_name).is_file():
        return f"edit {kata.file_name}, then {desk.command} grade {kata.id}"
    return f"{desk.command} start {kata.id}"


@click.command(short_help="Print the reference solution, after a pass.")
@click.argument("kata", required=False, shell_complete=complete_kata)
@click.option("--give-up", is_flag=True, help="Show it before a pass; the journal remembers.")
@click.pass_context
def solution(context: click.Context, kata: str | None, give_up: bool) -> None:
    """Print the reference solution of KATA, after a pass or with --give-up."""
    desk: Desk = context.obj
    from grader.interview.beside import refuse_solution

    chosen = desk.kata(kata)
    refuse_solution(desk.journal, chosen.id)
    known = desk.journal.of(chosen.id)
    if not (known.passed or known.gave_up or give_up):
        desk.output.error(
            f"the solution of {chosen.id} opens after a pass",
            f"{desk.command} hint {chosen.id}, or {desk.command} solution {chosen.id} --give-up",
        )
        context.exit(1)
    source = chosen.solution
    if not (known.passed or known.gave_up):
        desk.journal.append("solution", chosen.id, data={"gave_up": True})
    if not desk.output.look.terminal:
        desk.output.write_source(source.encode())  # for a file: as it is, whatever a screen could show
    elif desk.output.look.color:
        from grader.render.overview import highlighted

        desk.output.show(highlighted(source), wrap=False)
    else:
        desk.output.show(source.rstrip("\n"), wrap=False)
    if known.passed:
        desk.output.say(f"Next: {_next(desk)}")
    else:
        desk.output.say(f"Next: write it from memory: {desk.command} reset {chosen.id}, then {desk.command} grade")


@click.command(short_help="Show attempts, best results and hints used.")
@click.pass_obj
def status(desk: Desk) -> None:
    """Show your attempts, best results and hints used."""
    from grader.journal.file import can_begin
    from grader.render.overview import next_line
    from grader.render.overview import status as table

    path = desk.journal.path
    if not path.exists() and not can_begin(path.parent):
        desk.output.warn(f"no progress is kept: {path.parent} cannot be written; KATA_HOME=FOLDER chooses another")
    shown = table(desk.katas.values(), desk.journal.progress(), desk.output.look.width)
    desk.output.show(shown, next_line(_next(desk)))
