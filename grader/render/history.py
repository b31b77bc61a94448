"""The journal for a person: a table of attempts, and one attempt with its source.

Pure functions of events, of what the terminal can show and of the present time. A journal may hold what a stranger
exported, so every text in it is escaped and every number is looked at before it is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from grader.journal.events import Event
from grader.render.page import BAD, ODD, Page
from grader.render.text import amount, fold

if TYPE_CHECKING:
    from rich.console import RenderableType

NARROW = 80  # below, a recent time is relative
WIDE = 110  # from here on the time is told both ways
SHORTEST_NAME = 6  # cells without which not even the end of a name says anything
LONGEST_NAME = 32  # cells of a file's name for which other columns make room

_NAMES = ("N", "when", "kata", "what", "passed", "hints")
_LEFT_OUT = ("hints", "when", "passed", "kata", "what")  # where there is no room for all, in this order
_NUMBERS = ("N", "passed", "hints")
_OUTCOMES = {
    "pass": ("✓ pass", "green"),
    "fail": ("✗ fail", BAD),
    "unusable": ("! unusable", BAD),
    "grader-error": ("! error", ODD),
}
_NOT_AUDITED = ("? not audited", "bold")


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where a history is read; `zone` None is that of the machine."""

    now: datetime
    folder: Path
    user: Path
    zone: tzinfo | None = None

    def clock(self, time: datetime) -> str:
        """A time as the clock on the wall showed it."""
        return f"{time.astimezone(self.zone):%Y-%m-%d %H:%M}"

    def ago(self, time: datetime) -> str:
        """How long ago, within the last week; "" before, and for what a wrong clock put into the future."""
        past = self.now - time
        if past < -timedelta(minutes=1) or past >= timedelta(days=7):
            return ""
        if past < timedelta(minutes=1):
            return "just now"
        minutes = int(past.total_seconds() // 60)
        if minutes < 60:
            return f"{minutes} min ago"
        return f"{minutes // 60} h ago" if minutes < 24 * 60 else f"{minutes // (24 * 60)} d ago"

    def place(self, path: Path) -> str:
        """A path as short as this folder and the user's home allow, without any `..` in its middle."""
        path = Path(os.path.normpath(path))
        named = f"~/{path.relative_to(self.user)}" if path.is_relative_to(self.user) else str(path)
        near = os.path.relpath(path, self.folder) if path.is_absolute() else named
        return near if len(near) < len(named) else named


@dataclass(frozen=True, slots=True)
class Row:
    """One event, and the hints that had been used by then."""

    event: Event
    hints: int = 0


def rows_of(events: Sequence[Event]) -> list[Row]:
    """Events in the order of time, which is not that of their ids where some were imported, with the hints used so far."""
    used: dict[str, int] = {}
    rows = []
    for event in sorted(events, key=lambda event: (event.time, event.id)):
        if event.kind == "hint":
            used[event.kata] = max(used.get(event.kata, 0), _count(event.data.get("rung")) or 0)
        known = _count(event.data.get("hints"))
        rows.append(Row(event, used.get(event.kata, 0) if known is None else known))
    return rows


def table(page: Page, rows: Sequence[Row], moment: Moment) -> RenderableType:
    """`kata history`: one line an event, the newest last, beside the prompt.

    Where the terminal is narrow, columns are left out, but never N, and the name of the file last of all.
    """
    named = max((_name(page, row.event).cell_len for row in rows), default=0)
    wanted = max(len("file"), min(named, LONGEST_NAME))
    left_out = list(_LEFT_OUT)
    if all(_tells_its_kata(row.event) for row in rows):
        left_out = ["hints", "kata", *(name for name in left_out if name not in ("hints", "kata"))]
    gap, brief = (1, True) if page.width < NARROW else (2, False)
    names = list(_NAMES)
    columns = _columns(page, rows, moment, brief=brief)
    while page.width - _cells_of(columns, names, gap) < wanted:
        if gap == 2:
            gap, columns = 1, _columns(page, rows, moment, brief=True)
        elif left_out:
            names.remove(left_out.pop(0))
        else:
            break
    room = page.width - _cells_of(columns, names, gap)
    columns["file"] = [_file(page, row.event, moment, room) for row in rows]
    names += ["file"] if room >= SHORTEST_NAME else []
    grid = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    for name in names:
        grid.add_column(name, no_wrap=True, overflow="ellipsis", justify="right" if name in _NUMBERS else "left")
    for number in range(len(rows)):
        grid.add_row(*(columns[name][number] for name in names))
    return grid


def _columns(page: Page, rows: Sequence[Row], moment: Moment, *, brief: bool) -> dict[str, list[Text]]:
    """The cells of every column but the file's."""
    grades = [row.event.kind == "grade" for row in rows]
    return {
        "N": [Text(str(row.event.id)) for row in rows],
        "when": [Text(_when(row.event, moment, brief=brief, wide=page.width >= WIDE)) for row in rows],
        "kata": [page.text(row.event.kata[:40] or "–") for row in rows],
        "what": [outcome(page, row.event) for row in rows],
        "passed": [Text(_passed(row.event.data) if grade else "") for row, grade in zip(rows, grades, strict=True)],
        "hints": [Text(str(row.hints) if grade else "") for row, grade in zip(rows, grades, strict=True)],
    }


def _cells_of(columns: Mapping[str, Sequence[Text]], names: Sequence[str], gap: int) -> int:
    return sum(max([len(name), *(cell.cell_len for cell in columns[name])]) + gap for name in names)


def _when(event: Event, moment: Moment, *, brief: bool, wide: bool) -> str:
    clock, ago = moment.clock(event.time), moment.ago(event.time)
    if brief:
        return ago or clock[:10]
    return f"{clock}  {ago}" if wide and ago else clock


def _tells_its_kata(event: Event) -> bool:
    """Whether the file has its kata's own name, so that the name alone tells of which kata it is."""
    return event.path is not None and event.path.name == f"{event.kata.replace('-', '_')}.py"


def outcome(page: Page, event: Event) -> Text:
    """What happened, in a word or two."""
    data = event.data
    if event.kind == "grade":
        known = _OUTCOMES.get(str(data.get("verdict")), ("– attempt", ""))
        return Text(*(_NOT_AUDITED if data.get("not_audited") is True else known))
    key = {"hint": "rung", "restore": "from", "phase": "name", "refused": "what"}.get(event.kind)
    detail = None if key is None else data.get(key)
    return page.text(f"{event.kind} {detail}"[:24] if isinstance(detail, (int, str)) else event.kind[:24])


def _passed(data: Mapping[str, Any]) -> str:
    passed, required = _count(data.get("passed")), _count(data.get("required"))
    return f"{passed}/{required}" if required and passed is not None else "–"


def _name(page: Page, event: Event) -> Text:
    return Text("") if event.path is None else page.text(event.path.name)


def _file(page: Page, event: Event, moment: Moment, room: int) -> Text:
    """A path cut between its folders, for its end tells more than its beginning; only a name without room is cut itself."""
    if event.path is None:
        return Text("")
    cut = "..." if page.ascii_only else "…"
    folders = page.text(moment.place(event.path)).plain.split("/")
    kept = [f"{cut}/{'/'.join(folders[at:])}" for at in range(1, len(folders))]
    for shown in ("/".join(folders), *kept, folders[-1]):
        if cell_len(shown) <= room:
            return Text(shown)
    name = folders[-1]
    while name and cell_len(cut + name) > room:
        name = name[1:]
    return Text(cut + name)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def heading(page: Page, row: Row, moment: Moment) -> Text:
    """What, when and where, in one line."""
    event = row.event
    ago = moment.ago(event.time)
    parts = [
        f"{'Attempt' if event.kind == 'grade' else event.kind.capitalize()} {event.id}",
        event.kata,
        moment.clock(event.time) + (f" ({ago})" if ago else ""),
    ]
    if event.path is not None:
        parts.append(moment.place(event.path))
    if event.session is not None:
        parts.append(f"session {event.session}")
    if event.kind == "grade":
        parts.append(amount(row.hints, "hint used", "hints used"))
    return page.text(", ".join(part for part in parts if part), "bold")


def source(page: Page, lines: Sequence[str]) -> Text:
    """A file that is not ours: the number of each line, a bar, and the line, cut where the terminal ends."""
    digits = len(str(len(lines)))
    pieces = []
    for number, line in enumerate(lines, start=1):
        first, *others = fold(line, page.width - digits - 3)
        pieces.append(f"{number:>{digits}} │ {first}")
        pieces += [f"{'':{digits}} │ {other}" for other in others]
    return Text("\n".join(pieces), no_wrap=True, overflow="ignore")


def document(row: Row) -> dict[str, Any]:
    """One event of `kata history --json`."""
    event = row.event
    return {
        "id": event.id,
        "identity": event.identity,
        "time": event.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "kind": event.kind,
        "kata": event.kata,
        "path": None if event.path is None else str(event.path),
        "hints_used": row.hints,
        "data": dict(event.data),
        "session": event.session,
        "source": event.source,
        "has_verdict": event.has_verdict,
    }
