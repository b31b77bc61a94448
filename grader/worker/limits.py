"""What a worker gives up before it loads a stranger's file, and what of that was really reached.

Runs in the freshly forked, single-threaded worker. The layers stand in the order in which they must be applied; a
layer that is not there (wrong platform, no permission) is reported as missing, never skipped silently.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from typing import Any

MEMORY = 3 << 30  # bytes of address space beyond what the zygote already maps
CPU_SECONDS = 120  # a backstop: the parent's wall clock comes first
FILE_SIZE = 16 << 20
OPEN_FILES = 256

PR_SET_PDEATHSIG = 1

PLANNED = ("unprivileged user", "file access (Landlock)", "system calls (seccomp)")


def apply_limits(device: str) -> list[str]:
    """Apply every layer that exists here and return their names. Called once, before the candidate's file is loaded."""
    layers = ["separate process"]
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # 1. An unprivileged uid comes here, before the rlimits: they do not bind root.
    # 2. Resource limits.
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_CPU, CPU_SECONDS)
    _lower(resource.RLIMIT_FSIZE, FILE_SIZE)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    layers.append("resource limits")
    if device == "cpu" and sys.platform == "linux":  # CUDA reserves far more address space than it uses
        _lower(resource.RLIMIT_AS, _mapped_bytes() + MEMORY)
        layers.append("memory limit")
    # 3. Landlock, no_new_privs and seccomp come here, last of all: they forbid what the lines above do.
    return layers


def describe(layers: list[str]) -> dict[str, Any]:
    """The isolation as data: level, layers reached, layers missing."""
    missing = [name for name in ("memory limit", *PLANNED) if name not in layers]
    return {"level": "process-only", "layers": layers, "missing": missing}


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (ceiling, ceiling))


def _mapped_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
