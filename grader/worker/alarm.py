"""The alarm: the dispatcher itself tells the parent that a forbidden operator was called.

Modes and profiler can be dodged by code that runs in another thread, switches them off, or runs while the grader copies a
result; and what they record lies in objects that the candidate's code can reach. Here every forbidden aten operator gets a
kernel in front of its own, for the whole process and for good: it writes the operator's name into a socket whose other end
the parent holds, then goes on. What has been written cannot be taken back, and no object of Python leads to the kernels.
There are ways around it: kernels registered over these, an operator sent straight to a device's kernel, native code that writes
into this process's memory; and library code that is written in Python (`torch._refs`) calls none of these operators.
`grader.audit.examine` is for those.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from typing import Any

import torch

_BELOW: Any = torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.BackendSelect)


def install(forbidden: list[str], fd: int) -> None:
    """Guard every operator of `forbidden` that this build of torch has. `fd` is a socket to the parent."""
    guard: Any = torch._C._dispatch_library("IMPL", "aten", "", __file__, 0)
    os.set_blocking(fd, False)
    for operator in forbidden:
        packet = (
            getattr(torch.ops.aten, operator.removeprefix("aten::"), None) if operator.startswith("aten::") else None
        )
        for overload in packet.overloads() if packet is not None else ():
            _guard(guard, getattr(packet, overload), fd, f"{operator}\n".encode())
    _hide(guard)
    sys.addaudithook(_refuse_to_be_watched)


def _guard(guard: Any, operator: Any, fd: int, message: bytes) -> None:
    name = operator.name().removeprefix("aten::")
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    if has_kernel(operator.name(), "CompositeImplicitAutograd") and not has_kernel(operator.name(), "Autograd"):
        kernel = _ring_and_decompose(operator, fd, message)
        for key in ("AutogradCPU", "AutogradCUDA", "AutogradMPS"):  # where it would be taken apart
            guard.impl(name, key, kernel, False)
    else:
        # Every call passes the key BackendSelect, below autograd and above the devices; these operators use it for nothing.
        kernel = _ring_and_redispatch(operator, fd, message)
        guard.impl(name, "BackendSelect", kernel, True)
    _hide(kernel, kernel.__kwdefaults__)


# A frame of these kernels can be seen: from a signal handler, or where the garbage collector calls back. So they hold nothing
# that can be changed, no function of Python's and no cell; and they write before anything else, because what comes first could
# be used to change a local variable of theirs. Arguments of operators do not begin with an underscore.


def _ring_and_redispatch(operator: Any, fd: int, message: bytes) -> Any:
    def kernel(
        keyset: Any,
        *args: Any,
        _write: Any = os.write,
        _fd: int = fd,
        _message: bytes = message,
        _stat: Any = os.fstat,
        _inode: int = os.fstat(fd).st_ino,
        _leave: Any = os._exit,
        _blocked: Any = BlockingIOError,
        _redispatch: Any = operator.redispatch,
        _below: Any = _BELOW,
        **kwargs: Any,
    ) -> Any:
        try:
            _write(_fd, _message)
            if _stat(_fd).st_ino != _inode:
                _leave(1)  # another file was put in its place
        except _blocked:  # full of what the parent has not read yet: that is alarm enough
            pass
        except BaseException:
            _leave(1)
        return _redispatch(keyset & _below, *args, **kwargs)

    return kernel


def _ring_and_decompose(operator: Any, fd: int, message: bytes) -> Any:
    def kernel(
        *args: Any,
        _write: Any = os.write,
        _fd: int = fd,
        _message: bytes = message,
        _stat: Any = os.fstat,
        _inode: int = os.fstat(fd).st_ino,
        _leave: Any = os._exit,
        _blocked: Any = BlockingIOError,
        _decompose: Any = operator.decompose,
        **kwargs: Any,
    ) -> Any:
        try:
            _write(_fd, _message)
            if _stat(_fd).st_ino != _inode:
                _leave(1)
        except _blocked:
            pass
        except BaseException:
            _leave(1)
        return _decompose(*args, **kwargs)

    return kernel


_WATCHING = frozenset(("sys.settrace", "sys.setprofile", "sys.monitoring.register_callback", "sys._current_frames"))


def _refuse_to_be_watched(event: str, _: Any, watching: frozenset[str] = _WATCHING) -> None:
    """An audit hook, which cannot be taken back: a trace function could jump over the line that writes."""
    if event in watching:
        raise RuntimeError(f"{event} is switched off while code is graded")


def _hide(*things: Any) -> None:
    """Keep for ever, and out of the garbage collector's sight: gc.get_objects() and gc.get_referrers() do not find them."""
    for thing in things:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
        if gc.is_tracked(thing):
            ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(thing))
