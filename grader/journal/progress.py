"""What the journal's events add up to for each kata: attempts, best outcome, first pass, hints. One query, no state."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

# The grades of a session count when it has ended: until then it may keep back what they say.
_PROGRESS = """
    WITH ended AS (SELECT session FROM events WHERE kind IN ('finish', 'abort') AND session IS NOT NULL)
    SELECT kata,
        max(kind IN ('start', 'reset', 'restore')),
        sum(kind = 'grade' AND verdict IN ('pass', 'fail', 'unusable')),
        max(CASE WHEN verdict IN ('pass', 'fail') THEN passed END),
        max(CASE WHEN verdict IN ('pass', 'fail') THEN required END),
        min(CASE WHEN verdict = 'pass' THEN time END),
        max(CASE WHEN kind = 'hint' THEN rung END),
        max(kind = 'solution'),
        max(CASE WHEN kind = 'grade' THEN time END)
    FROM (
        SELECT kata, kind, time,
            CASE WHEN kind = 'grade' THEN json_extract(data, '$.verdict') END AS verdict,
            CASE WHEN kind = 'grade' THEN json_extract(data, '$.passed') END AS passed,
            CASE WHEN kind = 'grade' THEN json_extract(data, '$.required') END AS required,
            CASE WHEN kind = 'hint' THEN json_extract(data, '$.rung') END AS rung
        FROM events
        WHERE kata <> '' AND kind IN ('start', 'reset', 'restore', 'grade', 'hint', 'solution')
            AND (kind <> 'grade' OR session IS NULL OR session IN ended)
    )
    GROUP BY kata
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """What the journal knows about one kata."""

    started: bool = False
    attempts: int = 0
    best: int | None = None  # most required properties passed in one grade
    required: int | None = None  # of so many
    first_pass: str | None = None  # UTC, ISO 8601
    hints: int = 0
    gave_up: bool = False
    last_grade: str | None = None

    @property
    def passed(self) -> bool:
        return self.first_pass is not None

    @property
    def state(self) -> str:
        """ "new", "started", "failing" or "passed": once passed, always passed; what could not be graded did not fail."""
        if self.passed:
            return "passed"
        if self.best is not None:
            return "failing"
        return "started" if self.started or self.attempts else "new"


def read_progress(connection: sqlite3.Connection) -> dict[str, Progress]:
    """Progress by kata id; a kata without events is absent."""
    progress = {}
    for row in connection.execute(_PROGRESS):
        kata, started, attempts, best, required, first_pass, hints, gave_up, last_grade = row
        progress[kata] = Progress(
            started=bool(started),
            attempts=attempts or 0,
            best=best,
            required=required,
            first_pass=first_pass,
            hints=hints or 0,
            gave_up=bool(gave_up),
            last_grade=last_grade,
        )
    return progress
