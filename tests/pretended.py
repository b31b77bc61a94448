"""A GPU that is none: the device interface on memory of its own, which is the CPU's, and a diary of what was asked of it.

For the tests of everything that does not need a real one. `BOOT` makes every worker with a GPU have such a device, whose
zygote sees an accelerator as it would on a machine that has one.
"""

from __future__ import annotations

import torch

from grader import host
from grader.worker.device import Cuda

MEGABYTE = 1 << 20
EVENT_SECONDS = 0.002  # between any two events


class Backend:
    """What torch.cuda is to a Cuda: events, and an allocator that tells what the test wants."""

    def __init__(self) -> None:
        self.diary: list[str] = []
        self.allocated, self.most = 0, 0

    def Event(self, *, enable_timing: bool) -> Event:
        assert enable_timing
        return Event(self)

    def reset_peak_memory_stats(self) -> None:
        self.diary.append("reset peak")

    def memory_allocated(self) -> int:
        return self.allocated

    def max_memory_allocated(self) -> int:
        return self.most

    def empty_cache(self) -> None:
        self.diary.append("empty cache")

    def driver_allocated_memory(self) -> int:
        return self.allocated


class Event:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def record(self) -> None:
        self._backend.diary.append("event")

    def elapsed_time(self, end: Event) -> float:
        assert self._backend.diary[-1] == "synchronise", "an event that has not happened has no time"
        return EVENT_SECONDS * 1000


class Pretended(Cuda):
    """Copies of everything in memory of its own."""

    def __init__(self) -> None:
        self.pretending = Backend()
        super().__init__(torch.device("cpu"), self.pretending, self._rest, MEGABYTE)
        self.name = "Pretended GPU"

    @property
    def diary(self) -> list[str]:
        return self.pretending.diary

    def flush(self) -> None:
        super().flush()
        self.diary.append("flush")

    def _rest(self) -> None:
        if getattr(torch, "gpu_is_broken", False):
            raise RuntimeError("CUDA error: device-side assert triggered")
        self.diary.append("synchronise")


BOOT = """
import os, sys
sys.path.insert(0, sys.argv[-1])  # the very folder of this grader, as in what follows
sys.path.extend(p for p in sys.argv[2:] if p not in sys.path)
if os.environ.get("CUDA_VISIBLE_DEVICES") != "-1":
    import torch
    from torch.utils import backend_registration
    torch.version.cuda = torch.version.cuda or "0.0"
    getattr(backend_registration, "_setup_privateuseone_for_python_backend", lambda name: None)("pretended")
    from grader.worker import device
    sys.path.append(TESTS)
    import pretended
    sys.path.remove(TESTS)
    device.open_device = lambda kind: pretended.Pretended()
"""


def boot(tests: str) -> str:
    """The code that starts a zygote with such devices; `tests` is the folder of this file."""
    return BOOT.replace("TESTS", repr(tests)) + host._BOOT
