"""A verdict comes back from its document as it was, and a document of any other kind does no harm."""

from __future__ import annotations

import dataclasses
import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.catalog import Kata, find_katas
from grader.output import Output
from grader.render.jsonout import dumps, verdict_document
from grader.render.page import Page
from grader.render.terminal import screen
from grader.timing.speed import limits_of
from grader.timing.workload import load_workload
from grader.verdict import Diagnosis, Growth, Outcome, Round, Speed, Status, Timing, Verdict
from grader.verdict_json import verdict_of

samples = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("samples.py"))))

DIAGNOSIS = Diagnosis(
    "two mistakes", "a", "Forgets.", "add it", "on 9 of 10", also=(Diagnosis("mistake", "b", "", "", ""),)
)
TIMING = Timing(
    speeds=(Speed("forward", "f(x)", "float32", 5.0, "too-slow", 7.5, 7.0, 8.0, "control", (Round(1e-3, 2e-4),), 9.5),),
    growth=(Growth("work", "elements", "forward", (64, 128), (1.0, 4.0), 2.0, 1.3),),
    memory="holds an L×S matrix",
    machine={"cpu": "an ordinary one"},
)
VERDICTS = {
    **samples.ALL,
    "diagnosed": lambda: samples.failing(diagnosis=DIAGNOSIS),
    "with timing": lambda: samples.failing(timing=TIMING),
}


def document(verdict: Verdict) -> Any:
    return json.loads(dumps(verdict_document(verdict)))


def shown(verdict: Verdict, width: int) -> str:
    console = Output(environ={"COLUMNS": str(width)}).console
    with console.capture() as capture:
        console.print(screen(Page(width), verdict))
    return capture.get()


@pytest.mark.parametrize("kind", VERDICTS)
def test_what_is_written_is_read_back_exactly(kind: str) -> None:
    verdict = VERDICTS[kind]()
    again = verdict_of(document(verdict))
    assert dumps(verdict_document(again)) == dumps(verdict_document(verdict))
    assert [shown(again, width) for width in (60, 120)] == [shown(verdict, width) for width in (60, 120)]


@pytest.mark.parametrize("kata", [k for k in find_katas().values() if k.bench], ids=lambda kata: kata.id)
def test_every_mode_in_which_a_kata_is_timed_is_read_back(kata: Kata) -> None:
    modes = limits_of(kata, load_workload(kata))
    speeds = tuple(samples.speed(mode, decision="undecided") for mode in modes)
    laws = tuple(samples.result((speed.property_id, "timing", "It is quick.")) for speed in speeds)
    again = verdict_of(document(samples.passing(timing=Timing(speeds=speeds), properties=laws)))
    assert again.timing is not None
    assert [speed.mode for speed in again.timing.speeds] == list(modes)
    assert again.undecided == {law.id for law in laws}


def test_every_part_is_of_its_own_type_again() -> None:
    verdict = dataclasses.replace(samples.failing(), timing=TIMING, diagnosis=DIAGNOSIS)
    assert verdict_of(document(verdict)).timing == TIMING
    assert verdict_of(document(verdict)).diagnosis == DIAGNOSIS
    assert verdict_of(document(verdict)).properties[0].status is Status.FAILED


def test_an_older_document_lacks_what_came_later() -> None:
    old = document(samples.failing())
    for key in ("diagnosis", "timing", "versions", "isolation", "dtypes", "hints_used"):
        del old[key]
    for result in old["properties"]:
        del result["category"], result["exception"]
    verdict = verdict_of(old)
    assert (verdict.outcome, verdict.timing, verdict.versions) == (Outcome.FAIL, None, {})
    assert len(verdict.properties) == len(samples.failing().properties)
    assert "FAIL" in shown(verdict, 80)


def test_a_newer_document_has_more_than_is_known() -> None:
    newer = {**document(samples.passing()), "schema_version": 7, "mood": {"good": True}}
    newer["properties"][0]["colour"] = "green"
    assert verdict_of(newer).outcome is Outcome.PASS


@pytest.mark.parametrize("wrong", [None, 3, True, "text", [], {}, [[3]], {"a": 1}, 1e400])
def test_a_value_of_another_type_is_left_out(wrong: Any) -> None:
    whole = document(VERDICTS["with timing"]())
    for key in whole:
        if key != "verdict":
            broken = {**whole, key: wrong}
            shown(verdict_of(broken), 80)
    for key in whole["properties"][0]:
        verdict = verdict_of({**whole, "properties": [{**whole["properties"][0], key: wrong}, wrong]})
        assert len(verdict.properties) in (1, 2)  # {} is taken for a result of which nothing is known


@pytest.mark.parametrize("wrong", [{}, {"verdict": "splendid"}, {"verdict": None}, {"verdict": []}])
def test_what_is_no_verdict_is_an_error(wrong: Any) -> None:
    with pytest.raises(ValueError, match="no verdict"):
        verdict_of(wrong)


ATTACK = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e[red]"


def attacked(value: Any, key: str = "") -> Any:
    """The same with an attack at the end of every text but the outcome."""
    if isinstance(value, dict):
        return {name: attacked(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [attacked(each, key) for each in value]
    return value + ATTACK if isinstance(value, str) and key != "verdict" else value


@pytest.mark.parametrize("width", ["60", "120"])
@pytest.mark.parametrize("kind", VERDICTS)
def test_no_text_of_a_strangers_verdict_moves_the_cursor(kind: str, width: str, tmp_path: Path) -> None:
    found = verdict_of(attacked(document(VERDICTS[kind]())))
    with (tmp_path / "out").open("w+", encoding="utf-8") as stream:
        output = Output(stream, stream, {"COLUMNS": width, "NO_COLOR": "1"})
        output.show(screen(Page(int(width)), found))
        output.flush()
        stream.seek(0)
        shown = stream.read()
    assert not set(shown) & set("\x1b\x07\x9b\u202e")


def test_words_of_the_graders_own_are_not_anothers() -> None:
    told = document(samples.failing(timing=TIMING))
    told["properties"][0]["category"] = ATTACK
    told["timing"]["speeds"][0]["mode"] = ATTACK
    found = verdict_of(told)
    assert found.properties[0].category == ""
    assert found.timing is not None
    assert found.timing.speeds[0].mode == ""
