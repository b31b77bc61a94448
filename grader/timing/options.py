"""How a user asks for timing. Apart from what measures, so that whoever only reads options imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

BUDGET = 2.0  # seconds for one decision


@dataclass(frozen=True, slots=True)
class TimingOptions:
    """How to time, as the user asked for it."""

    budget: float = BUDGET  # seconds for each decision
