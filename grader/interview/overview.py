"""Which interviews there are, and where each stands: `kata interview status` and `list`. Changes nothing."""

from __future__ import annotations

from grader.desk import Desk
from grader.interview.clock import SystemClock
from grader.interview.model import KIND, Interview, rebuild
from grader.journal.events import Journal, Session
from grader.render import interview as words
from grader.render.page import Page

STRANGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What the events of a newer torch-kata, or of a stranger whose journal was imported, may raise: they are passed over."""


def show_status(desk: Desk, *, as_json: bool) -> None:
    """Where the open sessions stand; else the last one."""
    clock = SystemClock()
    known = list(interviews(desk.journal).values())
    shown = [each for each in known if each.open] or known[-1:]
    if as_json:
        from grader.render.jsonout import dumps

        documents = [words.session_document(each, each.now(clock.read())) for each in shown]
        desk.output.write(
            dumps({"schema_version": 1, "running": any(each.open for each in shown), "interviews": documents})
        )
        return
    if not shown:
        desk.output.write("No interview yet.\n")
        desk.output.say("Next: kata interview")
        return
    page = Page(desk.output.look.width, ascii_only=not desk.output.look.unicode)
    for each in shown:
        desk.output.show(words.status_text(page, each, each.now(clock.read())))
        for start in each.of("start") if each.open else ():
            desk.output.show(page.text(f"  {start.event.path}"), wrap=False)  # so that it can be copied
    desk.output.say(f"Next: kata interview {'resume' if shown[-1].open else f'report {shown[-1].id}'}")


def show_list(desk: Desk, *, as_json: bool) -> None:
    """Every session."""
    clock = SystemClock()
    known = interviews(desk.journal).values()
    if as_json:
        from grader.render.jsonout import dumps

        documents = [words.session_document(each, each.now(clock.read())) for each in known]
        desk.output.write(dumps({"schema_version": 1, "interviews": documents}))
        return
    if not known:
        desk.output.write("No interview yet.\n")
        desk.output.say("Next: kata interview")
        return
    rows = [words.session_row(each, each.now(clock.read())) for each in known]
    desk.output.show(words.session_table(Page(desk.output.look.width, ascii_only=not desk.output.look.unicode), rows))


def interviews(journal: Journal) -> dict[int, Interview]:
    """Every session that has begun and whose plan can be read, by number, oldest first."""
    rebuilt = (_rebuilt(journal, session) for session in journal.sessions(KIND))
    return {interview.id: interview for interview in rebuilt if interview is not None and interview.begun}


def _rebuilt(journal: Journal, session: Session) -> Interview | None:
    try:
        return rebuild(session, journal.events(session=session.id))
    except STRANGE:
        return None


def open_interviews(journal: Journal) -> list[Interview]:
    """Those whose clock runs, oldest first."""
    ended = {event.session for event in journal.events(kinds=("finish", "abort"))}
    rebuilt = (_rebuilt(journal, session) for session in journal.sessions(KIND) if session.id not in ended)
    return [interview for interview in rebuilt if interview is not None and interview.open]
