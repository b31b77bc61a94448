"""A report as one JSON document: the public, versioned form. ASCII text, no NaN; verdicts as in `kata grade --json`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from grader.render.jsonout import plain, verdict_document
from grader.report.model import Report
from grader.verdict import Verdict


def report_document(report: Report) -> dict[str, Any]:
    """The document of `kata interview report --format json`: the version first, then the fields of Report by name."""
    document: dict[str, Any] = _document(report)
    return {"schema_version": document.pop("schema_version"), **document}


def _document(value: Any) -> Any:
    if isinstance(value, Verdict):
        return verdict_document(value)
    if is_dataclass(value):
        return {field.name: _document(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, (list, tuple)):
        return [_document(item) for item in value]
    return plain(value)
