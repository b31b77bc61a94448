"""How long requests and rounds are on a device, and how much evidence decides there: numbers and what they rest on, no code."""

from __future__ import annotations

from dataclasses import dataclass

from grader.timing.decision import LEAD


@dataclass(frozen=True, slots=True)
class Pace:
    """How long requests are and how much evidence is wanted; a GPU's clock is coarser than a processor's."""

    request: float  # seconds
    round: float  # seconds that submission and control take in it together
    lead: int  # votes
    patience: float = 1.0  # times the budget: on a GPU most of it goes into carrying new inputs there


CPU_PACE = Pace(request=0.0012, round=0.020, lead=LEAD)
GPU_PACE = Pace(request=0.005, round=0.040, lead=9, patience=4.0)  # after what others report: nothing was measured


def pace_of(device: str) -> Pace:
    return CPU_PACE if device == "cpu" else GPU_PACE
