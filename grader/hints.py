"""The next hint, taken: what `kata hint` prints and the key h shows. The journal remembers each rung once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from grader.catalog import HINTS, Kata
from grader.render import overview

if TYPE_CHECKING:
    from rich.console import RenderableType

    from grader.journal.events import Journal


@dataclass(frozen=True, slots=True)
class Hint:
    """What to show, and how many rungs are left after it; `repeated` where there was none left, and all are shown."""

    parts: tuple[RenderableType, ...]
    left: int
    repeated: bool = False
    interview: int | None = None  # that it was recorded in


def next_hint(journal: Journal, kata: Kata) -> Hint:
    """The next rung of the ladder, or after the last one all of them; while an interview with this kata runs, of its."""
    from grader.interview.beside import take_hint

    rungs = kata.hints
    taken = take_hint(journal, kata.id)
    if taken is not None:
        rung, interview = taken
        if rung is not None:
            return Hint((overview.hint(rung, *rungs[rung - 1]),), HINTS - rung, interview=interview)
        return _all(rungs, interview)
    used = journal.of(kata.id).hints
    if used < HINTS:
        journal.append("hint", kata.id, data={"rung": used + 1})
        return Hint((overview.hint(used + 1, *rungs[used]),), HINTS - used - 1)
    return _all(rungs, None)


def _all(rungs: Sequence[tuple[str, str]], interview: int | None) -> Hint:
    parts: list[RenderableType] = []
    for number, rung in enumerate(rungs, start=1):
        parts += [*([Text("")] if number > 1 else []), overview.hint(number, *rung)]
    return Hint(tuple(parts), 0, repeated=True, interview=interview)
