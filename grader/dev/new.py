"""Writes a new kata: a small one that works, in which every file says what to put in its place.

The example lies in templates/kata/ as files like any kata's; here it only gets its name. Nothing is ever overwritten, and
the kata's folder takes its name when all is written: a kill at any moment leaves no half of a kata.
"""

from __future__ import annotations

import keyword
import os
import shutil
from pathlib import Path

from grader import interrupt
from grader.catalog import is_id, reference_of
from grader.errors import UsageError

TEMPLATE = Path(__file__).resolve().parent.parent / "templates" / "kata"
_REFERENCE = "reference.py"  # beside the kata's files in the template, in reference/ in a pack
_EXAMPLE = ("example-kata", "example_kata", "Example kata")  # id, entry symbol and title in the template


def new_kata(id: str, pack: Path) -> Path:
    """Write katas/<id>/ and reference/<id>.py in `pack`, and return the kata's folder.

    Raises FileExistsError where one of the two is there already, and UsageError where the id cannot be one or the pack
    cannot be written.
    """
    symbol = id.replace("-", "_")
    if not is_id(id):
        raise UsageError(f"{id!r} cannot be a kata's id", "use lower case, digits and hyphens, such as rms-norm")
    if not symbol.isidentifier() or keyword.iskeyword(symbol) or symbol == "torch":
        raise UsageError(
            f"{id!r} cannot be a kata's id here: the example's function would be called {symbol}",
            "begin with a letter and choose no word of Python's, such as rms-norm",
        )
    folder = pack / "katas" / id
    reference = reference_of(folder)
    for path in (folder, reference):
        if os.path.lexists(path):
            raise FileExistsError(str(path))
    unfinished = folder.with_name(f".{id}.{os.getpid()}.new")
    written = dict(zip(_EXAMPLE, (id, symbol, id.replace("-", " ").capitalize()), strict=True))
    with interrupt.raising():
        try:
            try:
                _write(unfinished, written)
                reference.parent.mkdir(exist_ok=True)
                with open(reference, "x", encoding="utf-8", newline="\n") as stream:
                    stream.write((unfinished / _REFERENCE).read_text(encoding="utf-8"))
                (unfinished / _REFERENCE).unlink()
                try:
                    unfinished.rename(folder)
                except BaseException:
                    reference.unlink()
                    raise
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
        except FileExistsError:
            raise
        except OSError as error:
            raise UsageError(
                f"cannot write into {pack}: {error.strerror or error}", "choose another --into DIR"
            ) from None
    return folder


def _write(folder: Path, names: dict[str, str]) -> None:
    """The template's files, with the example's names replaced."""
    for source in sorted(TEMPLATE.rglob("*")):
        if not source.is_file() or "__pycache__" in source.parts:
            continue
        text = source.read_text(encoding="utf-8")
        for old, new in names.items():
            text = text.replace(old, new)
        target = folder / source.relative_to(TEMPLATE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
