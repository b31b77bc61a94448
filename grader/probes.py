"""Observing code on a fixed set of inputs: what it returns, how it differentiates, what it does besides.

The same observation is made of the candidate (in a worker), of the reference and of every known mistake (both here, they are
ours), so that they can be compared point by point. A kata's `properties.py` chooses the inputs in `probes()`.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from grader.candidate import Candidate
from grader.case import Case, FoundParameter
from grader.failure import PropertyFailed, RoleError
from grader.oracle import cotangent
from grader.worker.arena import Slot, dtype_name


@dataclass(frozen=True, slots=True)
class Probe:
    """One input, and what is special about it: each trait completes the sentence "wrong only where …"."""

    case: Case
    traits: Set[str] = frozenset()
    gradients: bool = True

    @property
    def meta(self) -> bool:
        """Whether an argument asks for the meta device."""
        return any(value == "meta" for value in self.case.arguments.values() if isinstance(value, str))


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of one probe."""

    trouble: str = ""  # "raises", "parameters", "no tensor"; then the rest is empty
    output: Tensor | None = None
    gradients: dict[str, Tensor | None] = field(default_factory=dict)
    mutated: frozenset[str] = frozenset()
    device: str = "cpu"
    detail: str = ""  # the exception's type and message


def observe_candidate(candidate: Candidate, probe: Probe, shape: tuple[int, ...] | None) -> Observation:
    """Run the probe in the worker. `shape` is that of the right output: the cotangent has it."""
    case = probe.case
    direction = cotangent(case, shape) if probe.gradients and shape is not None else None
    try:
        answer = candidate(case, cotangent=direction)
    except PropertyFailed as error:
        kind = "raises" if error.exception else "no tensor" if "returned" in error.message else "parameters"
        return Observation(kind, detail=error.message)
    gradients = answer.gradients if direction is not None else {}
    return Observation("", answer.output, gradients, frozenset(answer.mutated), answer.device)


def observe_module(module: ModuleType, probe: Probe, shape: tuple[int, ...] | None) -> Observation:
    """Run the probe on code of ours in this process, in the probe's own dtype."""
    case = probe.case
    copies: dict[int, Tensor] = {}
    for tensor in case.tensors.values():
        copies.setdefault(id(tensor), _copy(tensor))
    args = [copies[id(v)] if isinstance(v, Tensor) else v for v in case.arguments.values()]
    leaves = {name: copies[id(tensor)] for name, tensor in case.leaves.items()}
    try:
        function: Callable[..., Any] = getattr(module, case.entry)
        slices: dict[str, tuple[Tensor, slice]] = {}
        if case.init is not None:
            function, slices = _build(function, case)
        if probe.gradients:
            for leaf in leaves.values():
                leaf.requires_grad_()
        output = function(*args)
        if not isinstance(output, Tensor):
            return Observation("no tensor")
        gradients = _differentiate(output, leaves, slices, case, shape) if probe.gradients and shape is not None else {}
    except RoleError:
        return Observation("parameters")
    except Exception as error:  # a mistake may crash; that is what is being observed
        return Observation("raises", detail=f"{type(error).__name__}: {error}")
    mutated = frozenset(n for n, t in case.tensors.items() if not _same(copies[id(t)], t))
    return Observation("", output.detach(), gradients, mutated, output.device.type)


def _copy(tensor: Tensor) -> Tensor:
    """A copy with the same strides."""
    extent = Slot(dtype_name(tensor.dtype), tuple(tensor.shape), tuple(tensor.stride()), 0).extent
    flat = tensor.new_zeros(extent)
    return flat.as_strided(tensor.shape, tensor.stride()).copy_(tensor).detach() if extent else tensor.clone()


def _build(entry: Callable[..., Any], case: Case) -> tuple[Callable[..., Any], dict[str, tuple[Tensor, slice]]]:
    assert case.init is not None
    assert case.roles is not None
    module = entry(*case.init.values()).to(case.dtype).eval()
    named = dict(module.named_parameters())
    found = [FoundParameter(name, p.detach(), p.requires_grad) for name, p in named.items()]
    slices = {}
    with torch.no_grad():
        for role, place in case.roles(found, case.parameters).items():
            rows = slice(place.start, place.stop)
            named[place.parameter][rows].copy_(case.parameters[role])
            slices[role] = (named[place.parameter], rows)
    return module, slices


def _differentiate(
    output: Tensor,
    leaves: dict[str, Tensor],
    slices: dict[str, tuple[Tensor, slice]],
    case: Case,
    shape: tuple[int, ...],
) -> dict[str, Tensor | None]:
    names = [*leaves, *slices]
    direction = cotangent(case, shape)
    if not output.requires_grad or output.shape != direction.shape:
        return dict.fromkeys(names)
    wrt = [*leaves.values(), *(p for p, _ in slices.values())]
    found = torch.autograd.grad((output * direction).sum(), wrt, allow_unused=True)
    rows = [slice(None)] * len(leaves) + [r for _, r in slices.values()]
    return {name: None if g is None else g[r] for name, g, r in zip(names, found, rows, strict=True)}


def _same(now: Tensor, before: Tensor) -> bool:
    return now.shape == before.shape and now.stride() == before.stride() and bool(torch.equal(now.detach(), before))
