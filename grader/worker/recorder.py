"""Watching the candidate's calls: forbidden operators, and how much work and memory a call takes.

A TorchFunctionMode sees the Python entry (`torch.nn.functional.layer_norm`), a TorchDispatchMode what reaches the
dispatcher (`aten::native_layer_norm`) and, through the Python frames above it, library code written in Python
(`torch._refs`, `torch._decomp`, `torch.nn` modules). On some calls the profiler sees what both miss. Each alone can be dodged.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import CodeType, FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker import profiler

TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep

# Operators that read only as much of their first argument as they return.
PICKING = frozenset({"aten::index", "aten::index_select", "aten::gather", "aten::take"})
# Operators that write only as much into their first argument as the other arguments hold.
PLACING = frozenset(
    {"aten::index_put_", "aten::index_copy_", "aten::index_add_", "aten::scatter_", "aten::scatter_add_"}
)


class Recorder:
    """Collects hits (forbidden operators called) and counts (elements, largest tensor, peak live bytes)."""

    def __init__(self, forbidden: list[str], path: str = "") -> None:
        self.forbidden = frozenset(forbidden)
        self.path = path
        self.names: dict[Any, str | None] = {}
        self.code_names: dict[CodeType, str | None] = {}
        self.hits: list[dict[str, Any]] = []
        self.meter: Meter | None = None
        self.profiler_works = bool(forbidden) and profiler.available()
        self.functions = _FunctionWatch(self)
        self.dispatches = _DispatchWatch(self)

    def reset(self) -> None:
        self.hits = []
        self.meter = None

    @contextmanager
    def watch(self, *, count: bool = False, profile: bool = False) -> Iterator[None]:
        """Record what runs inside; with `count` how much it takes, with `profile` by the profiler too."""
        if count and self.meter is None:
            self.meter = Meter()
        names: set[str] = set()
        try:
            with ExitStack() as stack:
                if profile and self.profiler_works:
                    names = stack.enter_context(profiler.watch())
                stack.enter_context(self.functions)
                stack.enter_context(self.dispatches)
                yield
        except profiler.Tampered:
            self._hit("(the profiler was switched off by the code)", None)
        for name in sorted(names & self.forbidden):
            if not any(hit["operator"] == name for hit in self.hits):
                self._hit(name, None)

    def counts(self) -> dict[str, int] | None:
        """Elements read and written, elements of the largest tensor made, peak live bytes; None where not asked for."""
        return None if self.meter is None else self.meter.totals()

    def see_function(self, func: Any) -> None:
        name = self._name(func, resolve_name)
        if name is not None:
            self._hit(name, sys._getframe(2))

    def see_operator(self, func: Any) -> None:
        frame = sys._getframe(2)
        name = self._name(func, lambda f: f._schema.name)
        if name is not None:
            self._hit(name, frame)
        # Library code in Python between the operator and the candidate's own lines.
        above: FrameType | None = frame
        depth = 0
        while above is not None and depth < 60 and above.f_code.co_filename != self.path:
            name = self._code_name(above.f_code)
            if name is not None:
                self._hit(name, above)
            above = above.f_back
            depth += 1

    def _name(self, func: Any, resolve: Any) -> str | None:
        """The name of `func` if it is forbidden, else None."""
        try:
            return self.names[func]
        except KeyError:
            name = str(resolve(func) or f"{getattr(func, '__module__', '')}.{getattr(func, '__name__', '')}")
            result = name if name in self.forbidden else None
            self.names[func] = result
            return result
        except TypeError:  # not hashable
            return None

    def _code_name(self, code: CodeType) -> str | None:
        try:
            return self.code_names[code]
        except KeyError:
            name = None
            if code.co_filename.startswith(TORCH_FOLDER):
                module = code.co_filename.removeprefix(TORCH_FOLDER).removesuffix(".py").removesuffix("/__init__")
                dotted = f"torch.{module.replace(os.sep, '.')}.{code.co_qualname}"
                name = dotted if dotted in self.forbidden else None
            self.code_names[code] = name
            return name

    def _hit(self, name: str, frame: FrameType | None) -> None:
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        hit = {"operator": name, "line": None if frame is None else frame.f_lineno}
        if hit not in self.hits:
            self.hits.append(hit)


class _FunctionWatch(TorchFunctionMode):
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.recorder.see_function(func)
        return func(*args, **(kwargs or {}))


class _DispatchWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.recorder = recorder

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True would import torch._dynamo at the first operator: 0.9 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.recorder.see_operator(func)
        result = func(*args, **(kwargs or {}))
        if self.recorder.meter is not None:
            self.recorder.meter.see(func, args, result)
        return result


class Meter:
    """Counts without a clock, so that the same code gives the same numbers in every run."""

    def __init__(self) -> None:
        self.work = 0
        self.largest = 0
        self.live = 0
        self.peak = 0
        self._storages: dict[int, Any] = {}

    def see(self, func: Any, args: Any, result: Any) -> None:
        if func.is_view:  # reads and writes nothing, however large the tensor it looks into
            return
        made = list(_tensors(result))
        read = list(_tensors(args))
        name = func._schema.name
        if name in PICKING:
            read[:1] = made
        elif name in PLACING:
            read, made = read[1:], read[1:]
        self.work += sum(t.numel() for t in made) + sum(t.numel() for t in read)
        for tensor in made:
            self.largest = max(self.largest, tensor.numel())
            self._track(tensor)

    def _track(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._storages:
            return
        size = storage.nbytes()
        self.live += size
        self.peak = max(self.peak, self.live)
        self._storages[key] = weakref.finalize(storage, self._release, key, size)

    def _release(self, key: int, size: int) -> None:
        self.live -= size
        self._storages.pop(key, None)

    def totals(self) -> dict[str, int]:
        return {"work": self.work, "largest": self.largest, "peak": self.peak}


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
