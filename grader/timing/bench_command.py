"""The command `kata bench`: options, the result on a terminal, in a document or in a picture, and the exit code.

Imported by every `kata` command, so that whatever is slow is imported inside.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.completion import complete_file, complete_kata
from grader.errors import UsageError
from grader.ranges import FiniteRange

if TYPE_CHECKING:
    from grader.desk import Desk
    from grader.timing.bench import BenchResult
    from grader.timing.bench_run import Options


SECONDS = FiniteRange(0.1, 600)
_FILE = click.Path(dir_okay=False, path_type=Path)


def _sizes(context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, ...]:
    """`128,256` as numbers, () where none were given."""
    from grader.timing.bench import read_sizes

    try:
        return read_sizes(text) if text is not None else ()
    except ValueError as error:
        raise click.BadParameter(str(error), context, option) from None


@click.command(short_help="Time your file over a range of sizes.")
@click.argument("file", required=False, shell_complete=complete_file)
@click.option(
    "--kata",
    metavar="KATA",
    shell_complete=complete_kata,
    help="The kata that FILE is for, where its name does not say so.",
)
@click.option(
    "--device",
    type=click.Choice(("auto", "cpu", "cuda", "mps")),
    default="auto",
    show_default=True,
    help="Where to time. auto is the CPU, one thread.",
)
@click.option(
    "--dtype",
    "dtypes",
    type=click.Choice(("float32", "float64", "bfloat16")),
    multiple=True,
    default=("float32",),
    show_default=True,
    help="May be given more than once.",
)
@click.option("--sizes", metavar="N,N,…", callback=_sizes, help="Sizes to time at [default: those of the kata].")
@click.option(
    "--timing-budget", metavar="SECONDS", type=SECONDS, default=2.0, show_default=True, help="For each plotted point."
)
@click.option("--png", metavar="FILE", type=_FILE, help="Write the plots to FILE too; needs matplotlib.")
@click.option("--svg", metavar="FILE", type=_FILE, help="The same as SVG.")
@click.option("--unchecked", is_flag=True, help="Time it without a look at its answers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def bench(context: click.Context, /, file: str | None, kata: str | None, *, as_json: bool, **options: Any) -> None:
    """Time FILE (default: the kata last started here) over a range of sizes, beside the reference and the library operator.

    Only right code is timed: FILE is graded first, and what fails is not timed. Exit code: 0 timed, 1 the file is wrong,
    3 it cannot be graded, 4 the grader failed.
    """
    from grader.timing.bench_run import Options

    options["dtypes"] = tuple(dict.fromkeys(options["dtypes"]))
    context.exit(_run(context.obj, file, kata, Options(**options), as_json=as_json))


def _run(desk: Desk, argument: str | None, kata: str | None, options: Options, *, as_json: bool) -> int:
    """Time one file and show the result. Returns the exit code: that of the grade beforehand."""
    _check_files(options.files)  # before minutes of measuring

    from grader.host import prestart

    prestart()

    from grader.timing.bench_run import benched

    result, code = benched(desk, argument, kata, options)
    if as_json:
        from grader.render.jsonout import dumps, plain

        desk.output.write(dumps(plain(result.document())))
    elif result.points:
        from grader.render.bench import screen
        from grader.render.page import Page

        desk.output.show(screen(Page(desk.output.look.width, ascii_only=not desk.output.look.unicode), result))
    if result.points:
        for format, path in options.files.items():
            from grader.render.figure import draw

            _write(path, draw(result, format))
            desk.output.say(f"written: {path}")
    elif not as_json:
        step = _next_step(desk, argument, kata, result)
        desk.output.error(f"{result.submission}: not timed: {result.reason}", step)
    return code


def _check_files(files: dict[str, Path]) -> None:
    """Refuse what cannot be written while nothing is lost by it."""
    if not files:
        return
    from grader.render.figure import require_matplotlib

    require_matplotlib()
    for path in files.values():
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise UsageError(f"cannot write {path}: its folder is not there, or it is one itself", "mkdir first")


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror or error}", "name a file in a folder of yours"
        ) from None


def _next_step(desk: Desk, argument: str | None, kata: str | None, result: BenchResult) -> str:
    """The command that explains why nothing was timed, or that writes the file which is not there."""
    from grader.next_step import command

    if result.verdict == "unusable" and not (desk.folder / result.submission).is_file():
        return f"{desk.command} start {result.kata}" if result.kata else "kata list"
    again = command(desk, "grade", argument, kata)
    return f"{again} shows where; --unchecked times it all the same" if result.verdict == "fail" else again
