"""Whether a call of some size has room here, told before anything of that size is made: a machine that swaps answers nobody.

What the reference makes at three small sizes is drawn on to the size that is asked for. Too low a guess is no harm: what then
fails for want of memory is told in the same words. Trusted side only; nothing here measures time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from grader.catalog import Kata
from grader.errors import GraderError
from grader.oracle import Oracle
from grader.timing.memory import format_bytes
from grader.timing.workload import Workload
from grader.worker.arena import SIZE
from grader.worker.limits import MEMORY

PROBES = (32, 64, 96)  # sizes
TELLING = 1 << 50  # bytes: more says nothing to anybody
KEPT_INPUTS = 8  # times that the inputs of a call lie in this process: a pool of them, and what is being checked
WANT_OF_MEMORY = ("allocate memory", "out of memory", "not enough memory", "MemoryError", "Storage size calculation")


class DoesNotFit(GraderError):
    """The inputs of a call, or what the reference makes of them, have no room on this machine."""

    def __init__(self, nbytes: int | None = None) -> None:
        """`nbytes`: of one call, where that is known."""
        told = "" if nbytes is None or nbytes >= TELLING else f" (about {format_bytes(nbytes)} for one call)"
        super().__init__(f"does not fit into memory here{told}: choose smaller sizes", "kata bench FILE --sizes 64,128")


def require_room(kata: Kata, workload: Workload, size: int, dtype: torch.dtype, *, device: str) -> None:
    """Raise DoesNotFit where a call of `size` cannot be made here, by all that can be told from small ones."""
    if size <= PROBES[-1]:
        return
    needs = [_needs(kata, workload, probe, dtype) for probe in PROBES]
    given, stored, made = (_drawn_on(values, size) for values in zip(*needs, strict=True))
    available = _available()
    if stored > SIZE or (device == "cpu" and made > MEMORY) or KEPT_INPUTS * given + made > available:
        raise DoesNotFit(int(max(stored, made)))


def lacks_memory(error: Exception) -> bool:
    """Whether a call failed for want of memory, as far as its words tell."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in WANT_OF_MEMORY)


def _needs(kata: Kata, workload: Workload, size: int, dtype: torch.dtype) -> tuple[int, int, int]:
    """Bytes of the inputs of one call; of inputs and results with gradients; and of all that a forward pass makes."""
    case = workload.case(size, dtype=dtype)
    with _Made() as made:
        output = Oracle(kata.reference)(case).output
    given = sum(t.nbytes for t in case.tensors.values())
    answer = output.numel() * dtype.itemsize
    gradients = sum(case.arguments[name].nbytes for name in case.differentiable)
    scale = dtype.itemsize / output.element_size()  # the oracle works in float64
    return given, given + 2 * answer + gradients, int(sum(s.nbytes() for s in made.storages.values()) * scale)


def _drawn_on(values: Sequence[int], size: int) -> float:
    """At `size`, the parabola through the values at the probes: bytes are a polynomial of the size."""
    return sum(
        value * math.prod((size - other) / (probe - other) for other in PROBES if other != probe)
        for probe, value in zip(PROBES, values, strict=True)
    )


def _available() -> float:
    """Bytes that this machine can still give; unknown elsewhere than on Linux."""
    with suppress(OSError, ValueError, StopIteration), open("/proc/meminfo", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("MemAvailable:")).split()[1]) * 1024
    return math.inf


class _Made(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Keeps every tensor that is made, once for each memory it lies in."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.storages: dict[int, Any] = {}

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor):
                self.storages.setdefault(tensor.untyped_storage().data_ptr(), tensor.untyped_storage())
        return result
