"""The alarm: the dispatcher itself tells the parent that a forbidden operator was called.

Modes and profiler can be dodged by code that runs in another thread, switches them off, or runs while the grader copies a
result; and what they record lies in objects that the candidate's code can reach. Here every forbidden aten operator gets a
kernel in front of its own, for the whole process and for good: it writes the operator's name into a socket whose other end
the parent holds, then goes on. What has been written cannot be taken back, and no object of Python leads to the kernels.
Native code that writes into this process's memory could still silence them, and library code that is written in Python
(`torch._refs`) calls none of these operators.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Callable
from typing import Any

import torch


def install(forbidden: list[str], fd: int) -> None:
    """Guard every operator of `forbidden` that this build of torch has. `fd` is a socket to the parent."""
    guard: Any = torch._C._dispatch_library("IMPL", "aten", "", __file__, 0)
    ring = _ringer(fd)
    for operator in forbidden:
        packet = (
            getattr(torch.ops.aten, operator.removeprefix("aten::"), None) if operator.startswith("aten::") else None
        )
        for overload in packet.overloads() if packet is not None else ():
            _guard(guard, getattr(packet, overload), ring, f"{operator}\n".encode())
    _hide(guard)


def _guard(guard: Any, operator: Any, ring: Callable[[bytes], None], message: bytes) -> None:
    name = operator.name().removeprefix("aten::")
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    if has_kernel(operator.name(), "CompositeImplicitAutograd") and not has_kernel(operator.name(), "Autograd"):
        decompose = operator.decompose

        def composite(*args: Any, **kwargs: Any) -> Any:
            ring(message)
            return decompose(*args, **kwargs)

        for key in ("AutogradCPU", "AutogradCUDA", "AutogradMPS"):  # where it would be taken apart
            guard.impl(name, key, composite, False)
        _hide(composite, composite.__closure__, *(composite.__closure__ or ()))
        return
    redispatch = operator.redispatch
    below = torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.BackendSelect)

    # Every call passes the key BackendSelect, below autograd and above the devices; these operators use it for nothing.
    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        ring(message)
        return redispatch(keyset & below, *args, **kwargs)

    guard.impl(name, "BackendSelect", kernel, True)
    _hide(kernel, kernel.__closure__, *(kernel.__closure__ or ()))


def _ringer(fd: int) -> Callable[[bytes], None]:
    """The function that writes to the parent. It uses no name that the candidate's code can bind anew."""
    inode, stat, write, leave, blocked = os.fstat(fd).st_ino, os.fstat, os.write, os._exit, BlockingIOError
    os.set_blocking(fd, False)

    def ring(message: bytes) -> None:
        try:
            if stat(fd).st_ino == inode:
                write(fd, message)
                return
        except blocked:  # full of what the parent has not read yet: that is alarm enough
            return
        except BaseException:
            pass
        leave(1)  # it was closed, or another file put in its place

    _hide(ring, ring.__closure__, *(ring.__closure__ or ()))
    return ring


def _hide(*things: Any) -> None:
    """Keep for ever, and out of the garbage collector's sight: gc.get_objects() and gc.get_referrers() do not find them."""
    for thing in things:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
        if gc.is_tracked(thing):
            ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(thing))
