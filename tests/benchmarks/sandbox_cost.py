"""Print what the sandbox costs per submission: from asking for a worker to its first reply, with the layers and without.

    python tests/benchmarks/sandbox_cost.py [RUNS]

Medians of RUNS workers of each sort (30), taking turns. Both sorts are forked from a zygote as ever; in one of them
`Sandbox.apply` does nothing but start a session. The bar is 50 ms over the plain worker; nothing is asserted.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader import host  # noqa: E402
from grader.worker_process import Worker  # noqa: E402

BAR = 50  # milliseconds
WITHOUT_LAYERS = (
    "import os\n"
    "from grader.worker.limits import Sandbox\n"
    "def apply(self, folder, device):\n"
    "    os.setsid()\n"
    "    return {'level': 'process-only', 'layers': [], 'missing': []}\n"
    "Sandbox.apply = apply\n"
)
SETUP = "import sys; sys.path.extend(p for p in sys.argv[2:] if p not in sys.path)\n"


def start_zygote(*, layers: bool) -> host.Zygote:
    """A zygote whose workers apply every layer, or none."""
    boot = host._BOOT
    try:
        if not layers:
            host._BOOT = SETUP + WITHOUT_LAYERS + boot
        return host.Zygote()
    finally:
        host._BOOT = boot


def first_reply(zygote: host.Zygote) -> tuple[float, str]:
    """Milliseconds from asking for a worker until it has answered its first question, and its isolation."""
    host._zygotes[False] = zygote
    start = time.perf_counter()
    with Worker(b"x = 1\n") as worker:
        worker.request({"op": "parse", "path": worker.path, "forbidden": []})
        return (time.perf_counter() - start) * 1000, worker.isolation.level


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    zygotes = {"plain": start_zygote(layers=False), "sandboxed": start_zygote(layers=True)}
    took: dict[str, list[float]] = {name: [] for name in zygotes}
    levels: dict[str, str] = {}
    try:
        for _ in range(runs + 1):
            for name, zygote in zygotes.items():
                each, levels[name] = first_reply(zygote)
                took[name].append(each)
    finally:
        for zygote in zygotes.values():
            zygote.close()
        host._zygotes.clear()
    show: Callable[[float], str] = "{:6.1f} ms".format
    medians = {}
    for name, all_of_them in took.items():
        times = all_of_them[1:]  # the first ones import torch
        medians[name] = statistics.median(times)
        low, high = statistics.quantiles(times, n=10)[0], statistics.quantiles(times, n=10)[-1]
        print(f"{name:10} {show(medians[name])}   (80 % within {low:.1f} to {high:.1f}; isolation: {levels[name]})")
    print(f"the layers {show(medians['sandboxed'] - medians['plain'])}   (bar {BAR} ms)")


if __name__ == "__main__":
    main()
