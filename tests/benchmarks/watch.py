"""Print how long `kata watch` takes from a save to the verdict, and how much memory it holds after many.

    python tests/benchmarks/watch.py [RUNS] [KATA ...]
    python tests/benchmarks/watch.py --memory [RUNS] [KATA]

Medians of RUNS saves (20) of each kata's reference and of one of its known mistakes, which is diagnosed too. Every save is a
rename, as editors do it, and the clock runs until the line of the verdict can be read, so it holds the events of the file
system, the grade and the journal. `import torch` takes turns with the saves and gives the unit of the ratios: on a busy
machine only they mean anything. The bound is 0.7 s. With --memory: the resident size of `kata watch`, of the process that
grades and of the zygote, after a tenth of RUNS (200) grades and after every further tenth.
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
sys.path.insert(0, str(ROOT))
from grader.catalog import Kata, find_katas  # noqa: E402

BOUND = 0.7


class Watch:
    """A running `kata watch` in a pipe."""

    def __init__(self, kata: Kata, source: str, folder: Path) -> None:
        self.file = folder / kata.file_name
        self.saves = 0
        self.save(source)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader.cli", "watch", kata.file_name],
            cwd=folder,
            env={**os.environ, "KATA_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.verdict()

    def save(self, source: str) -> None:
        self.saves += 1
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{source}\n# save {self.saves}\n", encoding="utf-8")
        os.replace(fresh, self.file)

    def verdict(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit("kata watch has ended")
        return line

    def regrade(self, source: str) -> tuple[float, str]:
        """Seconds from a save to its verdict, and the verdict."""
        start = time.perf_counter()
        self.save(source)
        line = self.verdict()
        return time.perf_counter() - start, line

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def import_torch() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return time.perf_counter() - start


def measure(kata: Kata, runs: int) -> None:
    mistakes = sorted((kata.folder / "mistakes").glob("*.py"))
    for name, source in (("reference", kata.solution), (mistakes[0].stem, mistakes[0].read_text(encoding="utf-8"))):
        with tempfile.TemporaryDirectory() as folder:
            watch = Watch(kata, source, Path(folder))
            took, units, line = [], [import_torch()], ""
            for run in range(runs):
                seconds, line = watch.regrade(source)
                took.append(seconds)
                if run % 4 == 3:
                    units.append(import_torch())
            watch.close()
        median, unit = statistics.median(took), statistics.median(units)
        sign = "" if median <= BOUND else "  over the bound"
        print(
            f"{median:5.2f} s  {median / unit:5.2f} × import torch  {kata.id}: {name} ({' '.join(line.split()[:2])}){sign}"
        )


def resident(pid: int) -> float:
    """MiB of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def measure_memory(kata: Kata, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        watch = Watch(kata, kata.solution, Path(folder))
        for run in range(1, runs + 1):
            watch.regrade(kata.solution)
            if run % max(1, runs // 10) == 0:
                (helper,) = children(watch.process.pid)
                (zygote,) = children(helper)
                sizes = [resident(pid) for pid in (watch.process.pid, helper, zygote)]
                print(
                    f"{run:4} grades: watch {sizes[0]:.0f} MiB, helper {sizes[1]:.0f} MiB, zygote {sizes[2]:.0f} MiB",
                    flush=True,
                )
        watch.close()


def main() -> None:
    arguments = sys.argv[1:]
    memory = "--memory" in arguments
    words = [word for word in arguments if word != "--memory"]
    runs = int(words.pop(0)) if words and words[0].isdecimal() else 200 if memory else 20
    katas = find_katas()
    for id in words or (["layernorm"] if memory else list(katas)):
        (measure_memory if memory else measure)(katas[id], runs)


if __name__ == "__main__":
    main()
