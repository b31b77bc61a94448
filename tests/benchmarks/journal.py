"""Print how long a long interview takes to load and to report.

    python tests/benchmarks/journal.py [EVENTS]

Writes a session of EVENTS events (10,000: saves, grades with verdicts, hints) into a journal of its own, then measures,
in seconds of CPU and best of three, what `kata interview report` does after Python has started. The bound is a second.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import sessions  # noqa: E402
from sessions import LAYERNORM, RIGHT, WRONG, Told  # noqa: E402

from grader.desk import Desk  # noqa: E402
from grader.output import Output  # noqa: E402
from grader.render.jsonout import dumps  # noqa: E402
from grader.render.report_html import html_report  # noqa: E402
from grader.render.report_json import report_document  # noqa: E402
from grader.render.report_markdown import markdown_report  # noqa: E402
from grader.render.report_terminal import screen  # noqa: E402
from grader.report.command import find, make  # noqa: E402

BOUND = 1.0  # seconds


def long_session(home: Path, events: int) -> Told:
    """A save or a grade every few seconds, eight hours long."""
    told = Told(home, sessions.plan((480, LAYERNORM))).begin()
    pause = 470 / events
    for number in range(events - 6):
        told.wait(pause)
        if number % 10 == 9:
            told.grade(f"{WRONG}# {number}\n", sessions.diagnosed())
        elif number % 1000 == 500:
            told.hint(1 + number // 1000 % 3)
        else:
            told.save(f"{WRONG}# {number // 2}\n")
    return told.deadline(RIGHT).finish()


def best(work: Callable[[], object]) -> float:
    """Seconds of CPU, the best of three: others on the machine do not count."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as home:
        told = long_session(Path(home), events)
        desk = Desk(Output(StringIO(), StringIO(), {}))
        desk.__dict__["journal"] = told.journal
        report = make(desk, find(desk, told.id))
        page = desk.output
        rows = {
            "load": lambda: find(desk, told.id),
            "load and report": lambda: make(desk, find(desk, told.id)),
            "render for the terminal": lambda: sessions.printed(lambda page: [screen(page, report)], page.look.width),
            "render as Markdown": lambda: markdown_report(report),
            "render as HTML": lambda: html_report(report),
            "render as JSON": lambda: dumps(report_document(report)),
        }
        print(f"{len(told.journal.events(session=told.id))} events, {len(report.katas[0].points)} grades")
        for name, work in rows.items():
            print(f"{name:24} {best(work):6.2f} s  (bound {BOUND:g} s)")
        told.journal.close()


if __name__ == "__main__":
    main()
