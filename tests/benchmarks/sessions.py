"""Print how long it takes to load and rebuild an interview of so many events (10,000). Nothing is asserted.

python tests/benchmarks/sessions.py [EVENTS]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.interview.clock import Reading  # noqa: E402
from grader.interview.log import SessionLog  # noqa: E402
from grader.interview.model import KIND, rebuild  # noqa: E402
from grader.interview.plan import Plan, RoundPlan  # noqa: E402
from grader.journal.events import Journal  # noqa: E402


class SteadyClock:
    """Goes on by a fifth of a second with every look."""

    def __init__(self) -> None:
        self.passed = 0.0

    def read(self) -> Reading:
        self.passed += 0.2
        return Reading(1_800_000_000 + self.passed, self.passed, "boot")


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal, clock = Journal(Path(folder), warn=print), SteadyClock()
        plan = Plan("custom", (RoundPlan(30, ("layernorm",)),), folder, 1)
        id = SessionLog.begin(journal, clock, plan).session.id or journal.begin_session(KIND, plan.settings())
        for number in range(count):
            data = {"clock": clock.read().document()}
            journal.append("save", "layernorm", None, data, session=id, source=b"x = %d" % number)
        session = journal.sessions(KIND)[-1]
        begun = time.perf_counter()
        events = journal.events(session=session.id)
        loaded = time.perf_counter()
        rebuild(session, events)
        print(f"{count} events: loaded in {loaded - begun:.2f} s, rebuilt in {time.perf_counter() - loaded:.2f} s")
        journal.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
