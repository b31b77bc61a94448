"""What the commands of `kata interview` do to a session: begin it, go back to it, end it.

Joins the plan, the journal, the lock, the conductor and the live view. The rules of a session are none of its business.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from grader.desk import Desk
from grader.errors import GraderError, UsageError
from grader.grade_helper import GradeHelper
from grader.interview.clock import SystemClock
from grader.interview.conduct import Conductor
from grader.interview.ending import finish_up, rescue
from grader.interview.lock import ViewLock
from grader.interview.log import SessionLog
from grader.interview.model import KIND
from grader.interview.overview import interviews, open_interviews
from grader.interview.plan import Plan
from grader.interview.preparation import (
    describe_environment,
    describe_health,
    find_free_folder,
    make_folder,
    plan_rounds,
)
from grader.journal.events import Journal, home
from grader.render import interview as words
from grader.render.page import Page
from grader.render.preflight import preflight

READY_SECONDS = 120.0  # the first import of torch from a cold, slow disk
BUSY_SECONDS = 1.0  # as long a view waits for a journal that another process writes; it tries again later
INTERRUPTED = 130


def begin(
    desk: Desk,
    preset: str,
    minutes: tuple[float, ...],
    *,
    katas: str | None,
    seed: int | None,
    difficulty: str,
    feedback: str,
    allow_pause: bool,
    interviewer: bool,
    yes: bool,
) -> int:
    """Plan, show the plan, and start the clock. Returns the exit code."""
    troubles = _take_troubles(desk)
    _refuse_second(desk)
    _need_terminal()
    rounds, drawn, used_seed = plan_rounds(desk, minutes, katas, seed, difficulty)
    environment = describe_environment()
    plan = Plan(
        preset=preset,
        rounds=rounds,
        folder=str(find_free_folder(desk.folder, desk.journal.next_session())),
        seed=used_seed,
        feedback=feedback,
        difficulty=difficulty,
        allow_pause=allow_pause,
        interviewer=interviewer,
        drawn=drawn,
        environment=tuple(environment.items()),
    )
    with _helper() as helper:
        helper.warm_up()
        desk.output.show(preflight(_page(desk), plan, describe_health(desk, environment)))
        desk.output.flush()
        with desk.output.progress("preparing the grader…"):
            ready = helper.wait_until_ready(READY_SECONDS)
        if ready.get("fault"):
            raise GraderError(f"the grader is not ready: {ready['fault']}", "kata doctor")
        desk.output.write(f"  grader ready, isolation: {ready['isolation']}\n\n")
        if not desk.journal.is_writable():
            troubles.append("this interview could not be kept: there would be no going back to it, and no report later")
        for trouble in troubles:
            desk.output.warn(trouble)
        troubles.clear()
        if not yes and not _agreed(desk, "Press Enter to start the clock, Ctrl-C to leave it. "):
            return 0
        lock = ViewLock(home())
        with _beginning():
            _refuse_second(desk)
            make_folder(plan)  # before there is a session
            conductor = Conductor(SessionLog.begin(desk.journal, SystemClock(), plan), desk.katas, helper)
            conductor.begin()
        return _view(desk, conductor, lock, troubles, joined="begin")


def resume(desk: Desk, number: int | None) -> int:
    """Show the live view of the session that runs. Returns the exit code."""
    troubles = _take_troubles(desk)
    log = _open_log(desk, number)
    if log.session.imported:
        begun = f"interview {log.session.id} began on another machine"
        raise UsageError(begun, f"finish it there; kata interview abort {log.session.id} ends it here")
    _need_terminal()  # last: whether there is anything to go back to is true anywhere
    with _helper() as helper:
        helper.warm_up()
        return _view(desk, Conductor(log, desk.katas, helper), ViewLock(home()), troubles, joined="resume")


def finish(desk: Desk, number: int | None, *, sure: bool, as_json: bool) -> int:
    """Hand in, grade, report; of a session that has ended, grade what has no grade yet. Returns the exit code.

    Asks where time would be given away; a script, which cannot be asked, means what it says.
    """
    log = _ungraded_log(desk, number) or _open_log(desk, number)
    if not (sure or as_json or _may_be_given_away(desk, log)):
        desk.output.say("It goes on.", "Next: kata interview resume")
        return 0
    with _helper() as helper:
        helper.warm_up()
        conductor = Conductor(log, desk.katas, helper)
        if log.interview.ended is None:
            conductor.finish(away=ViewLock(home()).acquire())
        finish_up(desk, conductor, as_json=as_json)
    return 0


def _may_be_given_away(desk: Desk, log: SessionLog) -> bool:
    """Whether the time that is left may go: who sits at a terminal is asked, a script means what it says."""
    rest = words.given_away(log.interview, log.at)
    if not rest or not _is_terminal(sys.stdin) or not desk.output.look.terminal:
        return True
    return _agreed(desk, f"Hand in and finish interview {log.session.id}, with {rest}? [y/N] ", wanted="y")


def abort(desk: Desk, number: int | None, *, sure: bool) -> int:
    """End without a grade. Returns the exit code."""
    log = _open_log(desk, number)
    if not sure:
        if not (_is_terminal(sys.stdin) and desk.output.look.terminal):
            raise UsageError("abort asks first, and there is no terminal to ask on", "kata interview abort --yes")
        if not _agreed(desk, f"End interview {log.session.id} without a grade? [y/N] ", wanted="y"):
            desk.output.say("It goes on.", "Next: kata interview resume")
            return 0
    with _helper() as helper:
        away = ViewLock(home()).acquire()
        Conductor(log, desk.katas, helper, to_abort=True).finish("abort", away=away)
    desk.output.say(
        f"Interview {log.session.id} is ended. Its saves, notes and files are kept.", "Next: kata interview list"
    )
    return 0


def _view(desk: Desk, conductor: Conductor, lock: ViewLock, troubles: list[str], *, joined: str) -> int:
    from grader.interview import live
    from grader.keyboard.keys import Keys

    view = live.LiveView(desk.output, conductor, lock, troubles)
    with Keys(sys.stdin.fileno(), leave=view.screen.step_aside) as keys:
        ending = view.run(keys, joined=joined)
    try:
        return _after_view(desk, conductor, lock, view.finished, ending)
    finally:
        for trouble in troubles:
            desk.output.warn(trouble)


def _after_view(desk: Desk, conductor: Conductor, lock: ViewLock, finished: bool, ending: str) -> int:
    from grader.interview import live

    if ending == live.GONE:
        if conductor.log.unwritten:  # nobody reads what would be said
            with suppress(OSError):
                conductor.log.export(Path(conductor.interview.plan.folder))
        return 0
    if finished:
        finish_up(desk, conductor)
        return 0
    if ending in (live.ENDED, live.MOVED):
        with desk.output.progress("waiting for the grade that runs…"):
            conductor.settle()
        lock.release()
        where = "The interview was ended" if ending == live.ENDED else "The interview goes on"
        desk.output.say(f"{where} in another terminal.")
        return 0
    lock.release()
    rest = conductor.interview.rest(conductor.at)
    left = f"{words.clock(rest)} left" if rest > 0 else f"overtime {words.clock(rest)}"
    if conductor.log.unwritten:
        rescue(desk, conductor.log)
    else:
        desk.output.say(f"The clock goes on: {left}.", "Next: kata interview resume, or kata interview finish")
    return INTERRUPTED if ending == live.INTERRUPTED else 0


def _agreed(desk: Desk, question: str, wanted: str = "") -> bool:
    """Ask on the terminal. Any answer will do, unless one is wanted; the end of the input is none."""
    import termios

    termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed before the question is no answer to it
    desk.output.write(question)
    desk.output.flush()
    try:
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        desk.output.write("\n")  # what is said of it does not run into the question
        raise
    return bool(answer) and answer.strip().lower().startswith(wanted)


def _need_terminal() -> None:
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        raise UsageError(
            "kata interview needs a terminal, for its clock and its keys",
            "run it in a terminal; status, list, finish and abort work anywhere",
        )


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def _take_troubles(desk: Desk) -> list[str]:
    """From now on the journal's warnings come into this list, for the view to show in their place."""
    troubles: list[str] = []
    desk.journal = Journal(home(), warn=troubles.append, busy_seconds=BUSY_SECONDS)
    return troubles


def _refuse_second(desk: Desk) -> None:
    clock = SystemClock()
    for other in open_interviews(desk.journal):
        at = other.now(clock.read())
        rest = other.rest(at)
        left = f"{words.clock(rest)} left" if rest > 0 else f"over its time by {words.clock(rest)}"
        raise UsageError(
            f"interview {other.id} is still running, {left}", "kata interview resume, or kata interview finish"
        )


def _ungraded_log(desk: Desk, number: int | None) -> SessionLog | None:
    """A finished session whose grades were interrupted: the one with this number, else the last one if none is open."""
    known = interviews(desk.journal)
    if number is None:
        ours = [id for id, each in known.items() if not each.session.imported]
        number = None if any(each.open for each in known.values()) else max(ours, default=None)
    chosen = None if number is None else known.get(number)
    if chosen is None or chosen.ended is None or chosen.ended.kind != "finish" or not chosen.unmeasured():
        return None
    return SessionLog.load(desk.journal, SystemClock(), chosen.session)


def _open_log(desk: Desk, number: int | None) -> SessionLog:
    """The session that runs, or the one with this number if it runs, here or on the machine that it began on."""
    running = {each.id: each for each in open_interviews(desk.journal)}
    brought = None if number is None else interviews(desk.journal).get(number)
    if brought is not None and brought.session.imported and brought.ended is None:
        return SessionLog.load(desk.journal, SystemClock(), brought.session)
    if number is not None and number not in running:
        known = any(session.id == number for session in desk.journal.sessions(KIND))
        state = "has ended" if known else "is not in the journal"
        raise UsageError(f"interview {number} {state}", "kata interview list")
    if not running:
        raise UsageError(
            "no interview is running", "kata interview begins one, kata interview list shows the earlier ones"
        )
    chosen = running[number] if number is not None else list(running.values())[-1]
    return SessionLog.load(desk.journal, SystemClock(), chosen.session)


def _page(desk: Desk) -> Page:
    return Page(desk.output.look.width, ascii_only=not desk.output.look.unicode)


@contextmanager
def _helper() -> Iterator[GradeHelper]:
    helper = GradeHelper()
    try:
        yield helper
    finally:
        helper.close()


@contextmanager
def _beginning() -> Iterator[None]:
    """One session begins at a time."""
    lock = ViewLock(home(), "interview-begin.lock")
    if not lock.acquire():
        raise UsageError("another interview begins right now", "kata interview status")
    try:
        yield
    finally:
        lock.release()
