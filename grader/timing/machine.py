"""What a time was measured on: facts about the machine for the verdict's metadata. Never fails; standard library only."""

from __future__ import annotations

import contextlib
import os
import platform
import re
from pathlib import Path

GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def describe_machine(device: str = "cpu", *, threads: int = 1, gpu: str = "") -> dict[str, str]:
    """Processor, number of processors, threads used, versions, device, and the governor of the clock rate where it is told.

    `gpu` is what the device's driver calls it.
    """
    from importlib.metadata import PackageNotFoundError, version

    facts = {
        "cpu": _processor(),
        "processors": str(_usable_processors()),
        "threads": str(threads),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "device": device,
    }
    if gpu:
        facts["gpu"] = gpu
    with contextlib.suppress(PackageNotFoundError):
        facts["torch"] = version("torch")
    with contextlib.suppress(OSError, UnicodeDecodeError):
        facts["governor"] = GOVERNOR.read_text().strip()
    with contextlib.suppress(OSError):
        facts["load"] = f"{os.getloadavg()[0]:.2f}"
    return facts


def _usable_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        found = re.search(r"^model name\s*: *(.+)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()
