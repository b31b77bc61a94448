"""What a verdict depends on besides the file: the seed, the versions, the device, the isolation.

Nothing here looks at a submission or talks to a worker, and torch is imported only where a GPU is asked for.
"""

from __future__ import annotations

import gc
import platform
import sys
import zlib
from typing import TYPE_CHECKING

from grader.errors import NotAvailable

if TYPE_CHECKING:
    from grader.catalog import Kata
    from grader.verdict import Isolation

ISOLATION_LEVELS = ("process-only", "partial", "full")
SEED_VERSION = (
    1  # raise it when the properties' inputs change, so that verdicts of different versions can be told apart
)


def default_seed(kata: Kata) -> int:
    """The fixed seed of a kata: a rerun gives the same verdict."""
    return zlib.crc32(f"{kata.id}/{SEED_VERSION}".encode())


def versions() -> dict[str, str]:
    """Versions that a verdict depends on; read from package metadata, so that nothing is imported for it."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in ("torch-kata", "torch", "hypothesis", "pytest"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def resolve_device(device: str) -> str:
    """The device to grade on: auto is the CPU, because practice inputs are small.

    Whether there is a GPU may be asked here, since nothing is ever forked from this process; only a worker opens it.
    """
    if device in ("auto", "cpu"):
        return "cpu"
    import torch

    there = torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()
    if not there:
        raise NotAvailable(f"there is no {device} device here", "grade with --device cpu")
    return device


def has_dtype(device: str, dtype: str) -> bool:
    """Whether the device computes in it. Apple's GPUs have no float64."""
    return (device, dtype) != ("mps", "float64")


def refuse_dtype(device: str, dtype: str) -> None:
    """Refuse, before anything is started, what would fail in every call and look like the code's fault."""
    if not has_dtype(device, dtype):
        raise NotAvailable(f"the {device} device has no {dtype}", "use --dtype float32, or --device cpu")


def refuse_below(reached: Isolation, wanted: str) -> None:
    """Refuse to load a stranger's file below the isolation asked for."""
    if ISOLATION_LEVELS.index(reached.level) < ISOLATION_LEVELS.index(wanted):
        missing = "; ".join(reached.missing)
        raise NotAvailable(
            f"isolation {wanted!r} was asked for, {reached.level!r} is what can be had: {missing}", "kata doctor"
        )


def load_libraries() -> None:
    """Import what a grade needs while the garbage collector rests: nothing of it is garbage, and looking takes 0.15 s."""
    if "torch" in sys.modules and "hypothesis" in sys.modules:
        return
    collecting = gc.isenabled()
    gc.disable()
    import grader.runner  # noqa: F401

    gc.freeze()
    if collecting:
        gc.enable()
