"""What `kata bench` measured: one Speed for each size, dtype and mode, and the lines that are drawn through them.

Frozen data and arithmetic, as in `verdict.py`: nothing here measures, prints or imports torch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from grader.verdict import Speed

SCHEMA_VERSION = 1
MOST_SIZES = 16
LARGEST = 3  # sizes that a slope is fitted on: at the small ones a call's own cost hides the growth

YOURS, REFERENCE, LIBRARY = "yours", "reference", "library"


@dataclass(frozen=True, slots=True)
class Point:
    """One size in one dtype and mode."""

    size: int
    speed: Speed

    @property
    def reference(self) -> float:
        """Seconds of a call of the reference: the median of the rounds, of each its quickest."""
        return median(r.reference for r in self.speed.rounds)

    @property
    def yours(self) -> float:
        """Seconds of a call of the candidate's code, in agreement with the ratio, which is the steadier figure."""
        return self.speed.ratio * self.reference

    @property
    def library(self) -> float | None:
        """Seconds of a call of the library operator, where there is one."""
        return None if not self.speed.library else self.yours / self.speed.library


@dataclass(frozen=True, slots=True)
class Line:
    """The times of one code over the sizes. `who` is YOURS, REFERENCE or LIBRARY."""

    who: str
    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def slope(self) -> float | None:
        """The exponent of the growth at the largest sizes; None where there are too few."""
        return slope(self.sizes[-LARGEST:], self.seconds[-LARGEST:])


@dataclass(frozen=True, slots=True)
class Panel:
    """What belongs into one plot: the lines of one mode in one dtype."""

    mode: str
    dtype: str
    points: tuple[Point, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Yours first."""
        names = [p.speed.library_name for p in self.points if p.library is not None]
        made = []
        for who, name in ((YOURS, YOURS), (REFERENCE, "the reference"), (LIBRARY, names[0] if names else "")):
            known = [(p.size, seconds) for p in self.points if (seconds := getattr(p, who)) is not None]
            if known:
                made.append(Line(who, name, *zip(*known, strict=True)))
        return tuple(made)


@dataclass(frozen=True, slots=True)
class BenchResult:
    """One run of `kata bench`, finished or not."""

    kata: str
    submission: str
    device: str
    size_name: str = "N"  # what a size is: "L = S"
    points: tuple[Point, ...] = ()
    verdict: str = "pass"  # of the grade beforehand: only right code is timed; "" where it was left out
    reason: str = ""  # why nothing, or not everything, was timed
    machine: dict[str, str] = field(default_factory=dict)

    @property
    def checked(self) -> bool:
        """The answers were found right before the clock was started."""
        return self.verdict == "pass"

    @property
    def panels(self) -> tuple[Panel, ...]:
        """By dtype, then by mode, each in the order in which it was measured."""
        found: dict[tuple[str, str], list[Point]] = {}
        for point in self.points:
            if point.speed.rounds:
                found.setdefault((point.speed.dtype, point.speed.mode), []).append(point)
        return tuple(
            Panel(mode, dtype, tuple(sorted(points, key=lambda p: p.size))) for (dtype, mode), points in found.items()
        )

    def document(self) -> dict[str, Any]:
        """The document of `kata bench --json`, before `jsonout.plain`."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kata": self.kata,
            "submission": self.submission,
            "verdict": self.verdict or None,
            "reason": self.reason,
            "device": self.device,
            "size_name": self.size_name,
            "machine": self.machine,
            "points": [asdict(point) for point in self.points],
            "slopes": [
                {"mode": panel.mode, "dtype": panel.dtype, "who": line.who, "name": line.name, "slope": line.slope}
                for panel in self.panels
                for line in panel.lines
            ],
        }


def slope(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """The exponent b of the least-squares line seconds = a · sizeᵇ; None below two different sizes."""
    if len(set(sizes)) < 2:
        return None
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - middle_x) ** 2 for a in x)
    return sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)) / spread


def read_sizes(text: str) -> tuple[int, ...]:
    """`128,256,512` as numbers, sorted, each once. ValueError says what is wrong."""
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise ValueError(f"whole numbers with commas between them wanted, {text!r} found") from None
    if sizes[0] < 1 or len(sizes) > MOST_SIZES:
        raise ValueError(f"1 to {MOST_SIZES} sizes of at least 1 wanted, {text!r} found")
    return tuple(sizes)
