"""The journal for a person: a table of attempts, and one attempt with its source.

Pure functions of events, of what the terminal can show and of the present time. A journal may hold what a stranger
exported, so every text in it is escaped and every number is looked at before it is trusted.
"""

from __future__ import annotations

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
SHORTEST_FILE = 16  # where less is left, the file is left out

_NAMES = ("N", "when", "kata", "what", "passed", "hints")
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
        """A path as short as this folder and the user's home allow."""
        if path.parent == self.folder:
            return path.name
        return f"~/{path.relative_to(self.user)}" if path.is_relative_to(self.user) else str(path)


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
    """`kata history`: one line an event, the newest last, beside the prompt."""
    gap = 1 if page.width < NARROW else 2
    cells = [_cells(page, row, moment) for row in rows]
    used = sum(max([len(name), *(len(row[at]) for row in cells)]) + gap for at, name in enumerate(_NAMES))
    with_files = page.width - used >= SHORTEST_FILE
    grid = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    for name in (*_NAMES, *(["file"] if with_files else [])):
        grid.add_column(name, no_wrap=True, overflow="ellipsis", justify="right" if name in _NUMBERS else "left")
    for row, line in zip(rows, cells, strict=True):
        grid.add_row(*line, *([_file(page, row.event, moment, page.width - used)] if with_files else []))
    return grid


def _cells(page: Page, row: Row, moment: Moment) -> list[Text]:
    event = row.event
    clock, ago = moment.clock(event.time), moment.ago(event.time)
    when = (ago or clock[:10]) if page.width < NARROW else clock
    if page.width >= WIDE and ago:
        when += f"  {ago}"
    grade = event.kind == "grade"
    return [
        Text(str(event.id)),
        Text(when),
        page.text(event.kata[:40] or "–"),
        outcome(page, event),
        Text(_passed(event.data) if grade else ""),
        Text(str(row.hints) if grade else ""),
    ]


def outcome(page: Page, event: Event) -> Text:
    """What happened, in a word or two."""
    data = event.data
    if event.kind == "grade":
        known = _OUTCOMES.get(str(data.get("verdict")), ("– attempt", ""))
        return Text(*(_NOT_AUDITED if data.get("not_audited") is True else known))
    detail = {"hint": data.get("rung"), "restore": data.get("from"), "phase": data.get("name"), "refused": data.get("what")}.get(event.kind)
    return page.text(f"{event.kind} {detail}"[:24] if isinstance(detail, (int, str)) else event.kind[:24])


def _passed(data: Mapping[str, Any]) -> str:
    passed, required = _count(data.get("passed")), _count(data.get("required"))
    return f"{passed}/{required}" if required and passed is not None else "–"


def _file(page: Page, event: Event, moment: Moment, room: int) -> Text:
    if event.path is None:
        return Text("")
    name = page.text(moment.place(event.path))
    if name.cell_len <= room:
        return name
    kept = name.plain  # the end of a path tells more than its beginning
    while kept and cell_len(kept) >= room:
        kept = kept[1:]
    return Text("…" + kept)


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
