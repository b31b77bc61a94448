"""`kata interview`: thin Click commands that plan a session, hand it to the live view, end it, and say where it stands.

What a command needs is imported when it runs, so that `kata --help` stays as quick as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from grader.desk import Desk
from grader.errors import UsageError
from grader.interview.presets import (
    CHOICES_OF_DIFFICULTY,
    CUSTOM,
    DEFAULT_FEEDBACK,
    DEFAULT_PRESET,
    DESCRIPTIONS,
    FEEDBACK,
    PRESETS,
)
from grader.ranges import FiniteRange, WholeRange
from grader.report.command import report
from grader.report.replay_command import replay

_DRAW = (
    click.option("--katas", metavar="A,B", help="These katas instead of a draw."),
    click.option("--seed", type=WholeRange(0, 2**32 - 1), help="Seed of the draw [default: another each time]."),
    click.option(
        "--difficulty", type=click.Choice(CHOICES_OF_DIFFICULTY), default="any", show_default=True, help="Of the draw."
    ),
)
_RULES = (
    click.option(
        "--feedback",
        type=click.Choice(FEEDBACK),
        default=DEFAULT_FEEDBACK,
        show_default=True,
        help="What a grade during the interview shows.",
    ),
    click.option("--allow-pause", is_flag=True, help="Space pauses the clock; the report says practice."),
    click.option("--interviewer", is_flag=True, help="Script, rubric, questions and marks for a human interviewer."),
    click.option("--yes", is_flag=True, help="Start the clock without asking."),
)
_MINUTES = click.option("--minutes", type=FiniteRange(0.05, 600), help="One round of so many minutes.")


def _with(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


class _InOrder(click.Group):
    """Lists the commands in the order in which they are defined."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder, invoke_without_command=True, short_help="A timed mock interview, with a report.")
@_with(_MINUTES, *_DRAW, *_RULES)
@click.pass_context
def interview(context: click.Context, /, minutes: float | None, **options: Any) -> None:
    """Hold a timed mock interview: drawn katas, phases, a clock that stops for nothing, a report at the end.

    Without a preset: 45 minutes, or --minutes. The draw prefers what your journal shows as weak or long unseen.
    """
    if context.invoked_subcommand is None:
        preset = DEFAULT_PRESET if minutes is None else CUSTOM
        _begin(context, preset, PRESETS[preset] if minutes is None else (minutes,), **options)
        return
    given = [
        name for name in context.params if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        name = given[0].replace("_", "-")
        raise UsageError(
            f"--{name} stands before the command", f"kata interview {context.invoked_subcommand} --{name} …"
        )


def _add(preset: str) -> None:
    @interview.command(preset, help=DESCRIPTIONS[preset], short_help=DESCRIPTIONS[preset])
    @_with(*_DRAW, *_RULES)
    @click.pass_context
    def begin(context: click.Context, /, **options: Any) -> None:
        _begin(context, preset, PRESETS[preset], **options)


for _preset in PRESETS:
    _add(_preset)


def _begin(context: click.Context, preset: str, minutes: tuple[float, ...], **options: Any) -> None:
    from grader.interview.session import begin

    context.exit(begin(context.obj, preset, minutes, **options))


@interview.command(short_help="Go back to the running interview.")
@click.argument("number", metavar="[N]", required=False, type=int)
@click.pass_context
def resume(context: click.Context, number: int | None) -> None:
    """Go back to the interview that runs (or number N), with the time that is really left."""
    from grader.interview.session import resume

    context.exit(resume(context.obj, number))


@interview.command(short_help="What runs, and how much time is left.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_obj
def status(desk: Desk, as_json: bool) -> None:
    """Say which interview runs and how much time is left. Nothing is changed."""
    from grader.interview.overview import show_status

    show_status(desk, as_json=as_json)


@interview.command(short_help="Hand in, grade, and show the report.")
@click.argument("number", metavar="[N]", required=False, type=int)
@click.option("--yes", is_flag=True, help="Without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the report.")
@click.pass_context
def finish(context: click.Context, number: int | None, yes: bool, as_json: bool) -> None:
    """Finish the interview that runs (or number N): hand in the files as they are, grade, show the report.

    While there is time left it asks first; in a script, where nobody can be asked, it does not. After the deadline, what
    was there at the deadline is graded too, and both results are told.
    """
    from grader.interview.session import finish

    context.exit(finish(context.obj, number, sure=yes, as_json=as_json))


@interview.command(short_help="End the interview without a grade; nothing is lost.")
@click.argument("number", metavar="[N]", required=False, type=int)
@click.option("--yes", is_flag=True, help="Without asking.")
@click.pass_context
def abort(context: click.Context, number: int | None, yes: bool) -> None:
    """End the interview that runs (or number N) without grading it. Files, saves and notes are kept."""
    from grader.interview.session import abort

    context.exit(abort(context.obj, number, sure=yes))


@interview.command("list", short_help="All interviews.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_obj
def list_interviews(desk: Desk, as_json: bool) -> None:
    """List all interviews, the newest last."""
    from grader.interview.overview import show_list

    show_list(desk, as_json=as_json)


for _command in (report, replay):
    interview.add_command(_command)
