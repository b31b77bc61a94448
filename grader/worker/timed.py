"""The untrusted half of timing: a prepared call ("plan") that is repeated on request, as evenly as can be.

Nothing here looks at a clock: the parent does, from outside. Every repetition reads its own inputs and leaves its results in
its own place before the answer goes out, so that nothing can be skipped, put off or replayed unseen. On a GPU inputs and
results lie in the device's memory while the time runs: "refresh" carries the former there, "fetch" the latter back.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from grader.worker.arena import Slot
from grader.worker.load import find_entries, load_beside

if TYPE_CHECKING:
    from grader.worker.serve import Session


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the ring: the inputs of a repetition and where its results go."""

    arguments: list[Any]
    leaves: list[torch.Tensor]
    cotangent: torch.Tensor | None
    results: list[torch.Tensor]  # the output, then gradients of leaves and parameters


class Plan:
    """A call that can be repeated. `function` is None for the blank one, which only stores results: the cost of repeating."""

    def __init__(self, session: Session, request: dict[str, Any]) -> None:
        self.device = session.device
        self.function: Callable[..., Any] | None = None
        self.parameters: list[torch.Tensor] = []
        if request["entry"] is not None:
            self.function, named = session._callee(request)
            self.parameters = [named[name] for name in request["parameters"]]
        self._shared = [
            (slot, view)
            for raw in request["slots"]
            for slot in [Slot.from_json(raw)]
            for view in [session.arena.view(slot)]
        ]
        self._own = [view if self.device.type == "cpu" else view.to(self.device) for _, view in self._shared]
        self.places = [self._place(request, raw) for raw in request["places"]]
        self.backward = request["backward"]
        self._flush = _cache_filler(self.device)
        self._blank = [torch.zeros_like(t) for t in self.places[0].results]

    def _place(self, request: dict[str, Any], raw: dict[str, Any]) -> Place:
        tensors = self._own
        arguments = [tensors[a["slot"]] if "slot" in a else a["value"] for a in raw["arguments"]]
        cotangent = None if raw["cotangent"] is None else tensors[raw["cotangent"]]
        leaves = [tensors[index] for index in raw["leaves"]]
        for leaf in leaves if request["backward"] else ():
            leaf.requires_grad_()
        return Place(arguments, leaves, cotangent, [tensors[index] for index in raw["results"]])

    def run(self, order: list[int]) -> float | None:
        """One repetition in each of the places. Returns what a GPU's own clock says: a claim, for information."""
        make: Any = torch.cuda.Event
        events = [make(enable_timing=True) for _ in range(2)] if self.device.type == "cuda" else []
        for event in events[:1]:
            event.record()
        for index in order:
            if self._flush is not None:
                self._flush.zero_()
            place = self.places[index]
            self._store(self._results(place), place.results)
        for event in events[1:]:
            event.record()
        self.synchronise()
        return events[0].elapsed_time(events[1]) / 1000 if events else None

    def _results(self, place: Place) -> list[torch.Tensor | None]:
        if self.function is None:
            return list(self._blank)
        if not self.backward:
            with torch.no_grad():
                return [self.function(*place.arguments)]
        output = self.function(*place.arguments)
        # What autograd.grad(grad_outputs=...) calls; going through it would import sympy (0.2 s).
        engine: Any = torch.autograd.Variable._execution_engine
        wanted = (*place.leaves, *self.parameters)
        gradients = engine.run_backward(
            (output,), (place.cotangent,), False, False, wanted, allow_unreachable=True, accumulate_grad=False
        )
        return [output, *gradients]

    def _store(self, results: list[torch.Tensor | None], targets: list[torch.Tensor]) -> None:
        with torch.no_grad():
            for result, target in zip(results, targets, strict=True):
                if result is None:
                    target.zero_()
                elif result.shape != target.shape:
                    raise ValueError(f"a timed call gave shape {tuple(result.shape)}, expected {tuple(target.shape)}")
                else:
                    target.copy_(result)

    def refresh(self, indices: list[int]) -> None:
        """Carry what the parent has written to the device."""
        with torch.no_grad():
            for index in indices:
                self._own[index].copy_(self._shared[index][1])
        self.synchronise()

    def fetch(self, indices: list[int]) -> None:
        """Carry results back to where the parent can see them."""
        with torch.no_grad():
            for index in indices:
                self._shared[index][1].copy_(self._own[index])

    def synchronise(self) -> None:
        """Wait until the whole device is at rest, whatever stream the code has used."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        elif self.device.type == "mps":
            torch.mps.synchronize()


def plan(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """Prepare a call under a name."""
    session.plans[request["plan"]] = Plan(session, request)
    gc.collect()
    gc.freeze()
    return {}


def repeat(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """Repeat a plan once in each place of `order`."""
    return {"device_seconds": session.plans[request["plan"]].run(request["order"])}


def carry(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """Carry inputs to the device (`refresh`) or results back (`fetch`), by index of the plan's slots."""
    prepared = session.plans[request["plan"]]
    prepared.refresh(request["refresh"])
    prepared.fetch(request["fetch"])
    return {"peak": _peak(session.device)}


def load_also(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """Load another file; its entry symbols are called `<prefix>.<name>`."""
    namespace = load_beside(request["path"], request["prefix"])
    entries, found = find_entries(namespace, request["entries"])
    session.entries |= {f"{request['prefix']}.{name}": value for name, value in entries.items()}
    return {"entries": found}


def _cache_filler(device: torch.device) -> torch.Tensor | None:
    """Memory of twice the size of a GPU's cache: filling it before a call leaves nothing of the call before in there."""
    if device.type != "cuda":
        return None
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    return torch.empty(2 * cache, dtype=torch.uint8, device=device)


def _peak(device: torch.device) -> int | None:
    """The most bytes that the device's allocator had given out since the last question: a claim, for information."""
    if device.type != "cuda":
        return None
    peak = torch.cuda.max_memory_allocated()
    with contextlib.suppress(RuntimeError):
        torch.cuda.reset_peak_memory_stats()
    return peak
