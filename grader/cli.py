"""The command `kata`: gathers the commands of every room, and turns every ending of a run into an exit code.

Exit codes: 0 done or pass; 1 fail, or refused to keep something safe; 2 usage; 3 unusable file; 4 the grader's own
error; 70 a bug of ours; 74 stdout cannot be written; 130 Ctrl-C; 141 the reader of our pipe went away. Commands are thin:
parse, call, render. What a command needs is imported inside it, so that only a grade ever waits for torch.
"""

from __future__ import annotations

import atexit
import errno
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from grader import interrupt
from grader.catalog import UnknownKata
from grader.completion import complete_file, complete_kata
from grader.desk import Desk
from grader.dev.command import dev
from grader.errors import KataError
from grader.interview.command import interview
from grader.journal.history_command import export, history, import_journal, restore
from grader.kata_commands import first_screen, hint, list_katas, reset, show, solution, start, status
from grader.output import Output, close_quietly
from grader.ranges import WholeRange
from grader.render.text import wrapped
from grader.timing.bench_command import SECONDS, bench

BUG, NOT_WRITTEN, BROKEN_PIPE = 70, 74, 141
_COMPLETION = "_KATA_COMPLETE"
INTERACTIVE = ("interview", "watch")  # they say how to go on after Ctrl-C, and load no torch in this process

Context = click.Context


class InOrder(click.Group):
    """Lists the commands in the order in which they are added."""

    def list_commands(self, context: Context) -> list[str]:
        return list(self.commands)


@click.group(
    cls=InOrder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog="Start with: kata list. Every command explains itself: kata COMMAND --help",
)
@click.option(
    "--katas",
    "packs",
    metavar="DIR",
    multiple=True,
    help="Add a pack: a folder with katas/ and reference/. Its code is run: use packs you trust. KATA_PATH does it for good.",
)
@click.option("--version", is_flag=True, help="Show the version and exit.")
@click.pass_context
def kata(context: Context, packs: tuple[str, ...], version: bool) -> None:
    """Practise hand-writing Transformer parts in PyTorch, and grade them.

    Without a command: where you are, and what to do next.
    """
    desk: Desk = context.obj
    desk.given_packs = packs
    if context.invoked_subcommand in INTERACTIVE:
        context.with_resource(interrupt.raising())
    if version:
        from grader.doctor import version as installed

        desk.output.write(f"torch-kata {installed()}\n")
        context.exit()
    if context.invoked_subcommand is None:
        first_screen(desk)


@click.command(short_help="Grade your file.")
@click.argument("file", required=False, shell_complete=complete_file)
@click.option(
    "--kata",
    metavar="KATA",
    shell_complete=complete_kata,
    help="The kata that FILE is for, where its name does not say so.",
)
@click.option("--seed", type=WholeRange(0, 2**32 - 1), help="Seed of the inputs [default: fixed for each kata].")
@click.option(
    "--device",
    type=click.Choice(("auto", "cpu", "cuda", "mps")),
    default="auto",
    show_default=True,
    help="Where to grade. auto is the CPU: practice files are small.",
)
@click.option(
    "--require-isolation",
    type=click.Choice(("process-only", "partial", "full")),
    default="process-only",
    help="Refuse to run the file below this level of isolation: exit 4.",
)
@click.option("--no-timing", "timing", flag_value=False, default=True, help="Leave speed, growth and memory out.")
@click.option("--timing-budget", metavar="SECONDS", type=SECONDS, help="For each decision about speed [default: 2].")
@click.option(
    "--audit",
    is_flag=True,
    help="Trace the code too, and run the trace on inputs that it never saw; exit 3 where it cannot be traced.",
)
@click.option(
    "--no-journal",
    "journal",
    flag_value=False,
    default=True,
    help="For somebody else's file: it is no attempt of yours, and nothing of your journal is told.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def grade(context: Context, /, file: str | None, kata: str | None, *, as_json: bool, **options: Any) -> None:
    """Grade FILE, which is a path or a kata (default: the kata last started here).

    Exit code: 0 pass, 1 fail, 3 the file cannot be graded, 4 the grader failed. A file name that begins with a dash
    goes after two: kata grade --kata layernorm -- -my.py
    """
    from grader import grade_command

    context.exit(grade_command.grade(context.obj, file, kata, grade_command.Options(**options), as_json=as_json))


@click.command(short_help="Grade your file whenever you save it.")
@click.argument("file", required=False, shell_complete=complete_file)
@click.option(
    "--kata",
    metavar="KATA",
    shell_complete=complete_kata,
    help="The kata that FILE is for, where its name does not say so.",
)
@click.pass_context
def watch(context: Context, /, file: str | None, kata: str | None) -> None:
    """Grade FILE, which is a path or a kata (default: the kata last started here), whenever it is saved.

    On a terminal it is one screen with keys: h hint, n next kata, r rerun, t timing, s show the brief, q quit. Speed is
    measured where you press t. Elsewhere it prints one line an attempt. Every attempt is remembered as one of `kata grade` is.
    Exit code: 0, or 130 after Ctrl-C.
    """
    from grader.watch import command as watch_command

    context.exit(watch_command.watch(context.obj, file, kata))


@click.command(short_help="Describe this machine for a bug report.")
@click.pass_context
def doctor(context: Context) -> None:
    """Describe this machine for a bug report: python, torch, device, isolation, paths.

    Exit code 1 if something that a grade needs is missing.
    """
    from grader.doctor import examine

    desk: Desk = context.obj
    with desk.output.progress("examining this machine…"):
        lines, healthy = examine(desk.output.look, desk.packs, desk.broken_packs)
    if desk.output.look.terminal:  # in a pipe a fact is a line, whatever its length
        lines = [piece for line in lines for piece in wrapped(line, desk.output.look.width, indent="  ")]
    desk.output.write("\n".join(lines) + "\n")
    context.exit(0 if healthy else 1)


@click.command(short_help="Grade a right and a wrong LayerNorm.")
@click.pass_context
def demo(context: Context) -> None:
    """Grade a right and a wrong LayerNorm that come with torch-kata, and show both verdicts."""
    from grader import grade_command

    context.exit(grade_command.demo(context.obj))


# In the order of a first visit.
for command in (
    *(list_katas, show, start, reset, grade, bench, watch, hint, solution, status),
    *(history, restore, export, import_journal, interview, doctor, demo, dev),
):
    kata.add_command(command)


def run(arguments: list[str]) -> int:
    """One run of the command line, every ending turned into an exit code and at most one short message."""
    output = Output()
    try:
        try:
            code = _dispatch(arguments, output)
        except KeyboardInterrupt:
            output.say("stopped")
            code = interrupt.INTERRUPTED
        except KataError as error:
            output.error(error.message, error.next_step)
            code = error.exit_code
        except Exception as error:
            if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.ENOSPC) and error.filename is None:
                raise
            _report_bug(output, error)
            code = BUG
        output.flush()
    except OSError as error:
        if error.errno != errno.EPIPE:
            with suppress(OSError):
                output.error(f"cannot write the output: {error.strerror}")
        close_quietly()
        return BROKEN_PIPE if error.errno == errno.EPIPE else NOT_WRITTEN
    return code


def _dispatch(arguments: list[str], output: Output) -> int:
    desk = Desk(output)
    if _COMPLETION in os.environ:
        kata.main(arguments, prog_name="kata", complete_var=_COMPLETION, obj=desk)
    try:
        # Not `kata.main`: it swallows a broken pipe and Ctrl-C in its own way, with its own exit codes.
        with kata.make_context("kata", arguments, obj=desk) as context:
            kata.invoke(context)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except UnknownKata as error:
        raise desk.explained(error) from None
    except click.ClickException as error:
        place = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "kata"
        output.error(error.format_message(), f"{place} --help")
        return error.exit_code
    finally:
        desk.close()
    return 0


def _report_bug(output: Output, error: Exception) -> None:
    if os.environ.get("KATA_DEBUG"):
        import traceback

        output.say(*traceback.format_exc().splitlines())
    output.error(
        f"a bug of torch-kata, not of your file: {type(error).__name__}: {error}",
        "KATA_DEBUG=1 shows where; please report it with the output of kata doctor",
    )


def main() -> NoReturn:
    """Run the command line of this process and end it; `entry` has prepared for Ctrl-C."""
    interrupt.install()
    code = run(sys.argv[1:])
    if "torch" in sys.modules:  # taking it apart would keep the user waiting for 0.3 s, and nothing is left to save
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
