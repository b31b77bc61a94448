"""Counting what a call takes, without a clock, so that the same code gives the same numbers in every run.

The dispatcher's operators are counted as they pass: elements read and written, floating-point operations, the largest
tensors, bytes alive. Elements are the measure of work, because operations miss too much: loops, masks and sums over a matrix
multiply nothing. The reverse hides little: a matrix product that reads and writes n elements multiplies at most n^1.5 times.
What a kernel does inside itself is not seen (fused attention reads and writes little and multiplies much; its operations
are), nor what leaves torch or runs in another thread: the parent's clock is there for that.
"""

from __future__ import annotations

import contextlib
import math
import os
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch.utils import flop_counter

TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep
OUR_FOLDER = os.path.dirname(__file__)
SHAPES_KEPT = 16
TOTALS = ("operators", "work", "own", "flops", "largest", "peak")
PLAIN = (torch.Tensor, torch.nn.Parameter)

# Operators that look at the form of a tensor, not at its contents.
FORM_ONLY = frozenset(
    f"aten::{name}"
    for name in (
        *("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like"),
        *("new_empty", "new_empty_strided", "new_full", "new_zeros", "new_ones", "resize_", "set_"),
        *("is_same_size", "_has_same_storage_numel", "is_set_to", "_local_scalar_dense"),
    )
)
# Operators that read only as much of their first argument as they return.
PICKING = frozenset(f"aten::{n}" for n in ("index", "_unsafe_index", "index_select", "gather", "take", "embedding"))
# Operators that write only into a part of their first argument.
PLACING = frozenset(
    f"aten::{name}"
    for name in (
        *("index_put_", "_index_put_impl_", "index_copy_", "index_add_", "index_fill_", "scatter_", "scatter_add_"),
        "scatter_reduce_",
    )
)


class Meter:
    """The counts of one call.

    Attributes:
        operators: how many were called.
        work: elements read and written by all operators.
        own: the part of it that is not autograd's engine's in the backward pass. The engine's work is in proportion to that of
            the forward pass, but for one thing: the gradient of a part (`key[:, j]`) is made as large as the whole, so that
            a backward pass through a loop takes N² whoever writes it.
        flops: floating-point operations of matrix products, convolutions and fused attention.
        largest: elements of the largest tensor made.
        peak: bytes alive at the worst moment, of what the call made.
        backward: whether the backward pass is being counted.
    """

    def __init__(self) -> None:
        self.operators = 0
        self.work = 0
        self.own = 0
        self.flops = 0
        self.largest = 0
        self.peak = 0
        self.backward = False
        self._live = 0
        self._shapes: dict[tuple[int, ...], int] = {}  # bytes of the tensors made, by shape
        self._storages: dict[int, _Held] = {}
        self._before: list[Any] = []

    def know(self, tensors: Iterable[torch.Tensor]) -> None:
        """These were there before the call: their memory is not the call's."""
        for tensor in tensors:
            storage = tensor.untyped_storage()
            self._storages.setdefault(storage._cdata, _Held(None, storage.nbytes(), 0))
            self._before.append(storage)  # while it lives, no other gets its address

    def see(self, func: Any, args: Any, kwargs: Any, result: Any, frame: FrameType | None) -> None:
        """Count one operator, called from `frame`. What cannot be looked into costs its count, not the call."""
        with contextlib.suppress(RuntimeError, NotImplementedError, TypeError, AttributeError):
            elements = self._elements(func._schema.name, func.is_view, args, kwargs, result)
            self.operators += 1
            self.work += elements
            if not (self.backward and _is_engine(frame)):
                self.own += elements
            if all(tensor.layout == torch.strided for tensor in args if isinstance(tensor, torch.Tensor)):
                self._count_flops(func, args, kwargs, result)

    def totals(self) -> dict[str, Any]:
        """Everything, as JSON."""
        shapes = [[list(shape), size] for shape, size in self._shapes.items()]
        return {name: getattr(self, name) for name in TOTALS} | {"shapes": shapes}

    def _elements(self, name: str, is_view: bool, args: Any, kwargs: Any, result: Any) -> int:
        """Elements that the operator reads and writes, and those of tensors that came to be without any operator's doing."""
        read, made = [*_tensors(args), *_tensors(kwargs)], list(_tensors(result))
        elements = sum(self._track(tensor) for tensor in read)
        new = sum(self._track(tensor) for tensor in made)
        if is_view or name == "aten::_unsafe_view":  # however large the tensor; but `torch.tensor(list)` ends in one
            return elements + new
        if name in PLACING:
            placed = _placed(name, args)
            return elements + placed + sum(min(t.numel(), placed) for t in read[1:])
        if name in PICKING:
            read[:1] = made
        elif name in FORM_ONLY:
            read = []
        return elements + sum(t.numel() for t in made) + sum(t.numel() for t in read)

    def _count_flops(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        formula = flop_counter.flop_registry.get(func._overloadpacket)
        if formula is not None:
            with contextlib.suppress(ValueError, IndexError, AssertionError):  # a form that the formula does not know
                self.flops += int(formula(*args, **kwargs, out_val=result))

    def _track(self, tensor: torch.Tensor) -> int:
        """Follow the tensor's storage, and return by how many elements it is new or has grown (`resize_`)."""
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):  # a layout of a library's own
            return 0
        key, size = storage._cdata, storage.nbytes()
        held = self._storages.get(key)
        if held is None:
            held = self._storages[key] = _Held(weakref.ref(storage, lambda _: self._release(key)), 0, 0)
        grown = size - held.size
        if grown <= 0:
            return 0
        held.size, held.counted = size, held.counted + grown
        self._live += grown
        self.peak = max(self.peak, self._live)
        elements = size // tensor.element_size()
        shape = tuple(tensor.shape) if tensor.numel() == elements else (elements,)
        self.largest = max(self.largest, elements)
        self._shapes[shape] = max(size, self._shapes.get(shape, 0))
        if len(self._shapes) > SHAPES_KEPT:
            del self._shapes[min(self._shapes, key=self._shapes.__getitem__)]
        return grown // tensor.element_size()

    def _release(self, key: int) -> None:
        self._live -= self._storages.pop(key).counted


@dataclass(slots=True)
class _Held:
    """A storage that is followed while it lives: its size, and how much of that the call made."""

    storage: weakref.ref[Any] | None
    size: int
    counted: int


def _is_engine(frame: FrameType | None) -> bool:
    """Whether no code but torch's lies between the operator and the grader's own call of autograd."""
    while frame is not None and frame.f_code.co_filename.startswith(TORCH_FOLDER):
        frame = frame.f_back
    return frame is not None and os.path.dirname(frame.f_code.co_filename) == OUR_FOLDER


def _placed(name: str, args: Any) -> int:
    """How many elements of its first argument such an operator writes."""
    target = args[0]
    if name.startswith("aten::scatter"):
        return int(args[2].numel())
    if not isinstance(args[1], (list, tuple)):
        _, dim, index = args[:3]
        return int(target.numel() // max(target.size(dim) if target.dim() else 1, 1) * index.numel())
    indices, at, whole, picked = args[1], 0, 1, 1
    for index in indices:
        if index is None:
            whole *= target.size(at)
            at += 1
        elif index.dtype in (torch.bool, torch.uint8):
            picked = max(picked, index.numel())
            at += index.dim()
        else:
            picked = max(picked, index.numel())
            at += 1
    return int(whole * picked * math.prod(target.shape[at:]))


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """The dense tensors in an argument or a result; those that a sparse or wrapping one consists of."""
    if isinstance(value, torch.Tensor):
        if value.layout == torch.strided and type(value) in PLAIN and not value.is_nested:
            yield value
        else:
            yield from _parts(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _parts(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    flatten: Any = getattr(tensor, "__tensor_flatten__", None)
    if flatten is not None:
        yield from _tensors([getattr(tensor, name) for name in flatten()[0]])
    elif tensor.layout == torch.sparse_coo:
        yield from (tensor._indices(), tensor._values())
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        yield from (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        yield from (tensor.ccol_indices(), tensor.row_indices(), tensor.values())
    elif tensor.is_nested:
        yield tensor.values()
    else:
        yield tensor


def _register_flash_attention_for_cpu() -> None:
    """torch's table of formulas has the fused attention of GPUs only."""
    counter: Any = flop_counter
    operators: Any = torch.ops.aten

    def forward_flops(query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> int:
        return int(counter.sdpa_flop_count(query.shape, key.shape, value.shape))

    def backward_flops(grad: Any, query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> int:
        return int(counter.sdpa_backward_flop_count(grad.shape, query.shape, key.shape, value.shape))

    for name, formula in (("", forward_flops), ("_backward", backward_flops)):
        operator = getattr(operators, f"_scaled_dot_product_flash_attention_for_cpu{name}", None)
        if operator is not None:
            flop_counter.flop_registry.setdefault(operator, formula)


_register_flash_attention_for_cpu()
