"""What a worker says in words about the code: exceptions and forbidden calls, beside lines of our own copy of the file.

Words come from the untrusted side: they are cut to a length and shown, and nothing else is believed. No torch, no judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.verdict import CandidateException, ForbiddenCall, Frame
from grader.worker.protocol import read_line_number, read_text


def line_of(lines: Sequence[str], number: int | None) -> str:
    """The text of a line, "" where the file has no such line."""
    if number is None or not 1 <= number <= len(lines):
        return ""
    return lines[number - 1].strip()[:200]


def read_exception(raw: dict[str, Any], lines: Sequence[str]) -> CandidateException:
    """An exception that the code raised."""
    told = raw.get("frames")
    frames = []
    for frame in told[:8] if isinstance(told, list) else []:
        line = read_line_number(frame) if isinstance(frame, dict) else None
        if line is not None:
            frames.append(Frame(line, read_text(frame, "function", 100), line_of(lines, line)))
    return CandidateException(read_text(raw, "type", 100), read_text(raw, "message", 2000), tuple(frames))


def read_syntax_error(raw: dict[str, Any], lines: Sequence[str]) -> CandidateException:
    """The complaint of Python's parser; it has no frame, or the one of the line."""
    line = read_line_number(raw)
    frames = () if line is None else (Frame(line, "", line_of(lines, line)),)
    return CandidateException(read_text(raw, "type", 50), read_text(raw, "message", 300), frames)


def read_forbidden(raw: dict[str, Any], lines: Sequence[str], source: str) -> ForbiddenCall:
    """A forbidden operator that was called (`source` "recorder") or is only written down ("syntax")."""
    line = read_line_number(raw)
    return ForbiddenCall(read_text(raw, "operator", 200), source, line, line_of(lines, line))
