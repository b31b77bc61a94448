"""Whatever a worker answers, the parent comes to an answer, to PropertyFailed or to WorkerLost: it never crashes, never hangs.

The worker is a socket in this process that answers each request with bytes made up here, so a case takes about a millisecond.
"""

from __future__ import annotations

import contextlib
import copy
import json
import runpy
import socket
import struct
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.answer import Counts
from grader.candidate import Candidate, Module
from grader.case import Case, Placement
from grader.catalog import get_kata
from grader.compare import agree
from grader.errors import WorkerLost
from grader.failure import PropertyFailed
from grader.loading import Loading, Unusable
from grader.oracle import Oracle
from grader.verdict import Isolation
from grader.worker import protocol
from grader.worker.arena import Arena, create_file
from grader.worker.meter import TOTALS
from grader.worker_process import Worker

KATA = get_kata("layernorm")
X = torch.tensor([[1.0, -2.0, 4.0], [0.5, 3.0, -1.0]], dtype=torch.float64)
CASE: Case = runpy.run_path(str(KATA.properties))["make_case"](X, 3)
ORACLE = Oracle(KATA.reference)


class Silence:
    """The captured output of a worker that prints nothing."""

    kept, truncated, open, fd = b"", False, False, -1


class FakeWorker(Worker):
    """The parent's side as it is; on the other side a list of answers, after which the stream ends.

    `contents` says what each answer's tensors hold: by offset, written just before the answer is sent.
    """

    def __init__(self, arena: Arena, answers: list[bytes], contents: Sequence[dict[int, torch.Tensor]] = ()) -> None:
        self.device, self.folder, self.path = "cpu", tempfile.gettempdir(), "submission.py"
        self.arena = arena
        self.grade_deadline = float("inf")
        self.output = Silence()  # type: ignore[assignment]
        self._stream, self._theirs = socket.socketpair()
        self._answers = list(answers)
        self._contents = list(contents)
        self._pid = 1  # never signalled: close() is replaced below

    def forget_alarms(self) -> None:
        """Nothing can have rung: no dispatcher is there."""

    def alarms(self) -> list[str]:
        return []

    def _check_silence(self) -> None:
        super()._check_silence()
        with contextlib.suppress(BlockingIOError):
            self._theirs.recv(1 << 20, socket.MSG_DONTWAIT)  # the request before
        for offset, tensor in self._contents.pop(0).items() if self._contents else ():
            self.arena.write(tensor, offset)
        if self._answers:
            self._theirs.sendall(self._answers.pop(0))
        if not self._answers:
            self._theirs.shutdown(socket.SHUT_WR)

    def close(self) -> int:
        self._pid = 0
        self._stream.close()
        self._theirs.close()
        return 0


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(create_file())


@pytest.fixture(autouse=True)
def _short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.worker_process.CALL_SECONDS", 2)


def frame(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return struct.pack("!I", len(body)) + body


def header(shape: list[int], offset: int) -> dict[str, Any]:
    return {"dtype": "float64", "shape": shape, "offset": offset, "device": "cpu"}


# Offsets of an honest answer to CASE: x, scale, shift and (for gradients) the cotangent lie below.
AT = 256
CONSTRUCTED = {
    "module": True,
    "parameters": [
        {"name": "weight", "requires_grad": True, "tensor": header([3], 0)},
        {"name": "bias", "requires_grad": True, "tensor": header([3], 64)},
    ],
    "forbidden": [],
}
CALLED = {
    "type": "Tensor",
    "output": header([2, 3], AT),
    "gradients": [header([2, 3], AT + 64), header([3], AT + 128), header([3], AT + 192)],
    "cotangent": [[2, 3], [3, 1]],
    "inputs": [[[2, 3], [3, 1]]],
    "requires_grad": True,
    "shares_storage": False,
    "counts": {**dict.fromkeys(["operators", "work", "own", "flops", "largest", "peak"], 10), "shapes": [[[2, 3], 48]]},
    "forbidden": [{"operator": "aten::layer_norm", "line": 1}],
}
# To two calls on the same objects, without gradients; the second input lies where the cotangent would.
TWICE = {
    **{key: value for key, value in CALLED.items() if key not in ("gradients", "cotangent")},
    "then": {"type": "Tensor", "output": header([2, 3], AT + 64)},
    "parameters": [header([3], AT + 128), header([3], AT + 192)],
}
# What lies at those offsets: a fresh module's parameters, then the reference's own answer.
STARTING = {0: torch.ones(3, dtype=torch.float64), 64: torch.zeros(3, dtype=torch.float64)}
EXPECTED = ORACLE(CASE, gradients=True)
RIGHT = {AT: EXPECTED.output, **{AT + 64 * i: EXPECTED.gradients[n] for i, n in enumerate(("x", "weight", "bias"), 1)}}

FAILED = {
    "error": {
        "type": "RuntimeError",
        "message": "no",
        "frames": [{"line": 1, "function": "forward"}],
        "value_error": False,
    },
    "forbidden": [],
}
PARSED = {"mentions": [{"operator": "F.layer_norm", "line": 1}], "forbidden": []}
SYNTAX = {"syntax": {"type": "SyntaxError", "line": 1, "column": 1, "message": "no"}, "forbidden": []}
LOADED = {"entries": [{"name": "LayerNorm", "state": "callable", "type": "type"}, {"names": ["LayerNorm"]}]}

ATOMS = st.sampled_from(
    [
        None, True, False, 0, -1, 1, 2, 3, 64, AT, 1 << 29, 1 << 39, 1 << 40, 1 << 63, -(1 << 70), 10**400, 0.5, -0.0,
        float("nan"), float("inf"), "", "cpu", "meta", "cuda", "float32", "float64", "complex128", "bool", "bfloat16",
        "Tensor", "weight", "missing", "class", "line", "\ud800", "\x1b[2J", "x" * 300, [], {}, [[]], [0], [3], [2, 3],
        [1] * 9, [0, 1 << 39, 1 << 39], [3, 1 << 38], [1 << 20, 1 << 19], {"line": True}, [None], {"names": None},
        header([2, 3], AT), header([], AT), header([0], AT), header([1 << 25], 0),
    ]
)  # fmt: skip
NAMES = st.sampled_from(
    ["error", "output", "gradients", "entries", "parameters", "tensor", "shape", "frames", "forbidden"]
)
VALUES = st.one_of(ATOMS, ATOMS, st.lists(ATOMS, max_size=3), st.dictionaries(NAMES, ATOMS, max_size=3))
CHANGES = st.lists(
    st.tuples(st.integers(0, 1 << 16), st.sampled_from(["replace", "delete", "double", "add"]), VALUES),
    min_size=1,
    max_size=3,
)
FUZZ = settings(
    max_examples=1200,
    database=None,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) within a JSON value."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        found.append((value, key))
        found += places(item)
    return found


def mutate(message: dict[str, Any], changes: list[tuple[int, str, Any]]) -> dict[str, Any]:
    message = copy.deepcopy(message)
    for number, how, raw in changes:
        value = copy.deepcopy(raw)  # the same value may be put in twice
        spots = places(message)
        if not spots:
            return message
        container, key = spots[number % len(spots)]
        if how == "replace":
            container[key] = value
        elif how == "delete":
            del container[key]
        elif isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]) if how == "double" else value)
        else:
            container["shape" if how == "double" else "extra"] = value
    return message


def ends_well(action: Callable[[], object]) -> None:
    """Run it; an answer, PropertyFailed, WorkerLost and Unusable are good ends, any other exception is a bug of ours."""
    with contextlib.suppress(PropertyFailed, WorkerLost, Unusable):
        action()


def ask(arena: Arena, answers: list[bytes]) -> None:
    """Construct a module, then compare one call with gradients."""
    with FakeWorker(arena, answers, [STARTING, RIGHT]) as worker:
        candidate = Candidate(worker, "x = 1\n", device="cpu")
        ends_well(lambda: agree(candidate, ORACLE, CASE, gradients=True))


def bear_arithmetic(counts: Counts) -> None:
    """What is done with counts elsewhere: they are divided and compared as floats."""
    totals = [getattr(counts, name) for name in TOTALS]
    shapes = [n for sizes, nbytes in counts.shapes for n in (*sizes, nbytes)]
    assert all(number >= 0 and number / 3 >= 0 and float(number) ** 0.5 >= 0 for number in (*totals, *shapes))


def ask_plainly(arena: Arena, answers: list[bytes], module: Module, *, gradients: bool = True) -> None:
    """One call without a comparison, so that what arrives is all that is checked; then a look at the result again."""
    with FakeWorker(arena, answers) as worker:
        candidate = Candidate(worker, "x = 1\n", device="cpu")

        def act() -> None:
            asked = torch.ones_like(X) if gradients else None
            answer = candidate(CASE, cotangent=asked, module=module, keep=True, count=True)
            if answer.counts is not None:
                bear_arithmetic(answer.counts)
            candidate.reread(answer, CASE)

        ends_well(act)


def load(arena: Arena, answers: list[bytes]) -> None:
    """Parse and load a file."""
    with FakeWorker(arena, answers) as worker:
        worker.isolation = Isolation("process-only")
        ends_well(Loading(KATA, worker, ["x = 1"], 0, "cpu").load)


WHOLE = Module(1, {"weight": Placement("weight"), "bias": Placement("bias")}, frozenset())
FUSED = Module(1, {"weight": Placement("both", 0, 3), "bias": Placement("both", 3, 6)}, frozenset())


@FUZZ
@given(st.binary(max_size=80))
def test_random_bytes(arena, raw):
    ask(arena, [raw])


@FUZZ
@given(st.binary(max_size=80), st.sampled_from([None, 0, 1, 1 << 20, (1 << 20) + 1, 0xFFFFFFFF]))
def test_random_bytes_in_a_frame(arena, body, length):
    ask(arena, [struct.pack("!I", len(body) if length is None else length) + body])


@FUZZ
@given(st.dictionaries(st.one_of(NAMES, st.text(max_size=5)), VALUES, max_size=5))
def test_random_objects(arena, message):
    ask(arena, [frame(message), frame(message)])
    ask_plainly(arena, [frame(message), frame(message)], WHOLE)


@FUZZ
@given(CHANGES)
def test_mutated_constructions(arena, changes):
    ask(arena, [frame(mutate(CONSTRUCTED, changes)), frame(CALLED)])


@FUZZ
@given(CHANGES)
def test_mutated_answers(arena, changes):
    message = frame(mutate(CALLED, changes))
    ask(arena, [frame(CONSTRUCTED), message])
    for gradients in (True, False):
        ask_plainly(arena, [message, frame({"output": CALLED["output"]})], WHOLE, gradients=gradients)


@pytest.mark.parametrize("huge", [1 << 62, 10**400, -1, True, 1.0, None])
def test_a_count_that_cannot_have_been_counted_is_none(huge):
    counts = CALLED["counts"]
    assert Counts.parse(counts) is not None
    assert all(Counts.parse({**counts, name: huge}) is None for name in TOTALS)
    assert Counts.parse({**counts, "shapes": [[[2, 3], huge]]}) is None
    assert Counts.parse({**counts, "shapes": [[[2, huge], 48]]}) is None
    assert Counts.parse({**counts, "shapes": [[[2] * 65, 48]]}) is None


@pytest.mark.parametrize(
    ("operation", "fields"),
    [
        ("fetch", {"peak": 10**400}),
        ("fetch", {"peak": -1}),
        ("fetch", {"peak": True}),
        ("repeat", {"device_seconds": float("nan")}),
        ("repeat", {"device_seconds": float("inf")}),
    ],
)
def test_a_number_that_no_arithmetic_bears_is_no_answer(arena, operation, fields):
    with FakeWorker(arena, [frame(fields)]) as worker, pytest.raises(WorkerLost, match="wrong type") as lost:
        worker.request({"op": operation})
    assert lost.value.kind == "protocol"


def test_a_question_that_an_answer_has_made_too_long_ends_the_worker(arena):
    with FakeWorker(arena, [frame({})]) as worker, pytest.raises(WorkerLost, match="cannot be passed on") as lost:
        worker.request({"op": "call", "set": ["é" * protocol.MAX_FRAME]})
    assert lost.value.kind == "protocol"


def test_gradients_that_nobody_asked_for_are_no_answer(arena):
    for unasked in ([], [None], CALLED["gradients"]):
        with FakeWorker(arena, [frame({**CALLED, "gradients": unasked})]) as worker, pytest.raises(WorkerLost) as lost:
            Candidate(worker, "x = 1\n", device="cpu")(CASE, module=WHOLE)
        assert lost.value.kind == "protocol"


@FUZZ
@given(CHANGES)
def test_mutated_answers_of_a_fused_module(arena, changes):
    fused = {**CALLED, "gradients": [header([2, 3], AT + 64), header([6], AT + 128)]}
    ask_plainly(arena, [frame(mutate(fused, changes)), frame({"output": CALLED["output"]})], FUSED)


@FUZZ
@given(CHANGES)
def test_mutated_answers_to_two_calls(arena, changes):
    with FakeWorker(arena, [frame(mutate(TWICE, changes))]) as worker:
        candidate = Candidate(worker, "x = 1\n", device="cpu")
        ends_well(lambda: candidate(CASE, module=WHOLE, then=CASE, count=True))


def test_an_honest_answer_to_two_calls_is_read():
    arena = Arena(create_file())
    parameters = {AT + 128: CASE.parameters["weight"], AT + 192: CASE.parameters["bias"]}
    contents = {AT: EXPECTED.output, AT + 64: EXPECTED.output, **parameters}
    with FakeWorker(arena, [frame(TWICE)], [contents]) as worker:
        answer = Candidate(worker, "x = 1\n", device="cpu")(CASE, module=WHOLE, then=CASE)
    assert answer.then is not None
    assert answer.then.output.equal(EXPECTED.output)
    assert (answer.mutated, answer.changed) == ((), ())


@FUZZ
@given(CHANGES)
def test_mutated_errors(arena, changes):
    ask(arena, [frame(CONSTRUCTED), frame(mutate(FAILED, changes))])


@FUZZ
@given(CHANGES, st.sampled_from([PARSED, SYNTAX, LOADED, FAILED]), st.booleans())
def test_mutated_loading(arena, changes, base, first):
    mutated = frame(mutate(base, changes))
    load(arena, [mutated, frame(LOADED)] if first else [frame(PARSED), mutated])


@FUZZ
@given(CHANGES)
def test_mutated_rereading(arena, changes):
    ask_plainly(arena, [frame(CALLED), frame(mutate({"output": CALLED["output"], "forbidden": []}, changes))], WHOLE)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"error":' * 100_000,
        b'{"error":{"message":' + b"[" * 900 + b"]" * 900 + b"}}",
        b'{"type":' + b"9" * 5000 + b"}",
        b'{"type":1e999999}',
        b'{"output":null,"output":{}}',
        b"\xff\xfe{\x00}\x00",
        b'{"type":"\\ud800","output":null}',
        b"null",
        b'"' + b"x" * ((1 << 20) - 2) + b'"',
    ],
    ids=[
        "brackets",
        "braces",
        "nested-text",
        "digits",
        "overflow",
        "twice",
        "utf16",
        "surrogate",
        "null",
        "full-frame",
    ],
)
def test_hostile_bodies(arena, body):
    # A frame that does not fit into the socket's buffer needs a reader; the others go the usual way.
    if len(body) > 100_000:
        with pytest.raises(protocol.ProtocolError):
            protocol.decode(body)
    else:
        ask(arena, [struct.pack("!I", len(body)) + body])
        ask_plainly(arena, [struct.pack("!I", len(body)) + body], WHOLE)


def test_an_honest_answer_passes(arena):
    """The answers that are mutated above are right ones, so that every mutation reaches as far as it can."""
    with FakeWorker(arena, [frame(CONSTRUCTED), frame(CALLED)], [STARTING, RIGHT]) as worker:
        candidate = Candidate(worker, "x = 1\n", device="cpu")
        answer = agree(candidate, ORACLE, CASE, gradients=True)
    assert answer.output.equal(EXPECTED.output)
    assert [call.operator for call in candidate.forbidden.values()] == ["aten::layer_norm"]
    assert {row.name for row in candidate.gradient_rows.values() if row.matches} == {"x", "weight", "bias"}
