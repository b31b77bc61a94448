"""`kata grade --audit`: what the code traces must give the right answers in the grader's own hands.

A fresh worker traces calls of the candidate's code into graphs of aten operators (`worker/trace.py`). Each graph is checked
here, node by node, against the list of operators that may run (`worker/operators.py`), and is then run by trusted code in a
second sandboxed process (`worker/replay.py`) on inputs that the candidate never saw: fresh values from the system's entropy, in
the shapes that were traced. Output and gradients are compared here, as in any property.

A graph that holds is evidence that the file can compute the answer by listed operators in these shapes. It is no proof that
the graded calls ran it: code that knows that it is traced can trace something else.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.answer import Answer
from grader.audit.graph import Graph, MalformedGraph, NotMade, Refuted, parse_graph
from grader.candidate import Candidate, Module
from grader.case import Case
from grader.compare import check_form, check_gradients, check_values
from grader.diagnosis.diagnose import load_probes
from grader.errors import GraderError, WorkerLost
from grader.failure import PropertyFailed
from grader.oracle import Oracle, cotangent
from grader.reply import Reply
from grader.submission import decode_source
from grader.verdict import AUDIT, PropertyResult, Status
from grader.worker.arena import Slot, dtype_name
from grader.worker.protocol import read_line_number, read_text
from grader.worker.trace import CONSTANTS
from grader.worker_process import Worker

if TYPE_CHECKING:
    from grader.catalog import Kata

DESCRIPTION = "The traced operators, run on secret inputs by the grader, give the right answers."
AUDIT_SECONDS = 30
TRACES = 3  # for each entry symbol
REPLAYS = 2  # of each trace
ABOUT_ONE = 10.0  # inputs of about this size and spread: other ones are about numerics, not about the graph


@dataclass(slots=True)
class Audit:
    """What came of it: the result as a property, and the candidate under the tracer, whose recorders saw what they saw."""

    result: PropertyResult
    candidate: Candidate | None = None
    alarms: list[str] = field(default_factory=list)


def audit(
    kata: Kata,
    source: bytes,
    load: Mapping[str, Any],
    oracle: Oracle,
    dtypes: Sequence[str],
    deadline: float = math.inf,
) -> Audit:
    """Trace and replay, on the CPU whatever the grade's device, and before the `deadline` of the grade (`time.monotonic`).

    `load` is the request that loads the file, but for its path.
    """
    report = Audit(_result(Status.SKIPPED))
    try:
        found = _audit(kata, source, load, oracle, dtypes, report, deadline)
        report.result = _result(Status.PASSED, found)
    except Refuted as refuted:
        report.result = _result(Status.FAILED, str(refuted))
    except NotMade as reason:
        report.result = _result(Status.SKIPPED, f"the audit could not be made: {reason}")
    except WorkerLost as lost:
        report.result = _result(Status.SKIPPED, f"the audit could not be made: {lost.message}")
    return report


def not_examined(reason: str) -> PropertyResult:
    """The result where an audit was asked for and there was no use in one."""
    return _result(Status.SKIPPED, f"not examined: {reason}")


def _result(status: Status, message: str = "") -> PropertyResult:
    return PropertyResult(AUDIT, DESCRIPTION, "robustness", True, status, message)


def _audit(
    kata: Kata,
    source: bytes,
    load: Mapping[str, Any],
    oracle: Oracle,
    dtypes: Sequence[str],
    report: Audit,
    deadline: float,
) -> str:
    cases = choose_cases(kata, oracle, dtypes)
    for entry in {e.name for e in kata.entries} - {case.entry for case in cases}:
        raise NotMade(f"{kata.id} has no probe of {entry} that could be traced")
    operators: set[str] = set()
    with Worker(source) as stranger, Worker(b"") as sandbox:
        stranger.grade_deadline = sandbox.grade_deadline = min(time.monotonic() + AUDIT_SECONDS, deadline)
        tracer = Tracer(stranger, decode_source(source), kata.forbidden)
        report.candidate = tracer
        if stranger.request({**load, "path": stranger.path}).error is not None:
            raise NotMade("the file did not load a second time")
        stranger.forget_alarms()
        try:
            for case in cases:
                graph, module = tracer.trace(case, oracle)
                operators |= {node["op"] for node in graph.nodes}
                for _ in range(REPLAYS if case.tensors else 1):
                    _replay(graph, case, module, Replayer(sandbox, "", device="cpu"), oracle)
        finally:
            report.alarms = stranger.alarms()
    blind = sorted({case.entry for case in cases if not case.tensors})
    note = f"; {', '.join(blind)} takes no tensor, so only its operators were looked at" if blind else ""
    secrets_asked = REPLAYS * sum(bool(case.tensors) for case in cases)
    return (
        f"{len(cases)} calls traced, {len(operators)} different operators, all listed; right on {secrets_asked} inputs "
        f"that the code never saw{note}"
    )


def _replay(graph: Graph, traced: Case, module: Module | None, replayer: Replayer, oracle: Oracle) -> None:
    """Run the graph on a secret case and compare."""
    case = secret_case(traced)
    differentiable = is_differentiable(case)
    expected = oracle(case, gradients=differentiable)
    where = f"traced for {case.describe()}, {_shapes(case)}"
    try:
        answer = replayer.replay(graph, case, module, expected.output.shape)
    except PropertyFailed as error:
        raise NotMade(f"what was {where} does not run on other inputs: {error.message}") from None
    try:
        check_form(case, answer, expected.output)
        check_values(oracle, case, answer.output, expected, None, gradients=differentiable)
        if differentiable:
            check_gradients(replayer, oracle, case, answer, expected, ())
    except PropertyFailed as error:
        if graph.outside:
            raise NotMade(f"what was {where}, takes numbers from outside torch (numpy, a Python list)") from None
        raise Refuted(
            f"the operators {where}, do not give the answer on other inputs: {error.message}. Part of what the code "
            f"computes does not pass through them (it runs in another thread, or with the modes switched off)"
        ) from None


def is_differentiable(case: Case) -> bool:
    return bool(case.leaves or case.parameters)


class Tracer(Candidate):
    """The candidate under the tracer."""

    def __init__(self, worker: Worker, source: str, forbidden: Sequence[str]) -> None:
        super().__init__(worker, source, device="cpu")
        self._forbidden_names = frozenset(forbidden)
        self._reply: Reply | None = None

    def trace(self, case: Case, oracle: Oracle) -> tuple[Graph, Module | None]:
        """The checked graph of one call, and the module that was called."""
        differentiable = is_differentiable(case)
        shape = oracle(case, gradients=differentiable).output.shape
        try:
            module = self.construct(case) if case.init is not None else None
            self(case, cotangent=cotangent(case, shape) if differentiable else None, module=module)
        except PropertyFailed as error:
            raise NotMade(f"under the tracer, {error.message}") from None
        assert self._reply is not None
        inputs = len({id(t) for t in case.tensors.values()}) + differentiable
        gradients = len(case.leaves)
        if module is not None:
            parameters = len({place.parameter for place in module.placements.values()})
            inputs, gradients = inputs + parameters, gradients + parameters
        raw = self._reply.fields.get("graph")
        try:
            graph = parse_graph(raw, inputs, gradients if differentiable else 0, self._forbidden_names)
            return graph, module
        except MalformedGraph as error:
            raise self.worker.distrust(f"its graph is malformed: {error}") from None

    def _request(self, message: dict[str, Any], case: Case) -> Reply:
        reply = super()._request({**message, "op": "trace"} if message["op"] == "call" else message, case)
        self._reply = reply
        return reply


class Replayer(Candidate):
    """Answers a case by running a graph in the second sandbox; no code of the candidate's is there."""

    graph: Graph

    def replay(self, graph: Graph, case: Case, module: Module | None, shape: torch.Size) -> Answer:
        self.graph = graph
        direction = cotangent(case, shape) if is_differentiable(case) else None
        return self(case, cotangent=direction, module=module)

    def _request(self, message: dict[str, Any], case: Case) -> Reply:
        settings = dict(message["set"])
        inputs = [*message["slots"], *(settings[name] for name in message["parameters"])]
        inputs += [message["cotangent"]] if message["cotangent"] is not None else []
        request = {
            "op": "replay",
            "graph": self.graph.to_json(),
            "inputs": inputs,
            "output_at": message["output_at"],
            "wants_gradients": message["cotangent"] is not None,
        }
        reply = super()._request(request, case)
        refused = reply.fields.get("refused")
        if refused is not None:
            line = read_line_number(refused)
            where = "" if line is None else f" in line {line}"
            what = read_text(refused, "message", 200)
            if read_text(refused, "kind", 10) == "guard":
                what = f"a number that the code reads out of a tensor{where} decides what it computes"
            raise NotMade(what)
        return reply


def choose_cases(kata: Kata, oracle: Oracle, dtypes: Sequence[str]) -> list[Case]:
    """For each entry symbol a few of the kata's probes: with each argument given and left out, in different dimensions."""
    by_entry: dict[str, list[Case]] = {}
    try:
        probes = load_probes(kata)
    except Exception as error:  # code of a pack, which may be anyone's
        raise GraderError(f"probes() of {kata.id} fails: {error}", f"kata dev check {kata.folder}") from error
    for probe in probes:
        if not probe.meta and _is_plain(probe.case) and _answers(oracle, probe.case):
            by_entry.setdefault(probe.case.entry, []).append(probe.case)
    chosen = [case for cases in by_entry.values() for case in _unlike(cases, oracle)]
    wanted = [getattr(torch, name) for name in dtypes]
    return [case.in_dtype(wanted[i % len(wanted)]) for i, case in enumerate(chosen)]


def _unlike(cases: list[Case], oracle: Oracle) -> list[Case]:
    """At most TRACES cases that differ in form; one for an entry that takes no tensor, small enough to come from a list."""
    small = [case for case in cases if case.tensors or oracle(case).output.numel() <= CONSTANTS]
    forms: tuple[Callable[[Case], Any], ...] = (
        lambda case: [name for name, value in case.arguments.items() if value is not None],
        lambda case: [t.dim() for t in case.tensors.values()],
        lambda case: [t.shape for t in case.tensors.values()],
    )
    chosen: list[Case] = []
    for form in forms:
        for case in small:
            if len(chosen) < TRACES and form(case) not in map(form, chosen):
                chosen.append(case)
    return chosen if any(case.tensors for case in cases) else chosen[:1]


def _is_plain(case: Case) -> bool:
    """Whether fresh values of the same size and spread make as good an input as this one."""
    tensors = [t for t in (*case.tensors.values(), *case.parameters.values()) if t.is_floating_point()]
    dense = all(step > 0 or n < 2 for t in case.tensors.values() for n, step in zip(t.shape, t.stride(), strict=True))
    return dense and all(float(t.abs().max()) < ABOUT_ONE for t in tensors if t.numel())


def _answers(oracle: Oracle, case: Case) -> bool:
    try:
        oracle(case)
    except Exception:  # the reference refuses this input, which is what the probe is for
        return False
    return True


def secret_case(case: Case) -> Case:
    """The same call with fresh values: of the same size and spread, masks with as many True in every row."""
    generator = torch.Generator().manual_seed(secrets.randbits(63))
    fresh: dict[int, Tensor] = {}

    def renew(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        if id(value) not in fresh:
            fresh[id(value)] = _like(value, _values(value, generator))
        return fresh[id(value)]

    return replace(
        case,
        arguments={name: renew(value) for name, value in case.arguments.items()},
        parameters={role: renew(value) for role, value in case.parameters.items()},
        seed=secrets.randbits(31),
    )


def _values(tensor: Tensor, generator: torch.Generator) -> Tensor:
    if tensor.is_floating_point():
        noise = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
        spread = float(tensor.double().std()) if tensor.numel() > 1 else 0.0
        centre = float(tensor.double().mean()) if tensor.numel() else 0.0
        return (noise * (spread or 1.0) + centre).float()  # exact in float32, as all inputs
    if tensor.dim() == 0:
        return tensor
    order = torch.rand(tensor.shape, generator=generator).argsort(-1)
    return tensor.gather(-1, order)


def _like(tensor: Tensor, values: Tensor) -> Tensor:
    """The values with the strides of `tensor`."""
    extent = Slot(dtype_name(tensor.dtype), tuple(tensor.shape), tuple(tensor.stride()), 0).extent
    flat = tensor.new_zeros(extent)
    copy = torch.empty(0, dtype=tensor.dtype).set_(flat.untyped_storage(), 0, tensor.shape, tensor.stride())
    return copy.copy_(values)


def _shapes(case: Case) -> str:
    return ", ".join(f"{name} {tuple(t.shape)}" for name, t in case.tensors.items()) or "no tensor"
