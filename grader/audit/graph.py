"""A traced graph on arrival: checked node by node, and built anew from nothing but what was checked.

The worker that sends it is a stranger's. What is allowed is a list (`worker/operators.py`), what is forbidden is the kata's,
and everything else (references, lists, numbers, constants) has a form and a cap. Nothing here runs an operator.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import torch

from grader.worker.operators import OPERATORS
from grader.worker.protocol import DTYPES, MAX_DIMENSIONS, MAX_FRAME, read_line_number, read_text
from grader.worker.trace import CONSTANTS, MOST_NODES

DEEPEST = 4  # lists in lists among the arguments of an operator
LONGEST = 4096  # list among the arguments, or of results
LARGEST = MAX_FRAME - (1 << 16)  # bytes of JSON; the rest of the message needs some too
_KINDS: dict[str, type] = {"dtype": torch.dtype, "layout": torch.layout, "memory_format": torch.memory_format}


class NotMade(Exception):
    """The audit says nothing about this code, and why."""


class Refuted(Exception):
    """The audit has found the code out."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A checked graph: every operator is listed, every reference leads to a value, sizes of lists and numbers are capped."""

    constants: list[dict[str, Any]]
    nodes: list[dict[str, Any]]
    output: int
    gradients: list[int | None]
    outside: bool = False  # the worker says that numbers came from outside torch: from a list, or numpy

    def to_json(self) -> dict[str, Any]:
        return {
            "constants": self.constants,
            "nodes": self.nodes,
            "output": self.output,
            "gradients": self.gradients,
        }


class MalformedGraph(Exception):
    """No honest worker sends such a thing."""


def parse_graph(raw: Any, inputs: int, gradients: int, forbidden: frozenset[str]) -> Graph:
    """Build a graph of so many inputs and gradients anew from what a worker sent.

    Raises NotMade where the worker found none or an operator is not listed, Refuted where one is forbidden, and MalformedGraph.
    """
    if isinstance(raw, dict) and raw.keys() == {"trouble"}:
        raise NotMade(f"the code {read_text(raw, 'trouble', 200)}")
    try:
        graph = _Parser(inputs, forbidden).parse(raw)
    except (TypeError, KeyError, ValueError, RecursionError) as error:
        raise MalformedGraph(str(error)[:100]) from None
    if len(graph.gradients) != gradients:
        raise MalformedGraph("the number of gradients")
    if len(json.dumps(graph.to_json())) > LARGEST:  # passed on in ASCII, where "é" takes six bytes and not two
        raise NotMade("the code's trace is too long to be run again")
    return graph


class _Parser:
    def __init__(self, inputs: int, forbidden: frozenset[str]) -> None:
        self.forbidden = forbidden
        self.defined = set(range(inputs))
        self.numbers = 0
        self.outside = False

    def parse(self, raw: Any) -> Graph:
        _demand(isinstance(raw, dict) and raw.keys() == {"constants", "nodes", "output", "gradients"}, "fields")
        lists = [raw["constants"], raw["nodes"], raw["gradients"]]
        _demand(all(isinstance(each, list) and len(each) <= MOST_NODES for each in lists), "lists")
        called = {str(node.get("op"))[:200].partition(".")[0] for node in raw["nodes"] if isinstance(node, dict)}
        if found := sorted(called & self.forbidden):
            raise Refuted(f"the code calls {found[0]}, as its trace shows")
        constants = [self._constant(each) for each in raw["constants"]]
        nodes = [self._node(each) for each in raw["nodes"]]
        ends = [None if n is None else self._reference(n) for n in (raw["output"], *raw["gradients"])]
        _demand(ends[0] is not None, "no output")
        assert ends[0] is not None
        return Graph(constants, nodes, ends[0], ends[1:], self.outside)

    def _constant(self, raw: Any) -> dict[str, Any]:
        _demand(isinstance(raw, dict) and raw.keys() == {"id", "dtype", "shape", "values", "outside"}, "a constant")
        shape, values, dtype = raw["shape"], raw["values"], raw["dtype"]
        _demand(isinstance(dtype, str) and dtype in DTYPES and not dtype.startswith("complex"), "a constant's dtype")
        _demand(isinstance(shape, list) and len(shape) <= MAX_DIMENSIONS and all(map(_is_size, shape)), "a shape")
        _demand(isinstance(values, list) and all(isinstance(v, (bool, int, float)) for v in values), "values")
        size = 1
        for n in shape:
            size *= n
        self.numbers += size
        _demand(size == len(values) and self.numbers <= CONSTANTS, "the size of a constant")
        self.outside |= raw["outside"] is True
        return {"id": self._define(raw["id"]), "dtype": dtype, "shape": list(shape), "values": list(values)}

    def _node(self, raw: Any) -> dict[str, Any]:
        _demand(isinstance(raw, dict) and {"op", "args", "kwargs", "results"} <= raw.keys(), "a node")
        name = raw["op"]
        _demand(isinstance(name, str), "an operator's name")
        if name not in OPERATORS:
            raise NotMade(f"the code calls {name[:100]}, which is not on the audit's list of operators")
        kwargs = raw["kwargs"]
        _demand(isinstance(raw["args"], list) and isinstance(kwargs, dict) and len(kwargs) <= 20, "arguments")
        _demand(all(key.isidentifier() and len(key) <= 100 for key in kwargs), "a keyword")
        node: dict[str, Any] = {
            "op": name,
            "args": self._value(raw["args"], 0),
            "kwargs": {key: self._value(value, 0) for key, value in kwargs.items()},
        }
        if "guard" in raw:
            _demand(isinstance(raw["guard"], (bool, int, float)), "a guard")
            return {**node, "guard": raw["guard"], "line": read_line_number(raw), "results": []}
        _demand(isinstance(raw["results"], list) and len(raw["results"]) <= LONGEST, "results")
        return {**node, "results": [self._define(n) for n in raw["results"]]}

    def _value(self, raw: Any, depth: int) -> Any:
        if raw is None or isinstance(raw, (bool, float)):
            return raw
        if isinstance(raw, int):
            _demand(-(1 << 63) <= raw < 1 << 63, "a number")
            return raw
        if isinstance(raw, list):
            _demand(depth < DEEPEST and len(raw) <= LONGEST, "a list")
            return [self._value(item, depth + 1) for item in raw]
        _demand(isinstance(raw, dict) and len(raw) == 1, "an argument")
        ((kind, value),) = raw.items()
        if kind == "t":
            return {"t": self._reference(value)}
        _demand(isinstance(value, str) and len(value) <= 100, "an argument's text")
        _demand(kind in ("text", "device", *_KINDS), "an argument's kind")
        if kind == "device" and value != "cpu":
            raise NotMade(f"the code makes a tensor on {value[:20]}")
        _demand(kind not in _KINDS or isinstance(getattr(torch, value, None), _KINDS[kind]), "an argument's name")
        return {kind: value}

    def _reference(self, number: Any) -> int:
        _demand(_is_size(number) and number in self.defined, "a reference")
        return int(number)

    def _define(self, number: Any) -> int:
        _demand(_is_size(number) and number not in self.defined, "a number of a value")
        self.defined.add(number)
        return int(number)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


def _demand(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)
