"""A verdict is one JSON document, whatever is in it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.render.jsonout import dumps, plain, verdict_document

samples = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("samples.py"))))

KEYS = {
    "schema_version", "kata", "verdict", "seed", "device", "isolation", "versions", "properties", "gradients", "forbidden",
    "diagnosis", "timing", "output",
}  # fmt: skip
PROPERTY_KEYS = {"id", "description", "category", "required", "status", "message", "counterexample"}


def strict(text: str) -> Any:
    """Parse as a strict reader does: no NaN, no Infinity."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("kind", samples.ALL)
def test_every_kind_of_verdict_is_one_ascii_line_with_the_promised_keys(kind: str) -> None:
    text = dumps(verdict_document(samples.ALL[kind]()))
    assert text.isascii()
    assert text.count("\n") == 1
    document = strict(text)
    assert document.keys() >= KEYS
    assert document["diagnosis"] is None
    assert (document["timing"] is None) == (samples.ALL[kind]().timing is None)
    assert (document["timing"] is None) == (samples.ALL[kind]().timing is None)
    for result in document["properties"]:
        assert result.keys() >= PROPERTY_KEYS


def test_the_words_of_the_document() -> None:
    document = verdict_document(samples.failing())
    assert document["schema_version"] == 1
    assert document["verdict"] == "fail"
    assert {result["status"] for result in document["properties"]} == {"passed", "failed"}
    assert document["properties"][0]["counterexample"]["worst"] == [1, 0]
    assert document["gradients"][1] == {
        "name": "weight", "kind": "parameter", "received": False, "matches": False, "largest_error": None,
    }  # fmt: skip
    assert document["isolation"] == {"level": "process-only", "layers": ["process"], "missing": ["landlock", "seccomp"]}


def test_what_json_lacks_becomes_a_string() -> None:
    got = strict(dumps(verdict_document(samples.not_finite())))["properties"][0]["counterexample"]
    assert got["got"]["values"] == [["nan", "inf", "-inf"], [0.0, -0.0, 1e-7]]
    assert got["error"] == "nan"


def test_untrusted_text_comes_back_exactly() -> None:
    document = strict(dumps(verdict_document(samples.hostile())))
    assert document["properties"][0]["message"] == samples.HOSTILE
    assert document["forbidden"][0]["code"] == samples.HOSTILE


def test_objects_of_other_types_become_text() -> None:
    assert plain({"a": (1, Path("x"))}) == {"a": [1, "x"]}
