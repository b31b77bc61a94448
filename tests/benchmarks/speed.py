"""Print how long the commands take, as ratios to what they cannot do without.

    python tests/benchmarks/speed.py [RUNS]

Medians of RUNS runs (15). Base and commands take turns, so that a busy moment of the machine meets them all; even so only
the ratios mean anything, and this is no timed test. The bounds are 2.5 for commands that do not grade, 2 for a grade
without timing, 3.5 for one with it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KATA = "from grader.cli import main; main()"
RIGHT = ["--kata", "layernorm", str(ROOT / "grader" / "demo" / "right_layernorm.py")]
GROUPS = (
    ("import click, rich.console, rich.table", 2.5, (["--help"], ["list"], ["hint", "layernorm"], ["status"])),
    ("import torch", 2.0, (["grade", "--no-timing", *RIGHT],)),
    ("import torch", 3.5, (["grade", *RIGHT],)),
)


def seconds(code: str, arguments: list[str], home: str) -> float:
    """Wall-clock seconds of one Python process, start to end."""
    environ = {**os.environ, "KATA_HOME": home, "PYTHONPATH": str(ROOT)}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environ, cwd=home, capture_output=True, text=True
    )
    took = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{code!r} {' '.join(arguments)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return took


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as home:
        for base, bound, commands in GROUPS:
            jobs: list[tuple[str, list[str]]] = [(base, []), *((KATA, arguments) for arguments in commands)]
            rounds = [[seconds(code, arguments, home) for code, arguments in jobs] for _ in range(runs + 1)]
            unit, *took = (statistics.median(job) for job in zip(*rounds[1:], strict=True))  # round 0 warms the caches
            print(f"{unit * 1000:6.0f} ms        python -c '{base}'")
            for arguments, each in zip(commands, took, strict=True):
                shown = " ".join(argument.rpartition("/")[2] for argument in arguments)
                print(f"{each * 1000:6.0f} ms  {each / unit:5.2f} kata {shown}   (bound {bound})")


if __name__ == "__main__":
    main()
