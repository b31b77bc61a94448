"""The end of a session for a person: what was handed in is graded and shown, or kept where the journal takes nothing."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from grader.desk import Desk
from grader.interview.conduct import Conductor
from grader.interview.log import SessionLog
from grader.render import interview as words
from grader.render.page import Page
from grader.render.text import amount


def finish_up(desk: Desk, conductor: Conductor, *, as_json: bool = False) -> None:
    """Grade what was handed in, and show everything; or the session's document."""
    with desk.output.progress("grading what was handed in, speed included…"):
        try:
            conductor.grade_all()
        except KeyboardInterrupt:
            if conductor.log.unwritten:
                rescue(desk, conductor.log)
            else:
                desk.output.say("It is handed in, and not graded yet.", "Next: kata interview finish")
            raise
    if as_json:
        from grader.render.jsonout import dumps

        document = words.session_document(conductor.interview, conductor.at)
        desk.output.write(dumps({"schema_version": 1, "interviews": [document]}))
        return
    _show_end(desk, conductor)


def _show_end(desk: Desk, conductor: Conductor) -> None:
    """The report; where the journal could not be written and knows nothing to report, the verdicts."""
    interview = conductor.interview
    if interview.id and not conductor.log.unwritten:
        from grader.report.command import show_report

        show_report(desk, interview.id)
        return

    from rich.text import Text

    from grader.render.terminal import screen
    from grader.verdict_json import verdict_of

    page = Page(desk.output.look.width, ascii_only=not desk.output.look.unicode)
    desk.output.show(words.results(page, interview))
    for each in interview.rounds:
        for kata in each.katas:
            grade = interview.grade_of(interview.counted(kata))
            document = None if grade is None else conductor.log.verdict(grade.event)
            if document is not None:
                desk.output.show(Text(""), screen(page, verdict_of(document)))
    rescue(desk, conductor.log)


def rescue(desk: Desk, log: SessionLog) -> None:
    """Keep a session that the journal did not take in a file of its own."""
    lost = f"the journal did not take {amount(log.unwritten, 'event')} of this interview"
    for folder in (log.interview.plan.folder, tempfile.gettempdir()):
        with suppress(OSError):
            path = log.export(Path(folder))
            desk.output.warn(f"{lost}: all of it is kept as {path}")
            desk.output.say("Next: kata import FILE with that file, once the journal can be written")
            return
    desk.output.warn(f"{lost}, and no other place does: they end with this command")
