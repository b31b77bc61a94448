"""Two sources line by line: side by side as rows of a report, or as the step from one to the next. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from grader.report.kata_model import DiffRow

CONTEXT = 3  # unchanged lines around a change
LONGEST = 3000  # lines of a submission that are compared


def compare(yours: str | None, reference: str | None) -> tuple[DiffRow, ...]:
    """The candidate's lines beside those of the reference; unchanged lines far from any change are left out."""
    if yours is None or reference is None:
        return ()
    left, right = yours.splitlines()[:LONGEST], reference.splitlines()
    matcher = SequenceMatcher(None, [line.rstrip() for line in left], [line.rstrip() for line in right])
    rows: list[DiffRow] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        for offset in range(max(b - a, d - c)):
            i, j = a + offset, c + offset
            kind = "same" if tag == "equal" else "changed" if i < b and j < d else "yours" if i < b else "reference"
            mine = (i + 1, left[i]) if i < b else (None, "")
            theirs = (j + 1, right[j]) if j < d else (None, "")
            rows.append(DiffRow(kind, *mine, *theirs))
    return tuple(_without_long_agreement(rows))


def _without_long_agreement(rows: Sequence[DiffRow]) -> list[DiffRow]:
    near: set[int] = set()
    for at, row in enumerate(rows):
        if row.kind != "same":
            near.update(range(at - CONTEXT, at + CONTEXT + 1))
    kept: list[DiffRow] = []
    skipped = 0
    for at, row in enumerate(rows):
        if at in near:
            if skipped:
                kept.append(DiffRow("gap", skipped=skipped))
            skipped = 0
            kept.append(row)
        else:
            skipped += 1
    if skipped and kept:
        kept.append(DiffRow("gap", skipped=skipped))
    return kept


@dataclass(frozen=True, slots=True)
class Change:
    """A line of a step from one snapshot to the next: " " both, "+" new, "-" gone, "…" lines left out."""

    sign: str
    number: int | None  # in the later snapshot; in the earlier one for a line that is gone
    text: str


def changes(before: str | None, after: str) -> list[Change]:
    """What was done from one snapshot to the next, with a little of what stands around. Without a before: all of it."""
    new = after.splitlines()[:LONGEST]
    if before is None:
        return [Change(" ", number, line) for number, line in enumerate(new, start=1)]
    old = before.splitlines()[:LONGEST]
    found: list[Change] = []
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT):
        if found:
            found.append(Change("…", None, ""))
        for tag, a, b, c, d in group:
            if tag == "equal":
                found += [Change(" ", at + 1, new[at]) for at in range(c, d)]
            else:
                found += [Change("-", at + 1, old[at]) for at in range(a, b)]
                found += [Change("+", at + 1, new[at]) for at in range(c, d)]
    return found
