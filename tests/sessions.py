"""Timed interviews made by hand, event by event, with a clock that only moves when it is told to. Nothing here is graded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from io import BytesIO, TextIOWrapper
from pathlib import Path

import samples
from rich.console import RenderableType

from grader.interview.model import KIND, Interview, rebuild
from grader.interview.plan import Plan, RoundPlan
from grader.journal.events import Journal
from grader.output import Output
from grader.render.jsonout import verdict_document
from grader.render.page import Page
from grader.verdict import Diagnosis, Status, Verdict

BEGUN = datetime(2026, 11, 29, 18, 30, tzinfo=UTC)
ROOT = Path(__file__).parents[1]
LAYERNORM, ATTENTION = "layernorm", "scaled-dot-product"
RIGHT = (ROOT / "reference" / "layernorm.py").read_text(encoding="utf-8")
WRONG = RIGHT.replace("torch.sqrt(variance + self.eps)", "(torch.sqrt(variance) + self.eps)")
STUB = (ROOT / "katas" / LAYERNORM / "stub.py").read_text(encoding="utf-8")
ENVIRONMENT = (("python", "3.11.7"), ("torch", "2.13.0"), ("machine", "Some CPU @ 2.0 GHz"), ("device", "cpu"))

DIAGNOSED = Diagnosis(
    "mistake",
    "eps-outside-sqrt",
    "Adds eps to the standard deviation, outside the square root, so that rows of little spread come out wrong.",
    "add eps to the variance, before the root: sqrt(variance + eps)",
    "it answers exactly as your code does, wrongly on 9 of 10 fresh inputs",
)


def plan(*rounds: tuple[float, str], **changes: object) -> Plan:
    """A plan of (minutes, katas) rounds; katas are separated by commas."""
    made = Plan(
        preset={1: "screen", 2: "onsite"}.get(len(rounds), "custom"),
        rounds=tuple(RoundPlan(minutes, tuple(katas.split(","))) for minutes, katas in rounds),
        folder="/home/ada/interview",
        seed=1729,
        environment=ENVIRONMENT,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


class Told:
    """A session in a journal of its own. `wait` is all that makes time pass."""

    def __init__(self, home: Path, plan: Plan, begun: datetime = BEGUN) -> None:
        self.seconds, self._begun = 0.0, begun
        self.plan = plan
        self.journal = Journal(home, warn=_never, now=self.now)
        self.id = self.journal.begin_session(KIND, plan.settings()) or 0
        for kata in plan.katas:
            self.event("start", kata, {"written": True}, source=STUB)

    def now(self) -> datetime:
        return self._begun + timedelta(seconds=self.seconds)

    def wait(self, minutes: float = 1.0) -> Told:
        self.seconds += minutes * 60
        return self

    def event(
        self,
        kind: str,
        kata: str = "",
        data: dict[str, object] | None = None,
        *,
        source: str | None = None,
        verdict: Verdict | None = None,
    ) -> Told:
        clock = {"wall": self.now().timestamp(), "ticks": 5000.0 + self.seconds, "boot": "boot"}
        self.journal.append(
            kind,
            kata,
            Path("/home/ada/interview") / f"{kata.replace('-', '_')}.py" if kata else None,
            {**(data or {}), "clock": clock},
            session=self.id,
            source=None if source is None else source.encode("utf-8", "surrogatepass"),
            verdict=None if verdict is None else verdict_document(verdict),
        )
        return self

    def begin(self) -> Told:
        return self.event("begin")

    def phase(self, phase: str, round: int = 0) -> Told:
        return self.event("phase", data={"round": round, "phase": phase})

    def save(self, source: str, kata: str = LAYERNORM) -> Told:
        return self.event("save", kata, {"mtime": self.now().timestamp()}, source=source)

    def grade(self, source: str, verdict: Verdict, kata: str = LAYERNORM, **data: object) -> Told:
        """A grade that was asked for now, unless `data` tells otherwise."""
        required = [result for result in verdict.properties if result.required]
        passed = sum(result.status is Status.PASSED for result in required)
        summary = {
            "verdict": verdict.outcome.value,
            "passed": passed,
            "required": len(required),
            "failed": [result.id for result in verdict.required_failed],
            "purpose": "asked",
            "round": 0,
            "asked_at": self.seconds,
        }
        verdict = dataclasses.replace(verdict, kata=kata)
        return self.event("grade", kata, {**summary, **data}, source=source, verdict=verdict)

    def hint(self, rung: int, kata: str = LAYERNORM) -> Told:
        return self.event("hint", kata, {"rung": rung})

    def answer(self, question: int, title: str, text: str, kata: str = LAYERNORM) -> Told:
        return self.event("answer", kata, {"question": question, "title": title, "text": text, "skipped": not text})

    def deadline(self, source: str | None, kata: str = LAYERNORM, *, round: int = 0, how: str = "on-time") -> Told:
        how = "missing" if source is None else how
        return self.event("deadline", kata, {"round": round, "due": self.seconds, "how": how}, source=source)

    def hand_in(self, source: str | None, kata: str = LAYERNORM, *, round: int = 0) -> Told:
        how = "missing" if source is None else "file"
        return self.event("hand-in", kata, {"round": round, "of": "session", "how": how}, source=source)

    def finish(self) -> Told:
        return self.event("finish")

    def interview(self) -> Interview:
        session = next(each for each in self.journal.sessions(KIND) if each.id == self.id)
        return rebuild(session, self.journal.events(session=self.id))


def printed(screen: Callable[[Page], Iterable[RenderableType]], width: int, **environ: str) -> str:
    """What a screen puts onto a UTF-8 stdout of this width."""
    kept = BytesIO()
    stream = TextIOWrapper(kept, encoding="utf-8", newline="\n")
    output = Output(stream, stream, {"COLUMNS": str(width), **environ})
    output.show(*screen(Page(output.look.width, ascii_only=not output.look.unicode)))
    output.flush()
    return kept.getvalue().decode()


def _never(text: str) -> None:
    raise AssertionError(f"the journal warned: {text}")


def diagnosed() -> Verdict:
    return samples.failing(diagnosis=DIAGNOSED, output="")


def normal(home: Path, begun: datetime = BEGUN) -> Told:
    """Wrong at first, one hint, right at the deadline."""
    told = Told(home, plan((30, LAYERNORM)), begun).begin()
    told.wait(3).phase("implement").wait(4).save("import torch\n").wait(2).save(WRONG)
    told.grade(WRONG, diagnosed()).wait(4).hint(1).wait(3).save(RIGHT).phase("test").wait(1)
    told.grade(RIGHT, samples.passing()).wait(6).phase("follow-up").wait(2)
    told.answer(0, "Why the biased variance?", "Because the row is all there is.\nNothing is estimated.")
    told.answer(1, "Why does eps stand inside the square root, and how large should it be?", "")
    told.wait(5).deadline(RIGHT).finish()
    return told.grade(RIGHT, samples.passing(), purpose="deadline")


def overtime(home: Path, begun: datetime = BEGUN) -> Told:
    """Wrong at the deadline, right twelve minutes later."""
    told = Told(home, plan((30, LAYERNORM)), begun).begin()
    told.wait(2).phase("implement").wait(10).save(WRONG).grade(WRONG, diagnosed()).wait(18).deadline(WRONG)
    told.grade(WRONG, diagnosed(), purpose="deadline").wait(11).save(RIGHT).grade(RIGHT, samples.passing())
    return told.wait(1).hand_in(RIGHT).finish()


def paused(home: Path) -> Told:
    """Practice: ten minutes of pause, of which the session's clock knows nothing."""
    told = Told(home, plan((30, LAYERNORM), allow_pause=True)).begin()
    told.wait(5).event("pause").wait(10).event("unpause").wait(5).save(RIGHT).grade(RIGHT, samples.passing())
    return told.hand_in(RIGHT).finish()


def abandoned(home: Path) -> Told:
    """Given up in the first of two rounds, after one red grade."""
    told = Told(home, plan((45, LAYERNORM), (45, ATTENTION))).begin()
    told.wait(5).save(WRONG).grade(WRONG, diagnosed()).wait(7).hand_in(WRONG)
    return told.event("abort", data={"why": "the doorbell"})


def ungraded(home: Path) -> Told:
    """A snapshot and not one grade: the machine went down before."""
    told = Told(home, plan((30, LAYERNORM))).begin().wait(10).save(WRONG).wait(20).deadline(WRONG)
    return told.finish()


def only_hints(home: Path) -> Told:
    """Three hints, no file."""
    told = Told(home, plan((30, LAYERNORM))).begin()
    for rung in (1, 2, 3):
        told.wait(5).hint(rung)
    return told.wait(15).deadline(None).finish()


def onsite(home: Path, begun: datetime = BEGUN) -> Told:
    """Two rounds with an interviewer; the first handed in early, the second wrong, and a fault of ours in it."""
    told = Told(home, plan((45, LAYERNORM), (45, ATTENTION), interviewer=True), begun).begin()
    told.wait(4).phase("implement").wait(9).save(RIGHT).phase("test").wait(1).grade(RIGHT, samples.passing())
    told.event("note", LAYERNORM, {"text": "Said the shapes before writing.", "by": "interviewer"})
    told.wait(6).phase("follow-up").wait(10).hand_in(RIGHT).event("round", data={"round": 1})
    told.wait(6).phase("implement", 1).wait(20).save(WRONG, ATTENTION).event(
        "credit", ATTENTION, {"round": 1, "seconds": 90, "why": "the grader failed"}
    )
    told.grade(WRONG, diagnosed(), ATTENTION, round=1).wait(1).hint(1, ATTENTION).hint(2, ATTENTION).wait(10)
    told.grade(WRONG, diagnosed(), ATTENTION, round=1).phase("test", 1).wait(9.5).deadline(WRONG, ATTENTION, round=1)
    told.event("mark", data={"dimension": "correctness", "value": 2})
    told.event("mark", data={"dimension": "communication", "value": 4})
    return told.grade(WRONG, diagnosed(), ATTENTION, round=1, purpose="deadline").hand_in(WRONG, ATTENTION).finish()


def newer(home: Path) -> Told:
    """Events of a newer torch-kata, and known ones with data that mean nothing."""
    told = normal(home)
    junk: dict[str, object] = {"rung": "three", "question": [], "value": "4", "seconds": "ten", "verdict": 7, "how": {}}
    for kind in ("hologram", "note", "mark", "save", "hint", "answer", "credit", "pause", "phase", "round", "join"):
        told.event(kind, LAYERNORM if kind in ("hint", "answer", "save") else "", junk)
    return told


def hostile(home: Path) -> Told:
    """Every text that a candidate, an interviewer or a stranger's journal has a hand in is an attack."""
    attack = samples.HOSTILE + MARKUP
    source = f'"""{attack}"""\n{RIGHT}'
    told = Told(home, plan((30, LAYERNORM), preset=attack, interviewer=True, environment=((attack, attack),))).begin()
    told.wait(5).save(source).grade(source, samples.hostile()).hint(1)
    told.answer(0, attack, attack).event("note", LAYERNORM, {"text": attack, "by": attack})
    told.event("mark", data={"dimension": attack, "value": 1}).event("credit", data={"seconds": 1, "why": attack})
    told.event("join", data={"why": attack}).wait(25).deadline(source)
    return told.grade(source, samples.hostile(), purpose="deadline").finish()


MARKUP = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> ]]> --> {{ 7 * 7 }} "
    "</style></pre></svg> &lt; ' onload='x' `code` ``` | [link](javascript:alert(1)) ![x](http://evil.example/x.png) **bold**"
)

ALL: dict[str, Callable[[Path], Told]] = {
    "normal": normal,
    "overtime": overtime,
    "paused": paused,
    "abandoned": abandoned,
    "ungraded": ungraded,
    "only_hints": only_hints,
    "onsite": onsite,
    "newer": newer,
    "hostile": hostile,
}
