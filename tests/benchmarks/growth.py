"""Print how the grader judges the growth of each implementation in tests/growth, and whether it does so every time.

    python tests/benchmarks/growth.py [RUNS] [NAME ...]

Every run (20) is a fresh worker. Exponents of the counts are those of the forward pass and, after a stroke, with the backward
pass; they must be the same in all runs. The clock is asked where the counts are linear; its exponent is the largest of all runs
for linear code and the smallest for quadratic code. Nothing is asserted.
"""

from __future__ import annotations

import collections
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

from grader.catalog import get_kata  # noqa: E402
from grader.timing.complexity import BOTH, FORWARD, LARGEST_TENSOR, OWN_WORK, PEAK, WORK, examine_growth  # noqa: E402
from grader.timing.cpu_growth import CPU_TIME  # noqa: E402
from grader.timing.workload import load_workload  # noqa: E402
from grader.verdict import Growth, Status  # noqa: E402
from grader.worker_process import Worker  # noqa: E402

KATA = get_kata("linear-attention")
WORKLOAD = load_workload(KATA)
COLUMNS = ((WORK, OWN_WORK), (LARGEST_TENSOR, LARGEST_TENSOR), (PEAK, PEAK))


def run(path: Path) -> tuple[tuple[Growth, ...], bool, float]:
    """The growth, whether `linear-time` holds, and the seconds that it took."""
    with Worker(path.read_bytes()) as worker:
        entries = [{"name": e.name, "kind": e.kind} for e in KATA.entries]
        worker.request({"op": "load", "path": worker.path, "forbidden": [], "entries": entries})
        started = time.perf_counter()
        growth, _, results = examine_growth(KATA, worker, WORKLOAD, device="cpu", dtype=torch.float32)
        took = time.perf_counter() - started
    return growth, all(r.status is Status.PASSED for r in results), took


def row(path: Path, runs: int) -> tuple[str, bool, int]:
    """A line of the table, whether every run judged right, and in how many runs the counts were the same."""
    found = [run(path) for _ in range(runs)]
    counted = collections.Counter(tuple(g for g in growth if g.what != CPU_TIME) for growth, _, _ in found)
    counts, same = counted.most_common(1)[0]
    exponents = {(g.what, g.mode): g.exponent for g in counts}
    cells = [f"{exponents[one, FORWARD]:.2f} / {exponents[two, BOTH]:.2f}" for one, two in COLUMNS]
    linear = path.parent.name == "linear"
    clock = [max((g.exponent for g in growth if g.what == CPU_TIME), default=None) for growth, _, _ in found]
    right = sum(holds == linear for _, holds, _ in found)
    took = sorted(seconds for _, _, seconds in found)[runs // 2]
    asked = [c for c in clock if c is not None]
    cells += [
        f"{(max if linear else min)(asked):.2f}" if asked else "not asked",
        f"{right} of {runs}",
        f"{same} of {runs}",
        f"{took:.2f} s",
    ]
    name = path.stem.replace("_", " ")
    return f"| {path.parent.name} | {name} | {' | '.join(cells)} |", right == runs, same


def main() -> None:
    torch.set_num_threads(1)
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    names = [a for a in sys.argv[1:] if not a.isdigit()]
    runs = numbers[0] if numbers else 20
    paths = [p for p in sorted((ROOT / "tests" / "growth").glob("*/*.py")) if not names or p.stem in names]
    print(
        "| is | implementation | work | largest tensor | peak memory | CPU time | judged right | same counts | took |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    all_right, all_same = 0, 0
    for path in paths:
        line, right, same = row(path, runs)
        print(line, flush=True)
        all_right, all_same = all_right + right, all_same + (same == runs)
    print(
        f"\n{all_right} of {len(paths)} judged right in every run; counts the same in every run for {all_same} of {len(paths)}."
    )


if __name__ == "__main__":
    main()
