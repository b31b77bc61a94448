"""The arena: one shared mapping through which tensors pass as raw bytes.

The parent creates it and writes inputs with their strides from the bottom; the worker writes outputs above them. Both
sides import this module; it must stay free of anything secret. Needs torch.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from grader.worker.protocol import DTYPES

SIZE = 512 * 1024 * 1024  # address space; pages are taken only when touched
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Slot:
    """A strided tensor in the arena: `offset` in bytes, `extent` in elements from the first to the last one reached."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    extent: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        extent = 0 if 0 in self.shape else 1
        if extent:
            for size, step in zip(self.shape, self.stride, strict=True):
                extent += (size - 1) * step
        object.__setattr__(self, "extent", extent)

    @property
    def nbytes(self) -> int:
        return self.extent * DTYPES[self.dtype]

    def to_json(self) -> list[Any]:
        return [self.dtype, list(self.shape), list(self.stride), self.offset]

    @classmethod
    def from_json(cls, raw: Sequence[Any]) -> Slot:
        dtype, shape, stride, offset = raw
        return cls(dtype, tuple(shape), tuple(stride), offset)


def create_file() -> int:
    """A file descriptor of `SIZE` bytes that no path names: memfd on Linux, an unlinked file elsewhere.

    A memfd is sealed: whoever holds it can change its size no more, or the other side's next touch would be a SIGBUS.
    """
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, SIZE)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    else:
        fd, path = tempfile.mkstemp(prefix="kata-arena-")
        os.unlink(path)
        os.ftruncate(fd, SIZE)
    return fd


def close_descriptors(fd: int) -> None:
    """Close every descriptor of the file, `fd` and the copy that `mmap` keeps: the mapping stays, and nobody can shorten it.

    For the worker, before it loads a file. Where no seal holds the size, this is what keeps it.
    """
    wanted = os.fstat(fd)
    for each in range(3, 64):
        with contextlib.suppress(OSError):
            found = os.fstat(each)
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                os.close(each)


def align(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


class Arena:
    """A mapping of the shared file, seen as tensors."""

    def __init__(self, fd: int) -> None:
        self.memory = mmap.mmap(fd, SIZE)

    def empty(self) -> None:
        """Give the pages back, when the worker is gone: tensors that look at the arena keep the mapping, not the memory."""
        if hasattr(mmap, "MADV_REMOVE"):
            with contextlib.suppress(OSError):
                self.memory.madvise(mmap.MADV_REMOVE)

    def view(self, slot: Slot) -> torch.Tensor:
        """The slot as a tensor whose storage is exactly the slot's bytes of the arena (no copy, no autograd view)."""
        dtype = getattr(torch, slot.dtype)
        if slot.extent == 0:
            return torch.empty_strided(slot.shape, slot.stride, dtype=dtype)
        flat = torch.frombuffer(self.memory, dtype=dtype, count=slot.extent, offset=slot.offset)
        return torch.empty(0, dtype=dtype).set_(flat.untyped_storage(), 0, slot.shape, slot.stride)

    def write(self, tensor: torch.Tensor, offset: int, *, contiguous: bool = False) -> Slot:
        """Copy `tensor` to `offset`, keeping its strides unless `contiguous`; gaps between elements are poisoned."""
        shape = tuple(tensor.shape)
        stride = _row_major(shape) if contiguous else tuple(tensor.stride())
        slot = Slot(dtype_name(tensor.dtype), shape, stride, offset)
        if slot.extent != tensor.numel():
            self.poison(offset, slot.nbytes)
        if slot.extent:
            target = self.view(slot)
            for dimension in (d for d, step in enumerate(stride) if step == 0):  # expanded: one element stands for all
                target, tensor = target.narrow(dimension, 0, 1), tensor.narrow(dimension, 0, 1)
            target.copy_(tensor)
        return slot

    def read(self, dtype: str, shape: tuple[int, ...], offset: int) -> torch.Tensor:
        """A private contiguous copy."""
        return self.view(Slot(dtype, shape, _row_major(shape), offset)).clone()

    def content(self, slot: Slot) -> bytes:
        return self.memory[slot.offset : slot.offset + slot.nbytes]

    def poison(self, offset: int, nbytes: int) -> None:
        """Fill with 0xFF bytes, which are NaN in every floating dtype."""
        self.memory[offset : offset + nbytes] = b"\xff" * nbytes


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))
