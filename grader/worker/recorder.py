"""Watching the candidate's calls: forbidden operators, and (by `meter.py`) how much work and memory a call takes.

A TorchFunctionMode sees the Python entry (`torch.nn.functional.layer_norm`), a TorchDispatchMode what reaches the
dispatcher (`aten::native_layer_norm`) and, through the Python frames above it, library code written in Python
(`torch._refs`, `torch._decomp`, `torch.nn` modules). On some calls the profiler sees what both miss. Each alone can be dodged.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import CodeType, FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker import profiler
from grader.worker.meter import Meter

TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep


class Recorder:
    """Collects hits (forbidden operators called), and counts where a meter is set up."""

    def __init__(self, forbidden: list[str], path: str = "") -> None:
        self.forbidden = frozenset(forbidden)
        self.path = path
        self.names: dict[Any, str | None] = {}
        # By identity: hashing a code object takes ten times as long as all the rest here, and a candidate can make one that is
        # equal to another but for its file's name. The code itself is kept too, so that no other can get its identity.
        self.code_names: dict[int, tuple[str | None, CodeType]] = {}
        self.hits: list[dict[str, Any]] = []
        self.meter: Meter | None = None
        self.exactly = False
        self.profiler_works = bool(forbidden) and profiler.available()
        self.functions = _FunctionWatch(self)
        self.dispatches = _DispatchWatch(self)

    def reset(self) -> None:
        self.hits = []
        self.meter = None

    @contextmanager
    def watch(self, *, profile: bool = False, backward: bool = False) -> Iterator[None]:
        """Record what runs inside; with `profile` by the profiler too. `backward` tells the meter which pass it is."""
        if self.meter is not None:
            self.meter.backward = backward
        names: set[str] = set()
        try:
            with ExitStack() as stack:
                if profile and self.profiler_works:
                    names = stack.enter_context(profiler.watch())
                if self.meter is not None and self.exactly:
                    stack.enter_context(_collector_rests())
                stack.enter_context(self.functions)
                stack.enter_context(self.dispatches)
                yield
        except profiler.Tampered:
            self._hit("(the profiler was switched off by the code)", None)
        for name in sorted(names & self.forbidden):
            if not any(hit["operator"] == name for hit in self.hits):
                self._hit(name, None)

    def count(self, known: Iterable[torch.Tensor], *, exactly: bool = False) -> None:
        """Count what the calls take that are watched from now on. `known` is there before.

        `exactly` makes the garbage collector rest meanwhile, so that the peak repeats: cheap in a worker, whose heap is frozen.
        """
        self.exactly = exactly
        if self.meter is None:
            self.meter = Meter()
        self.meter.know(known)

    def counts(self) -> dict[str, Any] | None:
        """What was counted; None where nothing was asked for."""
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
        depth, path, known = 0, self.path, self.code_names
        while above is not None and depth < 60:
            code = above.f_code
            if code.co_filename == path:
                break
            entry = known.get(id(code)) or self._learn(code)
            if entry[0] is not None:
                self._hit(entry[0], above)
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

    def _learn(self, code: CodeType) -> tuple[str | None, CodeType]:
        """The dotted name of library code in Python, if it is forbidden."""
        name = None
        if code.co_filename.startswith(TORCH_FOLDER):
            module = code.co_filename.removeprefix(TORCH_FOLDER).removesuffix(".py").removesuffix("/__init__")
            dotted = f"torch.{module.replace(os.sep, '.')}.{code.co_qualname}"
            name = dotted if dotted in self.forbidden else None
        self.code_names[id(code)] = name, code
        return name, code

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
            self.recorder.meter.see(func, args, kwargs or {}, result, sys._getframe(1))
        return result


@contextmanager
def _collector_rests() -> Iterator[None]:
    """When the garbage collector frees what lies in a cycle depends on what ran before; counts must not."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
