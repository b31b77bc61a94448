"""Print how often decisions on speed are wrong, and what they cost, as Markdown tables.

    python tests/benchmarks/timing.py [--decisions N] [--part a|b|c|corpus ...] [--load idle|bursts ...]

(a) The same code against itself: "slower than 1.1 times" within a worker, "slower than 1.5 times" across workers.
(b) True slowdowns of 1.2, 1.5 and 2 times, at the limit in the middle (its square is the slowdown): the same code called 6
times beside 5, 3 beside 2, 2 beside 1, at a quarter of the kata's size, so that a call lasts about as long as in (a). The
first call finds its inputs in no cache, so the slowdown is less than its name says; the table has what was measured.
(c) How long a decision takes, and a timed grade of a right LayerNorm as a multiple of `import torch`.
(corpus) Every right submission beside its kata's limit: how far from it, and whether the decision is what its header says.

(a) and (b) run on an idle machine (as idle as it is) and beside bursts of load on every processor: processes of our own that
are ended by their ids. N decisions (300) for each row. Figures of a machine that others use say something about them too.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from corpus import files, name, read_header  # noqa: E402

from grader import host  # noqa: E402
from grader.catalog import Kata, get_kata  # noqa: E402
from grader.timing.decision import TOO_SLOW, UNDECIDED  # noqa: E402
from grader.timing.machine import describe_machine  # noqa: E402
from grader.timing.speed import MODES, compare_speed  # noqa: E402
from grader.verdict import Speed  # noqa: E402

KATAS = ("layernorm", "scaled-dot-product", "linear-attention")
SLOWDOWNS = (("1.2", 6, 5), ("1.5", 3, 2), ("2", 2, 1))  # true ratio, calls of either side
SMALLER = 4  # times than the kata's size, where a call is repeated
GRADES = 9
BURSTS = """
import random, time
rng = random.Random({seed})
while True:
    end = time.monotonic() + rng.uniform(0.02, 0.3)
    while time.monotonic() < end:
        sum(range(1000))
    time.sleep(rng.uniform(0.02, 0.3))
"""
REPEATED_FUNCTION = """

_once = {name}


def {name}(*args):
    total = _once(*args)
    for _ in range({times} - 1):
        total = total + _once(*args)
    return total / {times}
"""
REPEATED_MODULE = """

_Once = {name}


class {name}(_Once):
    def forward(self, *args):
        total = super().forward(*args)
        for _ in range({times} - 1):
            total = total + super().forward(*args)
        return total / {times}
"""


@dataclass
class Tally:
    """What came of one row of a table."""

    speeds: list[Speed]

    @property
    def too_slow(self) -> int:
        return sum(speed.decision == TOO_SLOW for speed in self.speeds)

    @property
    def undecided(self) -> int:
        return sum(speed.decision == UNDECIDED for speed in self.speeds)

    @property
    def within(self) -> list[Speed]:
        """Those made in one worker."""
        return [speed for speed in self.speeds if speed.against == "control"]

    @property
    def seconds(self) -> float:
        return statistics.median(speed.seconds for speed in self.speeds)

    @property
    def ratios(self) -> str:
        ratios = sorted(speed.ratio for speed in self.speeds)
        return f"{statistics.median(ratios):.3f} ({ratios[0]:.3f}–{ratios[-1]:.3f})"

    @property
    def noise(self) -> float:
        return statistics.median(speed.noise for speed in self.speeds)


@contextlib.contextmanager
def load(kind: str) -> Iterator[None]:
    """Bursts of load on every processor, or nothing."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    burners = [
        subprocess.Popen([sys.executable, "-S", "-c", BURSTS.format(seed=seed)])
        for seed in range(count if kind == "bursts" else 0)
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def repeated(kata: Kata, times: int, folder: Path) -> Path:
    """A file whose entry symbols call the reference's several times and take the mean of the answers."""
    text = kata.reference.read_text(encoding="utf-8")
    for entry in kata.entries:
        template = REPEATED_MODULE if entry.kind == "module" else REPEATED_FUNCTION
        text += template.format(name=entry.name, times=times)
    path = folder / f"{kata.id}-{times}.py"
    path.write_text(text, encoding="utf-8")
    return path


def decisions(
    count: int,
    kata_of: dict[str, Kata],
    source_of: dict[str, bytes],
    *,
    limit: float,
    across: bool = False,
    smaller: int = 1,
) -> Tally:
    """`count` decisions, the workloads and modes taking turns, each pair in fresh workers."""
    speeds: list[Speed] = []
    names = list(kata_of)
    while len(speeds) < count:
        name = names[len(speeds) // len(MODES) % len(names)]
        size = get_kata(name).bench.size // smaller
        report = compare_speed(kata_of[name], source_of[name], size=size, modes=MODES, limit=limit, across=across)
        if report.faults:
            sys.exit(f"{name}: {report.faults}")
        speeds += report.speeds
        print(f"\r{len(speeds)} of {count}", end="", file=sys.stderr, flush=True)
    print("\r", end="", file=sys.stderr)
    return Tally(speeds[:count])


def part_a(count: int, loads: list[str]) -> None:
    katas = {name: get_kata(name) for name in KATAS}
    sources = {name: kata.reference.read_bytes() for name, kata in katas.items()}
    print(
        "\n| the same code | load | decisions | too slow | undecided | across workers | ratio | median time | noise |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for kind in loads:
        for across, limit, what in ((False, 1.1, "in one worker, 1.1 ×"), (True, 1.5, "across workers, 1.5 ×")):
            with load(kind):
                tally = decisions(count, katas, sources, limit=limit, across=across)
            # What was decided across workers where it should not have been is another matter, told in its own column.
            within = tally if across else Tally(tally.within)
            turned = len(tally.speeds) - len(within.speeds)
            print(
                f"| {what} | {kind} | {len(within.speeds)} | {within.too_slow} ({within.too_slow / len(within.speeds):.1%}) "
                f"| {within.undecided} | {turned if not across else '-'} | {within.ratios} | {within.seconds:.2f} s "
                f"| {within.noise:.2f} |",
                flush=True,
            )


def part_b(count: int, loads: list[str]) -> None:
    """All decisions count here, wherever they were made: what is slow must be found."""
    print(
        "\n| true slowdown | limit | load | decisions | found | undecided | not found | across workers | ratio | median time "
        "| noise |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in loads:
            for true, calls, calls_of_reference in SLOWDOWNS:
                limit = math.sqrt(calls / calls_of_reference)
                katas, sources = {}, {}
                for name in KATAS:
                    kata = get_kata(name)
                    katas[name] = replace(kata, reference=repeated(kata, calls_of_reference, Path(folder)))
                    sources[name] = repeated(kata, calls, Path(folder)).read_bytes()
                with load(kind):
                    tally = decisions(count, katas, sources, limit=limit, smaller=SMALLER)
                made, undecided = len(tally.speeds), tally.undecided
                print(
                    f"| {true} × | {limit:.3f} × | {kind} | {made} | {tally.too_slow} ({tally.too_slow / made:.1%}) "
                    f"| {undecided} | {made - tally.too_slow - undecided} | {made - len(tally.within)} | {tally.ratios} "
                    f"| {tally.seconds:.2f} s | {tally.noise:.2f} |",
                    flush=True,
                )


def part_c(count: int) -> None:
    katas = {name: get_kata(name) for name in KATAS}
    sources = {name: kata.reference.read_bytes() for name, kata in katas.items()}
    tally = decisions(count, katas, sources, limit=2.0)
    right = str(ROOT / "grader" / "demo" / "right_layernorm.py")
    arguments = ["kata", "grade", "--kata", "layernorm", right]
    grade = f"import sys; sys.argv = {arguments!r}; from grader.cli import main; main()"
    with tempfile.TemporaryDirectory() as home:
        jobs = ("import torch", grade)
        took = [[_seconds(code, home) for code in jobs] for _ in range(GRADES + 1)][1:]
    base, timed = (statistics.median(each) for each in zip(*took, strict=True))
    print("\n| | measured | bound |\n|---|---|---|")
    print(f"| median decision | {tally.seconds:.2f} s | 0.5 s |")
    print(
        f"| timed grade of a right LayerNorm ÷ `import torch` | {timed / base:.2f} ({timed:.2f} s ÷ {base:.2f} s) | 3.5 |"
    )


def part_corpus() -> None:
    """A row for each file: the slowest mode's ratio, the limit, how many times apart they are."""
    print("\n| file | ratio | limit | apart | decision |")
    print("|---|---|---|---|---|")
    for path in files("right"):
        expected = read_header(path)
        kata = get_kata(expected.kata)
        report = compare_speed(kata, path.read_bytes())
        if report.faults:
            print(f"| {name(path)} | - | - | - | {report.faults} |", flush=True)
            continue
        slowest = max(report.speeds, key=lambda speed: speed.ratio)
        slow = any(speed.decision == TOO_SLOW for speed in report.speeds)
        said = "" if slow == (expected.timing == TOO_SLOW) else " (its header says otherwise)"
        apart = max(slowest.ratio / slowest.limit, slowest.limit / slowest.ratio)
        decisions = ", ".join(speed.decision for speed in report.speeds)
        print(
            f"| {name(path)} | {slowest.ratio:.2f} ({slowest.low:.2f}–{slowest.high:.2f}) | {slowest.limit:g} | {apart:.2f} × "
            f"| {decisions}{said} |",
            flush=True,
        )


def _seconds(code: str, home: str) -> float:
    environ = {**os.environ, "KATA_HOME": home, "PYTHONPATH": str(ROOT)}
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], env=environ, cwd=home, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{code!r} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=300)
    parser.add_argument("--part", nargs="+", choices=("a", "b", "c", "corpus"), default=["a", "b", "c"])
    parser.add_argument("--load", nargs="+", choices=("idle", "bursts"), default=["idle", "bursts"])
    options = parser.parse_args()
    print(", ".join(f"{name} {value}" for name, value in describe_machine().items()))
    try:
        if "a" in options.part:
            part_a(options.decisions, options.load)
        if "b" in options.part:
            part_b(options.decisions, options.load)
        if "c" in options.part:
            part_c(min(options.decisions, 60))
        if "corpus" in options.part:
            part_corpus()
    finally:
        host.shut_down()


if __name__ == "__main__":
    main()
