"""A Verdict as one JSON document: the public, versioned form. A pure function; imports only the standard library.

JSON has no NaN and no infinity: they become the strings "nan", "inf" and "-inf". The text is ASCII, so that nothing a
candidate wrote can reach a terminal as more than its escape.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from enum import Enum
from typing import Any

from grader.verdict import PropertyResult, Verdict


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """The document of `kata grade --json`, keys in reading order."""
    return {
        "schema_version": verdict.schema_version,
        "kata": verdict.kata,
        "title": verdict.title,
        "verdict": verdict.outcome.value,
        "reason": verdict.reason,
        "submission": verdict.submission,
        "seed": verdict.seed,
        "device": verdict.device,
        "dtypes": list(verdict.dtypes),
        "isolation": None if verdict.isolation is None else plain(asdict(verdict.isolation)),
        "versions": plain(verdict.versions),
        "first_failure": None if verdict.first_failure is None else verdict.first_failure.id,
        "properties": [_property(result) for result in verdict.properties],
        "gradients": [plain(asdict(row)) for row in verdict.gradients],
        "forbidden": [{**plain(asdict(call)), "fails": call.fails} for call in verdict.forbidden],
        "exception": None if verdict.exception is None else plain(asdict(verdict.exception)),
        "advice": verdict.advice,
        "hints_used": verdict.hints_used,
        "read_at": verdict.read_at,
        "diagnosis": None if verdict.diagnosis is None else plain(asdict(verdict.diagnosis)),
        "timing": None if verdict.timing is None else plain(asdict(verdict.timing)),
        "output": verdict.output,
        "output_truncated": verdict.output_truncated,
        "seconds": plain(verdict.seconds),
    }


def _property(result: PropertyResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "description": result.description,
        "category": result.category,
        "required": result.required,
        "status": result.status.value,
        "message": result.message,
        "counterexample": None if result.counterexample is None else plain(asdict(result.counterexample)),
        "exception": None if result.exception is None else plain(asdict(result.exception)),
    }


def plain(value: Any) -> Any:
    """`value` with nothing in it that JSON lacks."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def dumps(document: Any) -> str:
    """One document on one line, with its newline."""
    return json.dumps(document, allow_nan=False) + "\n"
