"""The untrusted half of the audit: writes down the aten operators of one call, forward and backward, as JSON.

A dispatch mode numbers every tensor that it meets: the inputs first, then constants and results as they come. Whatever was
computed out of its sight (in a thread, with the modes switched off, in numpy) has no number yet and goes in as a constant,
which then is wrong for every other input; of one from Python's own data (a list, numpy) that is noted. What is written here is
a claim: `grader.audit.examine` checks it and `replay.py` runs it.

Not `torch.fx.experimental.proxy_tensor.make_fx`: its first trace imports 826 modules (1.3 s in every worker), and it gives up
where a value is read out of a tensor. Here such a reading becomes a guard, an operator whose result must be the same again.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker.arena import Slot, align, dtype_name
from grader.worker.protocol import MAX_FRAME

if TYPE_CHECKING:
    from grader.worker.serve import Session

LARGEST_GRAPH = MAX_FRAME - (64 << 10)  # bytes of JSON; the rest of a message is for other fields
MOST_NODES = 8000
CONSTANTS = 1024  # elements of all constants together

_SHOWN = ("bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64")


def trace(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """One call as in `Session.call`, under the recorder too, and its graph."""
    tensors = [session.arena.view(Slot.from_json(raw)) for raw in request["slots"]]
    for index in request["leaves"]:
        tensors[index].requires_grad_()
    args = [tensors[a["slot"]] if "slot" in a else a["value"] for a in request["args"]]
    function, parameters = session._callee(request)
    wanted = [parameters[name] for name in request["parameters"]]
    cotangent = None if request["cotangent"] is None else session.arena.view(Slot.from_json(request["cotangent"]))
    tracer = Tracer([*tensors, *wanted, *([] if cotangent is None else [cotangent])], session.path)
    with session.recorder.watch(), tracer:
        output = function(*args)
    reply: dict[str, Any] = {"type": type(output).__name__, "output": None, "gradients": None}
    if not isinstance(output, torch.Tensor):
        return reply
    at = request["output_at"]
    reply["output"] = session._write([output.detach()], at)[0]
    gradients: list[torch.Tensor | None] = []
    if cotangent is not None:
        wrt = [*(tensors[i] for i in request["leaves"]), *wanted]
        gradients = [None] * len(wrt)
        if output.requires_grad and output.shape == cotangent.shape:
            with session.recorder.watch(), tracer:
                gradients = list(torch.autograd.grad((output * cotangent).sum(), wrt, allow_unused=True))
        written = iter(
            session._write(
                [g.detach() for g in gradients if g is not None],
                align(at + output.numel() * output.element_size()),
            )
        )
        reply["gradients"] = [None if g is None else next(written) for g in gradients]
    reply["graph"] = tracer.graph(output, gradients)
    return reply


class Untraceable(Exception):
    """Something that the graph cannot hold; the message completes "the code …"."""


class Tracer(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Collects nodes while it is entered."""

    def __init__(self, inputs: list[torch.Tensor], path: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.path = path
        self.nodes: list[dict[str, Any]] = []
        self.pure: list[
            bool
        ] = []  # of each node: it changes nothing, so it can be left out where nobody needs its result
        self.constants: list[dict[str, Any]] = []
        self.trouble = ""
        self._numbers: dict[int, int] = {}  # of tensors, by id
        self._places: dict[Any, int] = {}  # the same by place in memory: a tensor may come back as another object
        self._alive: list[torch.Tensor] = []  # so that neither ids nor places are used again
        self._count = 0
        self._lifting = False
        self._given = {tensor.untyped_storage().data_ptr() for tensor in inputs}
        for tensor in inputs:
            self._number(tensor)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True would import torch._dynamo at the first operator: 0.9 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.trouble:
            return func(*args, **kwargs)
        try:
            self._lifting = func is torch.ops.aten.lift_fresh.default  # how torch.tensor([...]) arrives
            arguments = self._encode(args), {name: self._encode(value) for name, value in kwargs.items()}
        except Untraceable as error:
            self.trouble = str(error)
            return func(*args, **kwargs)
        result = func(*args, **kwargs)
        self._add(func, *arguments, result)
        return result

    def graph(self, output: torch.Tensor, gradients: list[torch.Tensor | None]) -> dict[str, Any]:
        """The finished graph, or `{"trouble": …}` where there is none."""
        with torch.no_grad():
            try:
                ends = [None if t is None else self._reference(t)["t"] for t in (output, *gradients)]
            except Untraceable as error:
                self.trouble = self.trouble or str(error)
        if self.trouble:
            return {"trouble": self.trouble}
        nodes = self._needed({n for n in ends if n is not None})
        used = {n for node in nodes for n in _references([node["args"], node["kwargs"]])} | set(ends)
        constants = [c for c in self.constants if c["id"] in used]
        size = sum(len(c["values"]) for c in constants)
        if size > CONSTANTS:
            return {"trouble": f"uses {size} numbers that no traced operator has computed"}
        if len(nodes) > MOST_NODES:
            return {"trouble": f"takes {len(nodes)} operators, more than {MOST_NODES}"}
        graph = {"constants": constants, "nodes": nodes, "output": ends[0], "gradients": ends[1:]}
        if len(json.dumps(graph)) > LARGEST_GRAPH:
            return {"trouble": "has a graph that does not fit into a message"}
        return graph

    def _add(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        tensors = list(_tensors(result))
        node = {"op": _name(func), "args": args, "kwargs": kwargs, "results": [self._number(t) for t in tensors]}
        if not tensors and isinstance(result, (bool, int, float)):
            node |= {"guard": result, "line": self._line()}
        self.nodes.append(node)
        schema = getattr(func, "_schema", None)
        self.pure.append(bool(tensors) and schema is not None and not schema.is_mutable)

    def _needed(self, wanted: set[int]) -> list[dict[str, Any]]:
        kept = []
        for node, pure in zip(reversed(self.nodes), reversed(self.pure), strict=True):
            if not pure or not wanted.isdisjoint(node["results"]):
                kept.append(node)
                wanted.update(_references([node["args"], node["kwargs"]]))
        return kept[::-1]

    def _encode(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, str):
            return {"text": value[:100]}
        if isinstance(value, torch.Tensor):
            return self._reference(value)
        if isinstance(value, (list, tuple)):
            return [self._encode(item) for item in value]
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            kind = type(value).__name__.removeprefix("torch.")
            return {kind: str(value).removeprefix("torch.")}
        if isinstance(value, torch.device):
            return {"device": str(value)}
        raise Untraceable(f"passes a {type(value).__name__} to an operator")

    def _reference(self, tensor: torch.Tensor) -> dict[str, int]:
        number = self._numbers.get(id(tensor))
        if number is None:
            number = self._places.get(_place(tensor))
        if number is None:
            number = self._constant(tensor)
        return {"t": number}

    def _constant(self, tensor: torch.Tensor) -> int:
        dtype = dtype_name(tensor.dtype)
        if dtype not in _SHOWN or tensor.layout != torch.strided or tensor.device.type != "cpu":
            raise Untraceable(f"uses a {dtype} tensor on {tensor.device} that no traced operator has made")
        if tensor.numel() > 16 * CONSTANTS:
            raise Untraceable(f"uses {tensor.numel()} numbers that no traced operator has computed")
        number = self._number(tensor)
        with torch.utils._python_dispatch._disable_current_modes():
            values = tensor.detach().reshape(-1).tolist()
            storage = tensor.untyped_storage()
            foreign = not storage.resizable() and storage.data_ptr() not in self._given  # the inputs lie in the arena
            outside = self._lifting or foreign
        constant = {"id": number, "dtype": dtype, "shape": list(tensor.shape), "values": values, "outside": outside}
        self.constants.append(constant)
        return number

    def _number(self, tensor: torch.Tensor) -> int:
        number, self._count = self._count, self._count + 1
        self._alive.append(tensor)
        self._numbers[id(tensor)] = number
        if tensor.layout == torch.strided and tensor.device.type == "cpu" and tensor.numel():
            self._places[_place(tensor)] = number
        return number

    def _line(self) -> int | None:
        """The candidate's line that is running."""
        frame = sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        return frame.f_lineno if frame.f_code.co_filename == self.path else None


def _place(tensor: torch.Tensor) -> Any:
    if tensor.layout != torch.strided or tensor.device.type != "cpu" or not tensor.numel():
        return None
    return tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tensor.stride()


def _name(func: Any) -> str:
    overload = getattr(func, "_overloadname", "")
    schema = getattr(func, "_schema", None)
    return f"{schema.name if schema is not None else func}.{overload or 'default'}"[:200]


def _tensors(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)


def _references(value: Any) -> Any:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "t":
                yield item
            else:
                yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
