"""The audit: right code passes it, what is computed out of the tracer's sight does not, and a hostile graph does no harm."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_fuzz import (
    AT,
    CASE,
    CHANGES,
    CONSTRUCTED,
    EXPECTED,
    ORACLE,
    RIGHT,
    STARTING,
    FakeWorker,
    frame,
    header,
    mutate,
)

from grader.audit import examine as auditing
from grader.audit.examine import Audit, Replayer, Tracer, choose_cases, secret_case
from grader.audit.graph import MalformedGraph, NotMade, Refuted, parse_graph
from grader.case import Case
from grader.catalog import find_katas, get_kata
from grader.errors import WorkerLost
from grader.examiner import grade
from grader.failure import PropertyFailed
from grader.oracle import Oracle, cotangent, load_reference
from grader.verdict import Outcome, PropertyResult, Status, Verdict
from grader.worker import replay, trace
from grader.worker.arena import Arena, create_file
from grader.worker.operators import OPERATORS, bound_elements
from grader.worker_process import Worker

ATTACKS = corpus.FOLDER / "layernorm" / "attack"

# What the audit alone says of attacks that hide a library call, where it does not refute them. The recorders catch these.
NOT_REFUTED = {
    "layernorm/hidden-decomposition": Status.PASSED,  # a graph of listed operators, whoever wrote the code
    "layernorm/hidden-decomposition-renamed": Status.PASSED,  # the same, and no frame gives it away: a known gap
    "layernorm/hidden-late-detach": Status.PASSED,  # calls the operator beside its own, right, answer
    "layernorm/hidden-saved-tensor-hooks": Status.PASSED,  # the same
    "layernorm/hidden-silenced-alarm": Status.SKIPPED,  # ends the process
}


def audit_alone(path: Path) -> Audit:
    """The audit of a file without any property before it."""
    kata = get_kata(path.parent.parent.name)
    wanted = [{"name": entry.name, "kind": entry.kind} for entry in kata.entries]
    load = {"op": "load", "forbidden": list(kata.forbidden), "entries": wanted}
    return auditing.audit(kata, path.read_bytes(), load, Oracle(kata.reference), ("float32", "float64"))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer traces, for tests of many files."""
    monkeypatch.setattr(auditing, "TRACES", 2)
    monkeypatch.setattr(auditing, "REPLAYS", 1)


@pytest.mark.parametrize("path", corpus.files("right"), ids=corpus.name)
def test_right_code_passes(path: Path, quick: None) -> None:
    result = audit_alone(path).result
    assert result.status is Status.PASSED, result.message


@pytest.mark.parametrize("path", sorted(corpus.FOLDER.glob("*/attack/hidden-*.py")), ids=corpus.name)
def test_a_hidden_library_call_is_refuted_without_the_recorders(path: Path, quick: None) -> None:
    result = audit_alone(path).result
    assert result.status is NOT_REFUTED.get(corpus.name(path), Status.FAILED), result.message


def the_audit(verdict: Verdict) -> PropertyResult:
    return next(p for p in verdict.properties if p.id == "audit-replay")


def test_a_pass_tells_what_was_found() -> None:
    verdict = grade(get_kata("layernorm"), corpus.files("right", "layernorm")[0], only=["matches-formula"], audit=True)
    assert verdict.outcome is Outcome.PASS
    assert the_audit(verdict).required
    assert "right on 6 inputs that the code never saw" in the_audit(verdict).message


def test_a_decomposition_that_dodges_every_recorder_fails() -> None:
    path = ATTACKS / "hidden-decomposition-modes-off.py"
    verdict = grade(get_kata("layernorm"), path, only=["matches-formula"], explain=False, audit=True)
    assert verdict.outcome is Outcome.FAIL
    assert {p.id for p in verdict.required_failed} == {"audit-replay"}
    assert "Part of what the code computes does not pass through them" in the_audit(verdict).message


def test_what_the_recorders_see_under_the_tracer_counts() -> None:
    audited = audit_alone(ATTACKS / "hidden-decomposition.py")
    assert audited.candidate is not None
    assert "torch._refs.native_layer_norm" in {call.operator for call in audited.candidate.forbidden.values()}
    assert "aten::native_layer_norm" in audit_alone(ATTACKS / "hidden-late-detach.py").alarms


MASKED_SOFTMAX = """
import torch
def causal_mask(seq_len, device=None):
    return torch.arange(seq_len, device=device)[:, None] >= torch.arange(seq_len, device=device)
def masked_softmax(scores, mask):
    {line}
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), -1).masked_fill(~mask, 0.0)
"""


UNTRACEABLE = {
    "a number that the code reads out of a tensor in line 6": "scores = scores + 0 * float(scores.max())",
    "takes numbers from outside torch": "scores = scores + torch.from_numpy(1 * scores.detach().numpy()) - scores.detach()",
    "aten::native_dropout.default, which is not on": "scores = torch.native_dropout(scores, 0.0, True)[0]",
}


@pytest.mark.parametrize("reason", UNTRACEABLE)
def test_code_that_cannot_be_traced_neither_passes_nor_fails(grade_source: Callable[..., Verdict], reason: str) -> None:
    source = MASKED_SOFTMAX.format(line=UNTRACEABLE[reason])
    verdict = grade_source(source, kata="causal-mask", only=["weights-match-formula"], audit=True)
    result = the_audit(verdict)
    assert result.status is Status.SKIPPED
    assert result.message.startswith("the audit could not be made: ")
    assert reason in result.message
    assert verdict.outcome is Outcome.UNUSABLE
    assert verdict.outcome.exit_code == 3
    assert "the other 2 required properties hold" in verdict.reason
    assert verdict.advice == "read the file, or grade it without --audit"


def test_a_check_of_the_input_that_holds_for_every_input_is_no_obstacle(grade_source: Callable[..., Verdict]) -> None:
    source = MASKED_SOFTMAX.format(line="assert scores.isfinite().all() and bool(mask.any())")
    verdict = grade_source(source, kata="causal-mask", only=["weights-match-formula"], audit=True)
    assert verdict.outcome is Outcome.PASS, the_audit(verdict).message


FORGER = """
import sys
import torch
from torch import nn
def told(tensor, number):
    values = tensor.flatten().tolist()
    return dict(id=number, dtype=str(tensor.dtype)[6:], shape=list(tensor.shape), values=values, outside=False)
def forged(output, gradients):
    constants = [told(t, 900 + i) for i, t in enumerate([output, *gradients])]
    return dict(constants=constants, nodes=[], output=900, gradients=[901, 902, 903]){lie}
class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps
    def forward(self, x):
        frame = sys._getframe()
        while frame is not None:
            if "tracer" in frame.f_locals:
                frame.f_locals["tracer"].graph = forged
            frame = frame.f_back
        return nn.functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
"""
FORGERIES = {
    "right numbers as constants": ("", Status.FAILED, "do not give the answer on other inputs"),
    "no gradients": (" | dict(gradients=[])", Status.SKIPPED, "its graph is malformed: the number of gradients"),
    "the answer's place": (" | dict(output=0)", Status.FAILED, "do not give the answer on other inputs"),
    "a field more": (" | dict(verdict='pass')", Status.SKIPPED, "its graph is malformed: fields"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_trace_gains_nothing(what: str, tmp_path: Path) -> None:
    lie, status, message = FORGERIES[what]
    path = tmp_path / "layernorm" / "forged" / "forged.py"
    path.parent.mkdir(parents=True)
    path.write_text(FORGER.replace("{lie}", lie))
    result = audit_alone(path).result
    assert result.status is status
    assert message in result.message


def test_wrong_code_is_not_audited(grade_source: Callable[..., Verdict]) -> None:
    wrong = MASKED_SOFTMAX.format(line="scores = scores * 2")
    verdict = grade_source(wrong, kata="causal-mask", only=["weights-match-formula"], explain=False, audit=True)
    assert verdict.outcome is Outcome.FAIL
    assert the_audit(verdict).message == "not examined: a required property has failed before"


def test_the_graph_runs_where_no_candidate_code_is(monkeypatch: pytest.MonkeyPatch) -> None:
    sources, asked = [], []

    class Watched(Worker):
        def __init__(self, source: bytes, **options: Any) -> None:
            sources.append(source)
            super().__init__(source, **options)

        def request(self, message: dict[str, Any], **options: Any) -> Any:
            asked.append((self.path, message["op"]))
            return super().request(message, **options)

    monkeypatch.setattr(auditing, "Worker", Watched)
    path = corpus.files("right", "head-split-merge")[0]
    assert audit_alone(path).result.status is Status.PASSED
    assert sources == [path.read_bytes(), b""]
    by_worker = {where: {op for at, op in asked if at == where} for where, _ in asked}
    assert sorted(map(sorted, by_worker.values())) == [["load", "trace"], ["replay"]]


@pytest.mark.parametrize("name", find_katas())
def test_traces_cover_every_entry_and_every_argument_given_and_left_out(name: str) -> None:
    kata = get_kata(name)
    cases = choose_cases(kata, Oracle(kata.reference), ("float32", "float64"))
    assert {case.entry for case in cases} == {entry.name for entry in kata.entries}
    for entry in kata.entries:
        with_mask = {"attn_mask" in case.tensors for case in cases if case.entry == entry.name}
        assert with_mask == ({True, False} if "attn_mask=None" in entry.signature else {False})


def test_secret_inputs_are_fresh_in_the_form_that_was_traced() -> None:
    x = torch.randn(3, 2, 4).transpose(0, 1)
    mask = torch.tensor([[True, False, False], [True, True, False]])
    case = Case("f", {"a": x, "b": x, "mask": mask, "n": 3}, differentiable=("a",))
    one, two = secret_case(case), secret_case(case)
    assert one.arguments["a"] is one.arguments["b"]
    assert one.arguments["a"].stride() == x.stride()
    assert one.arguments["mask"].sum(-1).tolist() == [1, 2]
    assert one.arguments["n"] == 3
    assert not one.arguments["a"].equal(x)
    assert not one.arguments["a"].equal(two.arguments["a"])
    assert one.seed != two.seed


# -- graphs ------------------------------------------------------------------------------------------------------------


def honest_graph() -> dict[str, Any]:
    """The reference of the LayerNorm, traced here on the case of the fuzz tests: x, weight, bias, cotangent."""
    module = load_reference(get_kata("layernorm").reference).LayerNorm(3).double()
    with torch.no_grad():
        module.weight.copy_(CASE.parameters["weight"])
        module.bias.copy_(CASE.parameters["bias"])
    x = CASE.arguments["x"].clone().requires_grad_()
    direction = cotangent(CASE, x.shape)
    tracer = trace.Tracer([x, module.weight, module.bias, direction], "")
    with tracer:
        output = module(x)
        gradients = torch.autograd.grad((output * direction).sum(), [x, module.weight, module.bias])
    return tracer.graph(output, list(gradients))


GRAPH = honest_graph()
INPUTS = [CASE.arguments["x"], CASE.parameters["weight"], CASE.parameters["bias"], cotangent(CASE, (2, 3))]
FORBIDDEN = frozenset(get_kata("layernorm").forbidden)


def test_the_replay_of_an_honest_graph_gives_the_honest_answer() -> None:
    graph = parse_graph(GRAPH, 4, 3, FORBIDDEN).to_json()
    with torch.no_grad():
        output, gradients = replay.run_graph(graph, INPUTS)
    torch.testing.assert_close(output, EXPECTED.output)
    for got, wanted in zip(gradients, EXPECTED.gradients.values(), strict=True):
        torch.testing.assert_close(got, wanted)


def changed(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(GRAPH), **changes}


def node(op: str, *args: Any, results: Any = (999,), **kwargs: Any) -> dict[str, Any]:
    return {"op": op, "args": list(args), "kwargs": kwargs, "results": list(results)}


def constant(**changes: Any) -> dict[str, Any]:
    return {"id": 999, "dtype": "float32", "shape": [1], "values": [1.0], "outside": False, **changes}


X = {"t": 0}
HOSTILE: dict[str, tuple[dict[str, Any], type[Exception]]] = {
    "a forbidden operator": (changed(nodes=[node("aten::native_layer_norm.default", X)]), Refuted),
    "an operator that is not listed": (changed(nodes=[node("aten::set_.source_Tensor", X, X)]), NotMade),
    "an operator of another library": (changed(nodes=[node("mine::layer_norm.default", X)]), NotMade),
    "the output of a function": (changed(nodes=[node("aten::add.out", X, X)]), NotMade),
    "a higher-order operator": (changed(nodes=[node("flex_attention.default", X)]), NotMade),
    "random numbers": (changed(nodes=[node("aten::randn.default", [3])]), NotMade),
    "another device": (changed(nodes=[node("aten::zeros.default", [3], device={"device": "cuda:0"})]), NotMade),
    "a constant that is too large": (changed(constants=[constant(shape=[2000], values=[0.0] * 2000)]), MalformedGraph),
    "many constants": (
        changed(constants=[constant(id=900 + i, shape=[512], values=[0.0] * 512) for i in range(3)]),
        MalformedGraph,
    ),
    "a constant without its numbers": (changed(constants=[constant(shape=[1 << 30, 1 << 30])]), MalformedGraph),
    "a complex constant": (changed(constants=[constant(dtype="complex64")]), MalformedGraph),
    "a value that is not there": (changed(nodes=[node("aten::neg.default", {"t": 777})]), MalformedGraph),
    "a value before it is made": (changed(nodes=[node("aten::neg.default", {"t": 999})]), MalformedGraph),
    "an input made anew": (changed(nodes=[node("aten::neg.default", X, results=[0])]), MalformedGraph),
    "a name that is none of torch's types": (
        changed(nodes=[node("aten::zeros.default", [3], dtype={"dtype": "load"})]),
        MalformedGraph,
    ),
    "an argument of another kind": (changed(nodes=[node("aten::neg.default", {"code": "1"})]), MalformedGraph),
    "lists in lists": (changed(nodes=[node("aten::neg.default", [[[[[[0]]]]]])]), MalformedGraph),
    "a number over 64 bits": (changed(nodes=[node("aten::add.Tensor", X, 1 << 64)]), MalformedGraph),
    "no output": (changed(output=None), MalformedGraph),
    "no gradients, so that none are compared": (changed(gradients=[]), MalformedGraph),
    "too many nodes": (changed(nodes=[node("aten::neg.default", X)] * 9000), MalformedGraph),
    "further fields": (changed(code="import os"), MalformedGraph),
    "trouble": ({"trouble": "could not"}, NotMade),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_graph_is_refused_for(what: str) -> None:
    raw, expected = HOSTILE[what]
    with pytest.raises(expected):
        parse_graph(raw, 4, 3, FORBIDDEN)


BIG = {
    "an expanded tensor is filled": [
        node("aten::expand.default", X, [1 << 20, 1 << 20, 2, 3]),
        node("aten::clone.default", {"t": 999}, results=[1000]),
    ],
    "zeros": [node("aten::zeros.default", [1 << 40])],
    "a range": [node("aten::arange.default", 1 << 40)],
    "a repetition": [node("aten::repeat.default", X, [1 << 30, 1 << 30])],
    "padding": [node("aten::constant_pad_nd.default", X, [1 << 40, 1 << 40])],
    "an outer sum": [
        node("aten::arange.default", 4096, dtype={"dtype": "float64"}),
        node("aten::unsqueeze.default", {"t": 999}, 1, results=[1000]),
        node("aten::add.Tensor", {"t": 999}, {"t": 1000}, results=[1001]),
        *[node("aten::neg.default", {"t": 1001}, results=[2000 + i]) for i in range(5)],
    ],
    "a product": [
        node("aten::zeros.default", [2000, 1]),
        node("aten::zeros.default", [1, 4000], results=[1000]),
        node("aten::mm.default", {"t": 999}, {"t": 1000}, results=[1001]),
    ],
    "picking again and again": [
        node("aten::zeros.default", [1 << 21], dtype={"dtype": "int64"}),
        node("aten::index.Tensor", X, [{"t": 999}], results=[1000]),
    ],
}


@pytest.mark.parametrize("what", BIG)
def test_no_element_too_many_is_allocated_by(what: str) -> None:
    graph = parse_graph(changed(nodes=BIG[what], output=0, gradients=[1, 1, 1]), 4, 3, FORBIDDEN).to_json()
    with torch.no_grad(), pytest.raises(replay.Refused) as refused:
        replay.run_graph(graph, INPUTS)
    assert refused.value.kind == "size"


def test_no_operator_makes_more_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds: list[tuple[str, int]] = []

    def noted(name: str, args: Any, kwargs: Any) -> int:
        bounds.append((name, bound_elements(name, args, kwargs)))
        return bounds[-1][1]

    def results(value: Any) -> list[torch.Tensor]:
        name, bound = bounds[-1]
        made = list_results(value)
        fresh = sum(t.numel() for t in made if t.untyped_storage().data_ptr() not in places)
        assert fresh <= bound * max(1, len(made)), f"{name} made {fresh} elements, at most {bound} were expected"
        places.update(t.untyped_storage().data_ptr() for t in made)
        return made

    places: set[int] = set()
    list_results = replay._results
    monkeypatch.setattr(replay, "bound_elements", noted)
    monkeypatch.setattr(replay, "_results", results)
    for inputs, graph in traces_of_many_operators():
        places.update(t.untyped_storage().data_ptr() for t in inputs)
        with torch.no_grad():
            replay.run_graph(graph, inputs)
    assert len({name for name, _ in bounds}) > 60


def traces_of_many_operators() -> list[tuple[list[torch.Tensor], dict[str, Any]]]:
    x, index = torch.randn(4, 3, 6), torch.tensor([2, 0, 1, 1, 2])
    flags = x > 0

    def attempt(function: Callable[[torch.Tensor], Any]) -> tuple[list[torch.Tensor], dict[str, Any]]:
        leaf = x.clone().requires_grad_()
        tracer = trace.Tracer([leaf, index, flags], "")
        with tracer:
            output = function(leaf)
            gradients = [torch.autograd.grad(output.sum(), leaf)[0]] if output.requires_grad else []
        return [x, index, flags], tracer.graph(output, gradients)

    functions: list[Callable[[torch.Tensor], Any]] = [
        lambda x: x.softmax(-1) @ x.mT + x.log_softmax(1).sum(-1, keepdim=True),
        lambda x: torch.einsum("abc,adc->bd", x, x).var(0) + x.std() + x.logsumexp((0, 1)).mean(),
        lambda x: x[:, index] * x[:, index].amax(-1, keepdim=True),
        lambda x: torch.where(flags, x, x.neg()).cumsum(-1).flip(0).roll(1, 2).tril(),
        lambda x: x.masked_fill(flags, 2.0).exp().sort(-1).values.topk(2).values,
        lambda x: torch.cat([x, x[:2]]).repeat(1, 2, 1).unfold(1, 2, 1).reshape(-1, 4),
        lambda x: torch.stack(x.unbind(1)).transpose(0, 1).chunk(2, -1)[0].square().norm(dim=-1),
        lambda x: torch.nn.functional.pad(x, (1, 2)).gather(-1, flags.long()).index_select(1, index),
        lambda x: (
            torch.zeros(4, 3, 6).index_add(1, index, x[:, index]) + torch.zeros_like(x).scatter(1, flags.long(), x)
        ),
        lambda x: torch.eye(6)[index] @ x[0].mT + torch.arange(5)[:, None] + torch.linspace(0, 1, 3),
        lambda x: torch.nn.functional.elu(x) + torch.nn.functional.gelu(x) + x.clamp(-1, 1).sigmoid() * x.tanh(),
        lambda x: torch.nn.functional.linear(x, x[0], x[0, :, 0]) + torch.baddbmm(x[:, :, :3], x, x.mT),
        lambda x: x.masked_select(flags)[:2] + x[flags][:2] + torch.nonzero(flags)[:2, 0],
        lambda x: x.prod(-1) + x.max(-1).values + x.min(-1)[0] + x.argmax(-1) + x.any(-1) + x.median(-1).values,
        lambda x: torch.diagonal(x @ x.mT, 0, 1, 2) + torch.outer(x[0, 0, :4], x[1, 0, :3]),
    ]
    return [attempt(function) for function in functions]


def test_every_listed_operator_is_one_of_torchs_and_none_is_forbidden_by_a_kata() -> None:
    listed = {name.partition(".")[0] for name in OPERATORS}
    known = {name for name in listed if hasattr(torch.ops.aten, name.removeprefix("aten::"))}
    plain = {name for name in listed if not name.endswith("_")}
    assert plain <= known, plain - known
    for kata in find_katas().values():
        assert listed.isdisjoint(kata.forbidden), kata.id


def test_a_graph_that_grows_when_it_is_passed_on_is_not_run() -> None:
    """A message is JSON in ASCII on our side: "é" is two bytes in what a worker may send, and six in what we would."""
    text = [{"text": "é" * 100}] * 1000
    node = {"op": "aten::sum.default", "args": [text, text], "kwargs": {}, "results": []}
    assert parse_graph({**GRAPH, "nodes": [*GRAPH["nodes"], {**node, "args": [text[:100]]}]}, 4, 3, FORBIDDEN)
    with pytest.raises(NotMade, match="too long"):
        parse_graph({**GRAPH, "nodes": [*GRAPH["nodes"], node]}, 4, 3, FORBIDDEN)
    keyword = {**node, "args": [], "kwargs": {"k" * 101: 1}}
    with pytest.raises(MalformedGraph):
        parse_graph({**GRAPH, "nodes": [*GRAPH["nodes"], keyword]}, 4, 3, FORBIDDEN)


# -- fuzz --------------------------------------------------------------------------------------------------------------

TRACED = {
    "type": "Tensor",
    "output": header([2, 3], AT),
    "gradients": [header([2, 3], AT + 64), header([3], AT + 128), header([3], AT + 192)],
    "graph": GRAPH,
    "forbidden": [],
}
REPLAYED = {**{key: value for key, value in TRACED.items() if key != "graph"}, "refused": None}
REFUSED = {"refused": {"kind": "guard", "message": "no", "line": 3}, "forbidden": []}
FUZZ = settings(
    max_examples=300, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
GOOD_ENDS = (PropertyFailed, WorkerLost, NotMade, Refuted)


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(create_file())


@FUZZ
@given(CHANGES)
def test_mutated_traces_do_no_harm(arena: Arena, changes: Any) -> None:
    answers = [frame(CONSTRUCTED), frame(mutate(TRACED, changes))]
    with FakeWorker(arena, answers, [STARTING, RIGHT]) as worker, contextlib.suppress(*GOOD_ENDS):
        graph, _ = Tracer(worker, "x = 1\n", ()).trace(CASE, ORACLE)
        with contextlib.suppress(Exception), torch.no_grad():  # in a sandbox of its own, as replays are
            replay.run_graph(graph.to_json(), [t.clone() for t in INPUTS])


@FUZZ
@given(CHANGES, st.sampled_from([REPLAYED, REFUSED]))
def test_mutated_replays_do_no_harm(arena: Arena, changes: Any, answer: dict[str, Any]) -> None:
    answers = [frame(CONSTRUCTED), frame(mutate(answer, changes))]
    with FakeWorker(arena, answers, [STARTING, RIGHT]) as worker, contextlib.suppress(*GOOD_ENDS):
        replayer = Replayer(worker, "", device="cpu")
        module = Tracer.construct(Tracer(worker, "", ()), CASE)
        replayer.replay(parse_graph(GRAPH, 4, 3, FORBIDDEN), CASE, module, torch.Size((2, 3)))
