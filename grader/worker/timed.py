"""The untrusted half of timing: a prepared call ("plan") that is repeated on request, as evenly as can be.

Nothing here looks at a clock: the parent does, from outside. Every repetition reads its own inputs and leaves its results in
its own place before the answer goes out, so that nothing can be skipped, put off or replayed unseen. On a GPU inputs and
results lie in the device's memory while the time runs: "carry" brings the former there and empties the cache, "fetch" brings
the latter back. Within one request no place is used twice, so that after the one flush every call's inputs come from memory,
and nothing but calls lies in the time that is measured.
"""

from __future__ import annotations

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
        slots = [Slot.from_json(raw) for raw in request["slots"]]
        self._shared = [session.arena.view(slot) for slot in slots]
        self._own = [self.device.lend(slot.offset, view) for slot, view in zip(slots, self._shared, strict=True)]
        self.places = [self._place(request, raw) for raw in request["places"]]
        self.backward = request["backward"]
        self._blank = [torch.zeros_like(t) for t in self.places[0].results]
        self._mark = self.device.mark_memory()

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
        start = self.device.start_event()
        for index in order:
            place = self.places[index]
            self._store(self._results(place), place.results)
        end = self.device.end_event()
        self.device.synchronise()
        return self.device.seconds_between(start, end)

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

    def carry(self, indices: list[int]) -> None:
        """Bring what the parent has written to the device, and make everything there ready for calls."""
        if not self.device.own_memory:
            return
        with torch.no_grad():
            for index in indices:
                self._own[index].copy_(self._shared[index])
        self.device.flush()
        self.device.synchronise()
        self._mark = self.device.mark_memory(self._mark)

    def fetch(self, indices: list[int]) -> int | None:
        """Bring results back to where the parent can see them. Returns the peak of memory since `carry`: a claim, too."""
        peak = self.device.peak_memory(self._mark)
        if self.device.own_memory:
            with torch.no_grad():
                for index in indices:
                    self._shared[index].copy_(self._own[index])
        return peak


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
    """Carry inputs to the device, by index of the plan's slots."""
    session.plans[request["plan"]].carry(request["slots"])
    return {}


def fetch(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """Fetch results from the device, by index of the plan's slots."""
    return {"peak": session.plans[request["plan"]].fetch(request["slots"])}


def load_also(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """Load another file; its entry symbols are called `<prefix>.<name>`."""
    namespace = load_beside(request["path"], request["prefix"])
    entries, found = find_entries(namespace, request["entries"])
    session.entries |= {f"{request['prefix']}.{name}": value for name, value in entries.items()}
    return {"entries": found}
