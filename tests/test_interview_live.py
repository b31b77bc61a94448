"""`kata interview` in a real pseudo-terminal, with real files and clocks. Only grading is stood in for, by a helper that
answers at once with a sample verdict, or as soon as a file is gone."""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import cli
from grader.interview.model import KIND, Interview, rebuild
from grader.journal.events import Journal

pexpect = pytest.importorskip("pexpect")

ROOT = Path(cli.__file__).parents[1]
SAMPLES = Path(__file__).parent / "samples.py"
ALLOWED = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH")

HELPER = f"""
import json, os, runpy, sys, time
from grader.render.jsonout import verdict_document
samples = runpy.run_path({str(SAMPLES)!r})
print(json.dumps({{"tag": "ready", "isolation": "full"}}), flush=True)
for line in sys.stdin:
    while os.path.exists(os.environ["KATA_HOLD"]): time.sleep(0.01)
    verdict = verdict_document(samples["ALL"][os.environ["KATA_SAMPLE"]]())
    print(json.dumps({{"tag": json.loads(line)["tag"], "verdict": verdict, "fault": ""}}), flush=True)
"""
COMMAND = f"""
import sys
from grader import cli, grade_helper
grade_helper.COMMAND = (sys.executable, "-c", {HELPER!r})
cli.main()
"""


class Terminals:
    """Starts `kata` on pseudo-terminals and reads its journal."""

    def __init__(self, folder: Path) -> None:
        self.place, self.home, self.hold = folder / "place", folder / "home", folder / "hold"
        self.place.mkdir()
        self.open: list[Any] = []

    def kata(
        self, *arguments: str, sample: str = "failing", before: Any = None, size: Any = (40, 100), **environ: str
    ) -> Any:
        kept = {name: os.environ[name] for name in ALLOWED if name in os.environ}
        kept |= {"PYTHONPATH": str(ROOT), "KATA_HOME": str(self.home), "KATA_HOLD": str(self.hold), "TERM": "xterm"}
        child = pexpect.spawn(
            sys.executable,
            ["-c", COMMAND, *arguments],
            cwd=str(self.place),
            env={**kept, "KATA_SAMPLE": sample, **environ},
            encoding="utf-8",
            timeout=30,
            dimensions=size,
            preexec_fn=before,
        )
        child.delaybeforesend = None
        self.open.append(child)
        return child

    def begin(self, *arguments: str, until: str = "left · clarify", **options: Any) -> Any:
        child = self.kata("interview", *(arguments or ("--minutes", "5", "--katas", "layernorm")), "--yes", **options)
        child.expect(until)
        return child

    @property
    def file(self) -> Path:
        return self.place / "interview-1" / "layernorm.py"

    def interview(self) -> Interview:
        journal = Journal(self.home, warn=print)
        session = journal.sessions(KIND)[-1]
        found = rebuild(session, journal.events(session=session.id))
        journal.close()
        return found

    def kinds(self) -> list[str]:
        return [moment.kind for moment in self.interview().moments]


@pytest.fixture
def terminals(tmp_path: Path) -> Any:
    made = Terminals(tmp_path)
    yield made
    for child in made.open:
        child.close(force=True)


def ended(child: Any) -> SimpleNamespace:
    """The exit code and what was still printed."""
    child.expect(pexpect.EOF)
    child.close()
    return SimpleNamespace(code=child.exitstatus, signal=child.signalstatus, output=child.before)


def test_a_whole_session_from_the_plan_to_the_end(terminals: Terminals) -> None:
    child = terminals.kata("interview", "--minutes", "5", "--katas", "layernorm")
    child.expect("Rules")
    child.expect("grader ready, isolation: full")
    child.expect("Press Enter to start the clock")
    assert not terminals.file.exists()
    child.send("\r")
    child.expect("for the last dimension")
    child.expect(r"left · clarify 0:0\d/0:30 · not graded")
    terminals.file.write_text("my answer")
    child.expect("1 save")
    child.send("g")
    child.expect("layernorm: ✗ fail 8/11 properties")
    child.expect("failed: matches-formula, input-gradient, eps-inside-the-root")
    child.send("h")
    child.expect("Hint 1 of 3")
    assert "smallest input" not in child.before
    assert "got" not in child.before
    child.send("p")
    child.expect("Phase: implement")
    child.send("pp")
    child.expect("questions: a answers the next one")
    child.send("a")
    child.expect("Why the biased variance")
    child.send("It estimates nothing.\r")
    child.send("\r")
    child.expect("kept; . more")
    child.send("nslow on shapes\r")
    child.expect("noted")
    child.send("f")
    child.expect("Hand in and finish")
    child.send("y")
    assert ended(child).code == 0
    interview = terminals.interview()
    assert interview.state(0) == "finished"
    assert interview.answers["layernorm", 0].datum("text") == "It estimates nothing."
    assert [note.datum("text") for note in interview.notes] == ["slow on shapes"]
    assert interview.hints("layernorm") == 1
    assert interview.ungraded() == []


def test_full_feedback_shows_the_example_and_none_shows_nothing(terminals: Terminals) -> None:
    child = terminals.begin("--minutes", "5", "--katas", "layernorm", "--feedback", "full")
    child.send("g")
    child.expect("smallest input found")
    child.send("fy")
    ended(child)
    child = terminals.begin("--minutes", "5", "--katas", "layernorm", "--feedback", "none")
    child.send("g")
    child.expect("graded; the result is kept for the end")
    child.send("q")
    assert "8/11" not in ended(child).output


def test_the_deadline_is_taken_while_a_grade_runs(terminals: Terminals) -> None:
    terminals.hold.touch()
    child = terminals.begin("--minutes", "0.1", "--katas", "layernorm")
    terminals.file.write_text("asked for")
    child.expect("1 save")
    child.send("g")
    child.expect("grading…")
    terminals.file.write_text("in time")
    child.send("ntyping while the time runs out")
    child.expect("Time. What counts for layernorm is the file as it was at the deadline")
    child.expect("(left|over) > typing while the time runs out")
    child.send("\r")
    child.expect("noted")
    child.expect("overtime 0:0")
    terminals.hold.unlink()
    child.expect("layernorm: ✗ fail")
    child.expect("layernorm at the deadline: ✗ fail")
    terminals.file.write_text("overtime")
    child.send("fy")
    assert ended(child).code == 0
    interview = terminals.interview()
    counted, final = interview.counted("layernorm"), interview.final("layernorm")
    assert counted is not None
    assert final is not None
    journal = Journal(terminals.home, warn=print)
    assert journal.source(counted.event.source or "") == b"in time"
    assert journal.source(final.event.source or "") == b"overtime"
    assert counted.datum("how") == "on-time"
    journal.close()


def test_a_killed_view_is_resumed_with_the_true_rest(terminals: Terminals) -> None:
    child = terminals.begin()
    terminals.file.write_text("before")
    child.expect("1 save")
    child.kill(signal.SIGKILL)
    assert ended(child).signal == signal.SIGKILL
    terminals.file.write_text("meanwhile")
    child = terminals.kata("interview", "resume")
    child.expect(r"4:\d\d left")
    child.expect("2 saves")
    child.send("q")
    assert "The clock goes on: 4:" in ended(child).output
    assert terminals.kinds() == ["start", "begin", "save", "join", "save", "leave"]


def test_ctrl_c_leaves_with_the_terminal_in_order_the_clock_going_on_and_half_a_sentence_kept(
    terminals: Terminals,
) -> None:
    child = terminals.begin()
    child.send("a")
    child.expect("Why the biased variance")
    child.send("It estimates")
    child.expect("It estimates")
    child.sendintr()
    left = ended(child)
    assert left.code == 130
    assert "kata interview resume" in left.output
    assert terminals.interview().open
    assert terminals.interview().answers["layernorm", 0].datum("text") == "It estimates"


def test_a_closed_terminal_ends_the_view_and_not_the_session(terminals: Terminals) -> None:
    child = terminals.begin()
    child.kill(signal.SIGHUP)
    ended(child)
    assert terminals.interview().open
    assert terminals.kinds()[-1] == "leave"


def test_a_second_terminal_follows_and_may_take_over(terminals: Terminals) -> None:
    first = terminals.begin()
    second = terminals.kata("interview", "resume")
    second.expect("this one only follows")
    second.expect("following: t takes over")
    second.send("g")
    second.expect("g does nothing here")
    second.send("t")
    second.expect("This terminal conducts the interview now")
    assert "goes on in another terminal" in ended(first).output
    second.send("g")
    second.expect("layernorm: ✗ fail")
    second.send("q")
    ended(second)


def test_a_second_session_is_refused_until_the_first_has_ended_anywhere(terminals: Terminals) -> None:
    first = terminals.begin()
    refused = ended(terminals.kata("interview", "screen", "--yes"))
    assert refused.code == 2
    assert re.search(r"interview 1 is still running, 4:\d\d left", refused.output)
    assert not (terminals.place / "interview-2").exists()
    assert ended(terminals.kata("interview", "abort", "--yes")).code == 0
    assert ended(first).code == 0
    assert terminals.interview().state(0) == "aborted"


def test_a_full_disk_is_told_and_the_session_goes_on(terminals: Terminals) -> None:
    journal = Journal(terminals.home, warn=print)
    journal.append("start", "layernorm")
    journal.close()
    size = (terminals.home / "journal.sqlite3").stat().st_size
    # Nothing can grow beyond what is there: SQLite meets the error of a full disk.
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # noqa: E731
    child = terminals.kata("interview", "--minutes", "5", "--katas", "layernorm", "--yes", before=full)
    child.expect("warning: progress is not saved")
    child.expect("This session goes on in memory")
    child.send("g")
    child.expect("layernorm: ✗ fail 8/11")
    child.expect(r"\d+ not written")
    child.send("fy")
    last = ended(child)
    assert last.code == 0
    assert "the journal did not take" in last.output
    (kept,) = terminals.file.parent.glob("interview-*.jsonl")
    assert ended(terminals.kata("import", str(kept))).code == 0
    assert terminals.interview().state(0) == "finished"
    assert terminals.interview().ungraded() == []


def test_a_journal_that_cannot_be_there_is_told_and_the_verdict_still_shown(terminals: Terminals) -> None:
    terminals.home.write_text("no folder")
    child = terminals.begin()
    child.send("fy")
    last = ended(child)
    assert last.code == 0
    assert "smallest input found" in last.output  # all is shown at the end


def test_no_way_back_is_promised_where_nothing_could_be_kept(terminals: Terminals) -> None:
    terminals.home.write_text("no folder")
    child = terminals.kata("interview", "--minutes", "5", "--katas", "layernorm")
    child.expect("there would be no going back")
    child.expect("Press Enter to start the clock")
    child.send("\r")
    child.expect("left · clarify")
    child.send("qq")
    last = ended(child)
    assert "resume" not in last.output
    (kept,) = terminals.file.parent.glob("interview-*.jsonl")
    assert kept.name in last.output.replace("\r\n", "").replace(" ", "")


def test_what_the_journal_did_not_take_outlives_a_closed_terminal(terminals: Terminals) -> None:
    terminals.home.write_text("no folder")
    child = terminals.begin()
    child.kill(signal.SIGHUP)
    ended(child)
    (kept,) = terminals.file.parent.glob("interview-*.jsonl")
    assert "leave" in kept.read_text()


def test_a_following_terminal_takes_the_deadline_where_the_first_is_stopped(terminals: Terminals) -> None:
    first = terminals.begin("--minutes", "0.12", "--katas", "layernorm")
    second = terminals.kata("interview", "resume")
    second.expect("this one only follows")
    first.kill(signal.SIGSTOP)
    terminals.file.write_text("in time")
    second.expect("This terminal conducts the interview now")
    second.expect("What counts for layernorm is the file as it was at the deadline")
    first.kill(signal.SIGCONT)
    assert "goes on in another terminal" in ended(first).output
    second.send("q")
    ended(second)
    assert [moment.datum("how") for moment in terminals.interview().of("deadline")] == ["on-time"]


def test_a_stopped_terminal_that_does_not_answer_is_taken_over_from(terminals: Terminals) -> None:
    first = terminals.begin()
    second = terminals.kata("interview", "resume")
    second.expect("this one only follows")
    first.kill(signal.SIGSTOP)
    second.send("t")
    second.expect("This terminal conducts the interview now")
    terminals.file.write_text("seen by the second")
    second.expect("1 save")
    first.kill(signal.SIGCONT)
    assert "goes on in another terminal" in ended(first).output
    second.send("q")
    ended(second)
    assert terminals.kinds().count("leave") == 2


def test_a_narrow_terminal_scrolls_nothing_while_time_passes(terminals: Terminals) -> None:
    child = terminals.begin("--minutes", "5", "--katas", "layernorm", size=(10, 24), until="4:5")
    child.expect("4:57")
    child.expect("4:55")
    shown = re.split("\r *\r", child.before)
    assert len(shown) > 1
    assert all(len(line) < 24 and "\n" not in line for line in shown)
    child.send("q")
    ended(child)


def test_leaving_is_written_once(terminals: Terminals) -> None:
    child = terminals.begin()
    child.send("q")
    child.sendintr()
    ended(child)
    assert terminals.kinds().count("leave") == 1


def test_a_damaged_journal_is_kept_and_told(terminals: Terminals) -> None:
    child = terminals.begin()
    child.send("q")
    ended(child)
    for name in os.listdir(terminals.home):
        if name.startswith("journal"):
            (terminals.home / name).write_bytes(b"garbage" * 5000)
    resumed = ended(terminals.kata("interview", "resume"))
    assert resumed.code == 2
    assert "no interview is running" in resumed.output
    assert any("damaged" in name for name in os.listdir(terminals.home))
    assert terminals.file.exists()


def test_an_interviewer_reads_the_script_and_marks(terminals: Terminals) -> None:
    child = terminals.begin("--minutes", "5", "--katas", "layernorm", "--interviewer")
    child.send("r")
    child.expect("Thinks aloud|thinks aloud")
    child.send("m")
    child.expect("1 Correctness")
    child.send("13")
    child.expect("Correctness: 3")
    child.send("ppp")
    child.expect("Listen for:")
    child.send("nquiet but exact\r")
    child.expect("noted")
    child.send("q")
    ended(child)
    interview = terminals.interview()
    assert interview.marks["correctness"].datum("value") == 3
    assert interview.notes[0].datum("by") == "interviewer"


def test_a_pause_stops_the_clock_only_where_it_is_allowed(terminals: Terminals) -> None:
    child = terminals.begin("--minutes", "5", "--katas", "layernorm", "--allow-pause")
    child.send(" ")
    child.expect("paused, 4:")
    child.send(" ")
    child.expect("The clock goes on")
    child.send("q")
    ended(child)
    assert terminals.interview().practice
    assert [kind for kind in terminals.kinds() if "pause" in kind] == ["pause", "unpause"]


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_no_escape_sequence_is_needed(terminals: Terminals, environ: dict[str, str]) -> None:
    child = terminals.kata("interview", "--minutes", "5", "--katas", "layernorm", "--yes", **environ)
    child.expect("left . clarify")
    child.send("gh?q")
    assert "\x1b" not in child.before + child.after + ended(child).output
