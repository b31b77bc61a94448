"""The trusted half of the audit that runs in a sandbox: executes a checked graph on inputs that the candidate never saw.

The process is forked from the zygote like any worker and never loads a candidate's file: shapes and indices in the graph
are a stranger's, and may crash a kernel. `grader.audit.examine` has checked the form of the graph and that every operator is
listed; here the number of elements is bounded before each operator runs, and a guard that does not hold ends the replay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from grader.worker.arena import Slot, align
from grader.worker.operators import bound_elements

if TYPE_CHECKING:
    from grader.worker.serve import Session

LARGEST = 1 << 22  # elements of one result
TOTAL = 1 << 26  # elements of all results


class Refused(Exception):
    """The graph is not run to its end."""

    def __init__(self, kind: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line


def replay(session: Session, request: dict[str, Any]) -> dict[str, Any]:
    """Run `request["graph"]` on the tensors in the arena; answers like `Session.call`, or with `refused`."""
    inputs = [session.arena.view(Slot.from_json(raw)) for raw in request["inputs"]]
    try:
        with torch.no_grad():
            output, gradients = run_graph(request["graph"], inputs)
    except Refused as refused:
        return {"refused": {"kind": refused.kind, "message": str(refused), "line": refused.line}}
    at = request["output_at"]
    header = session._write([output], at)[0]
    written = iter(
        session._write([g for g in gradients if g is not None], align(at + output.numel() * output.element_size()))
    )
    present = [None if g is None else next(written) for g in gradients]
    return {"type": "Tensor", "output": header, "gradients": present if request["wants_gradients"] else None}


def run_graph(graph: dict[str, Any], inputs: list[torch.Tensor]) -> tuple[torch.Tensor, list[torch.Tensor | None]]:
    """Output and gradients of the graph. Raises Refused, and whatever an operator raises."""
    values: dict[int, torch.Tensor] = dict(enumerate(inputs))
    for raw in graph["constants"]:
        flat = torch.tensor(raw["values"], dtype=getattr(torch, raw["dtype"]))
        values[raw["id"]] = flat.reshape(raw["shape"])
    total = 0
    for node in graph["nodes"]:
        total += _run(node, values)
        if total > TOTAL:
            raise Refused("size", f"the graph handles more than {TOTAL} elements")
    results = [None if number is None else values[number] for number in (graph["output"], *graph["gradients"])]
    output = results[0]
    if output is None:
        raise Refused("form", "the graph has no output")
    return output, results[1:]


def _run(node: dict[str, Any], values: dict[int, torch.Tensor]) -> int:
    args = tuple(_decode(raw, values) for raw in node["args"])
    kwargs = {name: _decode(raw, values) for name, raw in node["kwargs"].items()}
    name = node["op"]
    size = bound_elements(name, args, kwargs)
    if size > LARGEST:
        raise Refused("size", f"{name} may make {size} elements, more than {LARGEST}")
    packet, _, overload = name.removeprefix("aten::").partition(".")
    result = getattr(getattr(torch.ops.aten, packet), overload)(*args, **kwargs)
    if "guard" in node:
        if not _same(result, node["guard"]):
            raise Refused("guard", f"{name} gives another value", node["line"])
        return size
    tensors = list(_results(result))
    if len(tensors) != len(node["results"]):
        raise Refused("form", f"{name} gives {len(tensors)} tensors, not {len(node['results'])}")
    values.update(zip(node["results"], tensors, strict=True))
    return size


def _decode(raw: Any, values: dict[int, torch.Tensor]) -> Any:
    if isinstance(raw, list):
        return [_decode(item, values) for item in raw]
    if not isinstance(raw, dict):
        return raw
    ((kind, value),) = raw.items()
    if kind == "t":
        return values[value]
    if kind == "text":
        return value
    return torch.device("cpu") if kind == "device" else getattr(torch, value)


def _results(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in _results(item)] if isinstance(value, (list, tuple)) else []


def _same(one: Any, two: Any) -> bool:
    return bool(one == two) or (one != one and two != two)
