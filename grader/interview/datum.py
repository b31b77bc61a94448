"""The data of an event, looked at before it is believed: a journal may be of a newer torch-kata, or a stranger's. Pure."""

from __future__ import annotations

from typing import Any

LARGEST = 1e9
"""Of a number that is believed: seconds of thirty years, and more than anybody counts here."""


def number(value: Any) -> float | None:
    """A number, None where it is none that can be meant."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if -LARGEST <= value <= LARGEST else None  # NaN is in no range


def count(value: Any) -> int | None:
    """A whole number that counts something, None where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST else None


def words(value: Any) -> str:
    """Text, "" where it is none."""
    return value if isinstance(value, str) else ""
