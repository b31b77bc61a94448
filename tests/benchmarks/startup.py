"""How long a person waits, as ratios measured in one run on one machine: `python tests/benchmarks/startup.py [ROUNDS]`.

Every round runs the yardsticks and the commands one after another, so that what else the machine does hits all alike.
Prints medians; asserts nothing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
KATA = [sys.executable, "-m", "grader.cli"]
YARDSTICKS = {
    "import click and rich": [sys.executable, "-c", "import click, rich.console, rich.table"],
    "import torch": [sys.executable, "-c", "import torch"],
}
# name, command, yardstick, bound
COMMANDS = [
    ("kata --help", [*KATA, "--help"], "import click and rich", 2.5),
    ("kata list", [*KATA, "list"], "import click and rich", 2.5),
    ("kata hint layernorm", [*KATA, "hint", "layernorm"], "import click and rich", 2.5),
    ("kata status", [*KATA, "status"], "import click and rich", 2.5),
    ("kata grade, a right LayerNorm", [*KATA, "grade", "layernorm.py"], "import torch", 2.0),
]


def measure(command: list[str], folder: str) -> float:
    """Wall time of one run in seconds."""
    environment = {**os.environ, "KATA_HOME": str(Path(folder, "home")), "PYTHONPATH": str(ROOT)}
    started = time.perf_counter()
    subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - started


def main(rounds: int) -> None:
    everything = {**YARDSTICKS, **{name: command for name, command, _, _ in COMMANDS}}
    times: dict[str, list[float]] = {name: [] for name in everything}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "layernorm.py").write_text((ROOT / "reference/layernorm.py").read_text())
        for command in everything.values():  # warm the disk cache
            measure(command, folder)
        for _ in range(rounds):
            for name, command in everything.items():
                times[name].append(measure(command, folder))
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name in YARDSTICKS:
        print(f"{name:32} {middle[name] * 1000:7.0f} ms")
    for name, _, yardstick, bound in COMMANDS:
        ratio = statistics.median(a / b for a, b in zip(times[name], times[yardstick], strict=True))
        print(f"{name:32} {middle[name] * 1000:7.0f} ms  {ratio:5.2f} × {yardstick} (bound {bound} ×)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 11)
