"""A second terminal beside a running interview: it shows nothing that the interview keeps back, and nothing goes unrecorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import samples

from grader import cli
from grader.interview.clock import SystemClock
from grader.interview.log import SessionLog
from grader.interview.plan import Plan, RoundPlan
from grader.journal.events import Journal
from grader.render.jsonout import verdict_document

FILE = "layernorm.py"


@pytest.fixture
def kata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs `kata` in this process, in the folder of the interview: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KATA_HOME", str(tmp_path / "home"))

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli.run(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "home", warn=print)
    yield made
    made.close()


def begin(journal: Journal, folder: Path, **changes: Any) -> SessionLog:
    """An interview about layernorm, with causal-mask in a second round."""
    rounds = RoundPlan(30, ("layernorm",)), RoundPlan(30, ("causal-mask",))
    log = SessionLog.begin(journal, SystemClock(), Plan("onsite", rounds, str(folder), 7, **changes))
    (folder / FILE).write_text("mine = 1\n")
    log.add("start", "layernorm", {"written": True}, path=folder / FILE, source=b"the stub")
    log.add("begin")
    return log


def grade(log: SessionLog) -> int:
    """A passing grade in the session. Returns its number."""
    data = {"verdict": "pass", "passed": 11, "required": 11, "failed": [], "purpose": "asked", "round": 0}
    document = verdict_document(samples.passing())
    return log.add("grade", "layernorm", data, path=Path(FILE), source=b"mine = 1\n", verdict=document).id


def kinds(journal: Journal, session: int | None) -> list[str]:
    return [event.kind for event in journal.events() if event.session == session]


@pytest.mark.parametrize("arguments", [("layernorm",), ("layernorm", "--give-up"), ("causal-mask", "--give-up")])
def test_no_solution_is_shown_until_the_interview_ends(
    kata: Any, journal: Journal, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    log = begin(journal, tmp_path)
    code, out, err = kata("solution", *arguments)
    assert (code, out) == (2, "")
    assert f"interview {log.session.id} is running" in err
    assert kinds(journal, None) == []
    log.add("finish")
    assert kata("solution", arguments[0], "--give-up")[0] == 0


def test_a_hint_is_one_of_the_session_and_of_its_ladder(kata: Any, journal: Journal, tmp_path: Path) -> None:
    journal.append("hint", "layernorm", data={"rung": 1})  # last week's
    log = begin(journal, tmp_path)
    code, out, err = kata("hint", "layernorm")
    assert (code, "Hint 1" in out, f"interview {log.session.id}" in err) == (0, True, True)
    assert kata("hint", "layernorm")[1].startswith("Hint 2")
    log.poll()
    assert log.interview.hints("layernorm") == 2
    assert kinds(journal, None) == ["hint"]


def test_after_the_last_hint_all_are_shown_and_no_solution_is_offered(
    kata: Any, journal: Journal, tmp_path: Path
) -> None:
    begin(journal, tmp_path)
    for _ in range(3):
        kata("hint", "layernorm")
    code, out, err = kata("hint", "layernorm")
    assert (code, out.count("Hint"), "solution" in err) == (0, 3, False)


@pytest.mark.parametrize("command", ["grade", "watch", "bench"])
def test_a_kata_of_the_interview_is_graded_by_the_interview_alone(
    kata: Any, journal: Journal, tmp_path: Path, command: str
) -> None:
    log = begin(journal, tmp_path)
    (tmp_path / "copy.py").write_text("mine = 1\n")
    for arguments in ((), (FILE,), ("copy.py", "--kata", "layernorm")):
        code, out, err = kata(command, *arguments)
        assert (code, out) == (2, "")
        assert f"in interview {log.session.id}" in err
        assert "kata interview resume" in err
    assert kinds(journal, None) == []


def refusals(log: SessionLog) -> list[tuple[str, str]]:
    log.poll()
    return [(moment.kata, moment.datum("what")) for moment in log.interview.of("refused")]


def test_every_attempt_that_is_refused_is_an_event_of_the_interview(
    kata: Any, journal: Journal, tmp_path: Path
) -> None:
    log = begin(journal, tmp_path, feedback="properties")
    number = grade(log)
    attempts = [
        ("solution", "layernorm"),
        ("solution", "linear-attention", "--give-up"),  # none of the interview's
        ("grade",),
        ("watch", FILE),
        ("bench", FILE),
        ("history", "show", str(number)),
    ]
    for arguments in attempts:
        assert kata(*arguments)[0] == 2
    assert refusals(log) == [
        ("layernorm", "solution"),
        ("linear-attention", "solution"),
        *(("layernorm", what) for what in ("grade", "watch", "bench", "verdict")),
    ]
    assert kinds(journal, None) == []


def test_what_is_refused_after_the_end_or_of_a_later_round_is_no_event_of_it(
    kata: Any, journal: Journal, tmp_path: Path
) -> None:
    log = begin(journal, tmp_path)
    (tmp_path / "causal_mask.py").mkdir()
    kata("watch", "causal-mask")
    log.add("finish")
    kata("solution", "layernorm")
    assert refusals(log) == []


def test_what_a_later_round_draws_is_not_given_away(kata: Any, journal: Journal, tmp_path: Path) -> None:
    begin(journal, tmp_path)
    code, _, err = kata("hint", "causal-mask")
    assert (code, "interview" in err) == (0, False)
    assert kinds(journal, None) == ["hint"]


def test_a_watch_that_was_there_before_grades_and_hints_no_more_on_its_own(journal: Journal, tmp_path: Path) -> None:
    from grader.desk import Desk
    from grader.output import Output
    from grader.watch.state import Watching
    from grader.workspace import Target

    class Helper:
        def submit(self, request: Any) -> None:
            raise AssertionError("graded beside the interview")

    import io

    desk = Desk(Output(io.StringIO(), io.StringIO(), {}))
    desk.__dict__["journal"] = journal
    log = begin(journal, tmp_path)
    target = Target(desk.katas["layernorm"], tmp_path / FILE, FILE)
    watching = Watching(desk, Helper(), target, keys=True)  # type: ignore[arg-type]
    try:
        watching.press("r")
        assert f"interview {log.session.id}" in watching.note
        watching.press("h")
        assert f"interview {log.session.id}" in watching.note
        for _ in range(3):
            watching.grade()  # as a save does
    finally:
        watching.close()
    log.poll()
    assert log.interview.hints("layernorm") == 1
    assert refusals(log) == [("layernorm", "watch")]  # once, not for every save


@pytest.mark.parametrize(("feedback", "refused"), [("full", False), ("properties", True), ("none", True)])
def test_a_grade_of_the_session_is_shown_as_far_as_the_session_shows_it(
    kata: Any, journal: Journal, tmp_path: Path, feedback: str, refused: bool
) -> None:
    log = begin(journal, tmp_path, feedback=feedback)
    number = grade(log)
    for arguments in ((str(number),), ("show", str(number), "--json"), ("show",)):
        code, out, _ = kata("history", *arguments)
        assert (code, out == "") == ((2, True) if refused else (0, False))
    assert kata("history", "show", str(number), "--source")[1] == "mine = 1\n"
    log.add("finish")
    assert kata("history", str(number))[0] == 0


def test_what_is_kept_for_the_end_stands_in_no_list_before(kata: Any, journal: Journal, tmp_path: Path) -> None:
    log = begin(journal, tmp_path, feedback="none")
    grade(log)
    assert json.loads(kata("history", "--json")[1])["events"] == []
    assert not journal.of("layernorm").passed
    log.add("finish")
    assert len(json.loads(kata("history", "--json")[1])["events"]) == 1
    assert journal.of("layernorm").passed
