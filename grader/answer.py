"""What comes back from a call: an Answer of plain tensors, read out of the worker's reply and checked for form.

Nothing here judges whether an answer is right, or calls anything; it only makes sure that what came back is an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.case import Case, Placement
from grader.failure import fail
from grader.reply import Reply
from grader.worker.arena import Slot
from grader.worker.meter import SHAPES_KEPT, TOTALS
from grader.worker.protocol import ProtocolError, TensorHeader
from grader.worker_process import Worker

MOST_DIMENSIONS = 64  # of a tensor, in torch


@dataclass(frozen=True, slots=True)
class Counts:
    """What the meter counted in one call (forward, and backward where a cotangent was given)."""

    operators: int  # how many were called
    work: int  # elements read and written by all operators
    own: int  # without what autograd's engine does in the backward pass
    flops: int  # of matrix products, convolutions and fused attention
    largest: int  # elements of the largest tensor made
    peak: int  # bytes alive at the worst moment
    shapes: tuple[tuple[tuple[int, ...], int], ...] = ()  # of the largest tensors made, and their bytes

    @classmethod
    def parse(cls, raw: Any) -> Counts | None:
        """From the worker's words, None where they are none."""
        if not isinstance(raw, dict) or not all(_is_total(raw.get(n)) for n in TOTALS):
            return None
        shapes = raw.get("shapes")
        if not isinstance(shapes, list):
            return None
        told = []
        for shape in shapes[:SHAPES_KEPT]:
            match shape:
                case [[*sizes], int(nbytes)] if len(sizes) <= MOST_DIMENSIONS and all(map(_is_total, (*sizes, nbytes))):
                    told.append((tuple(sizes), nbytes))
                case _:
                    return None
        return cls(shapes=tuple(told), **{name: raw[name] for name in TOTALS})


def _is_total(value: Any) -> bool:
    """A whole number that no arithmetic here can choke on; more than 2⁶² of anything was not counted in ten seconds."""
    return type(value) is int and 0 <= value < 1 << 62


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the candidate: private copies on the CPU."""

    output: Tensor
    gradients: dict[str, Tensor | None]
    device: str
    mutated: tuple[str, ...] = ()  # arguments whose content, shape or strides changed
    shares_storage: bool = False  # the worker's claim that the output is a view of an input
    requires_grad: bool = False
    counts: Counts | None = None
    cotangent_changed: bool = False  # the backward pass wrote to the gradient that it was given, or turned it round
    kept: int | None = None
    then: Answer | None = None  # of a second call on the same objects
    changed: tuple[str, ...] = ()  # parameters that such a pair of calls changed or replaced, by their own names


def read_tensor(worker: Worker, raw: Any, low: int, case: Case, *, meta: bool = False) -> tuple[Tensor, str, int]:
    """Copy a tensor out of the arena after checking its header, then poison the place.

    Returns the tensor, its device and where the next one may begin: tensors of one answer do not overlap, so that many
    headers cannot make us copy the same bytes many times.
    """
    arena = worker.arena
    try:
        header = TensorHeader.parse(raw, low=low, high=len(arena.memory))
    except ProtocolError as error:
        raise worker.distrust(str(error)) from None
    if header.device == "meta":
        if not meta:
            fail("the answer is on the device meta, where no values are", case)
        return torch.empty(header.shape, dtype=getattr(torch, header.dtype), device="meta"), "meta", low
    tensor = arena.read(header.dtype, header.shape, header.offset)
    arena.poison(header.offset, header.nbytes)
    return tensor, header.device, header.offset + header.nbytes


def read_gradients(
    worker: Worker,
    raw: Any,
    low: int,
    case: Case,
    *,
    asked: bool,
    leaves: int,
    parameters: Sequence[str],
    placements: Mapping[str, Placement],
) -> dict[str, Tensor | None]:
    """The gradients of that many differentiable inputs, then of the parameters: by argument and by role."""
    if raw is None:
        return {}
    if not asked:
        raise worker.distrust("it holds gradients that were not asked for")
    if not isinstance(raw, list) or len(raw) != leaves + len(parameters):
        raise worker.distrust("the number of gradients is wrong")
    tensors: list[Tensor | None] = []
    for each in raw:
        tensor, _, low = (None, "", low) if each is None else read_tensor(worker, each, low, case)
        if tensor is not None and not tensor.is_floating_point():
            raise worker.distrust("a gradient has an impossible dtype")
        tensors.append(tensor)
    gradients: dict[str, Tensor | None] = dict(zip(case.leaves, tensors, strict=False))
    of_parameter = dict(zip(parameters, tensors[leaves:], strict=True))
    for role, place in placements.items():
        whole = of_parameter[place.parameter]
        if whole is not None and place.start is not None:
            if whole.dim() == 0:
                raise worker.distrust("a gradient has an impossible shape")
            whole = whole[place.start : place.stop]
        gradients[role] = whole
    return gradients


def find_mutated(worker: Worker, reply: Reply, slots: Sequence[Slot], before: Sequence[bytes]) -> set[int]:
    """Which slots changed: content is seen in the arena itself, shape and strides are what the worker tells."""
    told = reply.fields.get("inputs")
    forms = told if isinstance(told, list) and len(told) == len(slots) else [None] * len(slots)
    return {i for i in range(len(slots)) if is_changed(worker, slots[i], before[i], forms[i])}


def is_changed(worker: Worker, slot: Slot, before: bytes, form: Any) -> bool:
    """Whether the slot's bytes are others than `before`, or the worker tells of another shape or other strides."""
    same_form = form == [list(slot.shape), list(slot.stride)]
    return worker.arena.content(slot) != before or not same_form


def read_changed(worker: Worker, raw: Any, low: int, case: Case, given: Mapping[str, Tensor]) -> tuple[str, ...]:
    """Names of the parameters that are no longer what was given; None stands for one that is no longer there."""
    if not isinstance(raw, list) or len(raw) != len(given):
        raise worker.distrust("the number of parameters is wrong")
    changed = []
    for (name, value), each in zip(given.items(), raw, strict=True):
        now, _, low = (None, "", low) if each is None else read_tensor(worker, each, low, case)
        if now is None or now.dtype != value.dtype or not torch.equal(now, value):
            changed.append(name)
    return tuple(changed)
