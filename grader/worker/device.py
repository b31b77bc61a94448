"""The device that a worker computes on: one small interface over what a CPU, CUDA and MPS call differently.

A timed request asks in this order: carry inputs there, `flush`, `synchronise`, `mark_memory`; then, while the parent's clock
runs, `start_event`, the calls, `end_event`, `synchronise`; then `seconds_between` and `peak_memory`, which are claims. Opened
once, before a stranger's file is loaded: what opening fails of is never that file's doing, and what waits for the device is
bound before anybody can replace it. Nothing here knows of plans, requests or katas.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

import torch

MPS_CACHE = 96 << 20  # bytes: the largest system-level cache of Apple's chips; none of them tells its own
LEAST_CACHE = 16 << 20  # bytes, where a driver tells less, or nothing
FILLED = 2  # times the cache's size: as much leaves nothing of what was there before
VISIBLE = "HIP_VISIBLE_DEVICES" if torch.version.hip else "CUDA_VISIBLE_DEVICES"


class Device:
    """A CPU: tensors lie in the arena itself, and there is nothing to wait for, to flush or to ask."""

    own_memory = False

    def __init__(self, where: torch.device) -> None:
        self.where = where
        self.name = ""  # as its driver calls it

    def carry(self, view: torch.Tensor) -> torch.Tensor:
        """A tensor of the arena on the device: its bytes, gaps too, with its strides."""
        return view

    def lend(self, place: int, view: torch.Tensor) -> torch.Tensor:
        """Such a tensor, in memory that all who ask for this place share, as they share the arena."""
        return view

    def memory_of(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """What carried tensors lie in, noted before anybody can turn them round or give them other memory."""
        return []

    def bring_back(self, views: Sequence[torch.Tensor], memory: Sequence[torch.Tensor]) -> None:
        """Show in the arena what has become of carried tensors."""

    def synchronise(self) -> None:
        """Wait until the whole device is at rest, whatever stream the code has used."""

    def flush(self) -> None:
        """Leave nothing in the cache of what was there before."""

    def start_event(self) -> Any:
        """Let the device note when it comes here. None where it cannot."""
        return None

    def end_event(self) -> Any:
        return self.start_event()

    def seconds_between(self, start: Any, end: Any) -> float | None:
        """By the device's own clock, of what lay in the stream that was current at both events, and nowhere else."""
        return None if start is None or end is None else float(start.elapsed_time(end)) / 1000

    def mark_memory(self, before: int | None = None) -> int | None:
        """What is in use now; `before` is what the last mark for the same purpose returned."""
        return None

    def peak_memory(self, mark: int | None) -> int | None:
        """The most bytes that were in use since `mark`, beyond those that were in use then."""
        return None

    def works(self) -> bool:
        """Whether it can still be used: an error inside a kernel ends a CUDA context for good."""
        try:
            self.synchronise()
        except RuntimeError:
            return False
        return True


class Gpu(Device):
    """What has its own memory and works on while the CPU goes on. `backend` is torch.cuda or torch.mps."""

    own_memory = True

    def __init__(self, where: torch.device, backend: Any, wait: Any, cache: int) -> None:
        """`wait` returns when the device is at rest; `cache` is the size of its cache in bytes."""
        super().__init__(where)
        self.backend = backend
        self._wait = wait
        self._cache = cache
        self._make_event = backend.Event
        self._filler: torch.Tensor | None = None  # one for all plans, and none in a worker that times nothing
        self._lent: dict[tuple[int, int], torch.Tensor] = {}

    def carry(self, view: torch.Tensor) -> torch.Tensor:
        return _over(self._copy(view), view)

    def lend(self, place: int, view: torch.Tensor) -> torch.Tensor:
        key = place, view.untyped_storage().nbytes()
        if key not in self._lent:
            self._lent[key] = self._copy(view)
        return _over(self._lent[key], view)

    def memory_of(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [_whole(tensor) for tensor in tensors]

    def bring_back(self, views: Sequence[torch.Tensor], memory: Sequence[torch.Tensor]) -> None:
        with torch.no_grad():
            for view, whole in zip(views, memory, strict=True):
                _whole(view).copy_(whole)

    def _copy(self, view: torch.Tensor) -> torch.Tensor:
        return _whole(view).to(self.where, copy=True)

    def synchronise(self) -> None:
        self._wait()

    def flush(self) -> None:
        if self._filler is None:
            self._filler = torch.empty(FILLED * self._cache, dtype=torch.uint8, device=self.where)
        self._filler.zero_()

    def start_event(self) -> Any:
        event = self._make_event(enable_timing=True)
        event.record()
        return event


class Cuda(Gpu):
    """NVIDIA's GPUs, and AMD's, which torch calls by the same name."""

    def mark_memory(self, before: int | None = None) -> int | None:
        self.backend.reset_peak_memory_stats()
        return int(self.backend.memory_allocated())

    def peak_memory(self, mark: int | None) -> int | None:
        return None if mark is None else max(0, int(self.backend.max_memory_allocated()) - mark)


class Mps(Gpu):
    """Apple's GPUs. They tell no peak: by how much the driver's pool has grown since it was emptied stands for it."""

    def mark_memory(self, before: int | None = None) -> int | None:
        if before is not None:
            return before  # emptied before every request, it would have to grow again while the time runs
        self.backend.empty_cache()
        return int(self.backend.driver_allocated_memory())

    def peak_memory(self, mark: int | None) -> int | None:
        return None if mark is None else max(0, int(self.backend.driver_allocated_memory()) - mark)


def open_device(kind: str) -> Device:
    """Open "cpu", "cuda" or "mps", and run a matrix product there, since libraries open late. Raises what torch does."""
    library: Any = torch._C
    if kind == "cpu":
        return Device(torch.device("cpu"))
    if kind == "cuda":
        where = torch.ones(1, device="cuda").device  # with its index: "cuda" alone means whatever is current later
        facts = torch.cuda.get_device_properties(where)
        opened: Gpu = Cuda(where, torch.cuda, library._cuda_synchronize, max(facts.L2_cache_size, LEAST_CACHE))
        opened.name = (
            f"{facts.name}, {'ROCm ' + torch.version.hip if torch.version.hip else f'CUDA {torch.version.cuda}'}"
        )
    else:
        where = torch.ones(1, device="mps").device
        opened = Mps(where, torch.mps, library._mps_deviceSynchronize, MPS_CACHE)
        opened.name = "Apple GPU"
    square = torch.ones(2, 2, device=where)
    (square @ square).sum().item()
    opened.synchronise()
    return opened


def see_one_gpu(environment: MutableMapping[str, str]) -> None:
    """Leave only the first GPU in sight: what runs on another one would escape the waiting, and its memory the counting."""
    first = environment.get(VISIBLE, "0").split(",")[0].strip()
    environment[VISIBLE] = first or "0"


def _whole(tensor: torch.Tensor) -> torch.Tensor:
    """All bytes of its storage, as they are: a copy of bools would make 1 of everything that is not 0, in the gaps too."""
    with torch.no_grad():
        return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def _over(whole: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
    """A tensor of the form of `view` in the memory of `whole`; no autograd view."""
    empty = torch.empty(0, dtype=view.dtype, device=whole.device)
    return empty.set_(whole.untyped_storage(), 0, view.shape, view.stride())
