"""Growth is told by counts, exactly and every time the same; by the clock only where counts are blind. No real clock here."""

from __future__ import annotations

import contextlib
import gc
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.answer import Counts
from grader.candidate import Candidate
from grader.catalog import get_kata
from grader.errors import WorkerLost
from grader.failure import PropertyFailed
from grader.oracle import Oracle
from grader.timing import complexity, cpu_growth
from grader.timing.complexity import BOTH, FORWARD, measure_growth, sized, steep_counts
from grader.timing.memory import describe_largest, distinct_sizes, format_bytes
from grader.timing.workload import load_workload
from grader.verdict import Growth, Status
from grader.worker.recorder import Recorder
from grader.worker_process import Worker

GROWTH = Path(__file__).parent / "growth"
KATA = get_kata("linear-attention")
ORACLE = Oracle(KATA.reference)
N = 64
QUERY, KEY = torch.randn(N, 4), torch.randn(N, 4)


def files(kind: str, *, seen_by: str = "") -> list[Path]:
    """The implementations of a kind; with `seen_by` those that only the clock gives away, or all but them."""
    found = sorted((GROWTH / kind).glob("*.py"))
    return [p for p in found if not seen_by or ("# seen-by: clock" in p.read_text()) == (seen_by == "clock")]


@contextlib.contextmanager
def loaded(path: Path, kata_id: str = "linear-attention") -> Iterator[Candidate]:
    """The file in a worker of its own."""
    source = path.read_bytes()
    entries = [{"name": e.name, "kind": e.kind} for e in get_kata(kata_id).entries]
    with Worker(source) as worker:
        reply = worker.request({"op": "load", "path": worker.path, "forbidden": [], "entries": entries})
        assert reply.error is None
        yield Candidate(worker, source.decode(), device="cpu")


def grow(path: Path) -> tuple[Growth, ...]:
    with loaded(path) as candidate:
        make = sized(load_workload(KATA), torch.float32)
        sizes = complexity.choose_sizes(candidate, make)
        return measure_growth(candidate, make, sizes, limit=complexity.LINEAR)


@pytest.mark.parametrize("path", files("linear"), ids=lambda p: p.stem)
def test_linear_code_is_linear_in_every_count(path: Path) -> None:
    growth = grow(path)
    assert {g.mode for g in growth} == {FORWARD, BOTH}
    assert not steep_counts(growth)


def test_a_step_where_a_second_block_begins_is_no_growth() -> None:
    """Autograd then keeps one more gradient of full size: like N^1.3 from 528 to 1056 positions, and no more after."""
    with loaded(GROWTH / "linear/blocks.py") as candidate:
        make = complexity.timed_form(load_workload(KATA), torch.float32)
        growth = measure_growth(candidate, make, (528, 1056), [BOTH], limit=complexity.LINEAR)
        assert [g.what for g in steep_counts(growth)] == [complexity.PEAK]
        complexity.require_growth(candidate, make, (528, 1056), [BOTH])


@pytest.mark.parametrize("path", files("quadratic", seen_by="counts"), ids=lambda p: p.stem)
def test_quadratic_code_is_seen_by_a_count(path: Path) -> None:
    steep = next(iter(steep_counts(grow(path))), None)
    assert steep is not None
    assert steep.exponent > 1.7


@pytest.mark.parametrize("path", files("quadratic", seen_by="clock"), ids=lambda p: p.stem)
def test_what_the_clock_is_there_for_is_linear_in_every_count(path: Path) -> None:
    assert not steep_counts(grow(path)), "it is no test of the clock: move it to those that counts see"


@pytest.mark.parametrize(
    "name", ["linear/running_sums", "linear/own_backward", "quadratic/matmul", "quadratic/cat_in_a_loop"]
)
def test_counts_repeat_exactly(name: str) -> None:
    assert grow(GROWTH / f"{name}.py") == grow(GROWTH / f"{name}.py")


def test_a_loop_is_not_blamed_for_what_autograd_makes_of_its_indexing() -> None:
    growth = {(g.what, g.mode): g for g in grow(GROWTH / "linear/running_sums.py")}
    whole, own = growth[complexity.WORK, BOTH], growth[complexity.OWN_WORK, BOTH]
    assert whole.exponent > 1.7
    assert whole.limit is None
    assert own.exponent <= 1.01


def count(call: Callable[[], Any]) -> Counts:
    recorder = Recorder([])
    recorder.count([QUERY, KEY])
    with recorder.watch():
        call()
    counts = Counts.parse(recorder.counts())
    assert counts is not None
    return counts


MATRICES: dict[str, Callable[[], Any]] = {
    "a product": lambda: QUERY @ KEY.mT,
    "a product into a given tensor": lambda: torch.matmul(QUERY, KEY.mT, out=torch.empty(N, N)),
    "a factory": lambda: torch.empty(N, N),
    "a Python list": lambda: torch.tensor([[1.0] * N] * N),
    "numpy": lambda: torch.from_numpy(np.ones((N, N))),
    "numpy by DLPack": lambda: torch.from_dlpack(np.ones((N, N))).sum(),
    "a raw storage": lambda: torch.empty(0).set_(torch.UntypedStorage(4 * N * N)),
    "an enlarged tensor": lambda: torch.empty(0).resize_(N, N),
    "a mask": lambda: torch.ones(N, N, dtype=torch.bool),
    "vmap": lambda: torch.vmap(lambda q: KEY @ q)(QUERY),
    "nested vmap": lambda: torch.vmap(lambda q: torch.vmap(lambda k: q @ k)(KEY))(QUERY),
    "complex numbers": lambda: QUERY.to(torch.complex64) @ KEY.mT.to(torch.complex64),
    "torch.func": lambda: torch.func.vjp(lambda q: q @ KEY.mT, QUERY),
    "distances": lambda: torch.cdist(QUERY, KEY),
    "a dense matrix made sparse": lambda: torch.eye(N).to_sparse(),
}


@pytest.mark.parametrize("how", MATRICES)
def test_a_matrix_is_seen_however_it_is_made(how: str) -> None:
    counts = count(MATRICES[how])
    assert counts.largest == N * N
    assert counts.work >= N * N
    assert counts.peak >= N * N


def test_reading_an_expanded_tensor_is_work_without_memory() -> None:
    counts = count(lambda: QUERY[:, 0].expand(N, N).sum())
    assert counts.work >= N * N
    assert counts.largest == 1


def _fill(target: Tensor) -> None:
    for i in range(N):
        target[torch.tensor([i])] = 1.0


NARROW: dict[str, Callable[[], Any]] = {
    "looking at the form": lambda: [QUERY.new_zeros(4) for _ in range(N)],
    "picking by index": lambda: [QUERY[torch.tensor([i])] for i in range(N)],
    "picking by embedding": lambda: [F.embedding(torch.tensor([i]), QUERY) for i in range(N)],
    "placing by index": lambda: _fill(torch.empty(N, 4)),
    "placing by index_copy_": lambda: [
        torch.empty(0),
        *(KEY.index_copy_(0, torch.tensor([i]), QUERY[:1]) for i in range(N)),
    ],
    "viewing": lambda: [QUERY[i].view(2, 2).mT.unsqueeze(0) for i in range(N)],
    "unbinding": lambda: [row * 2 for row in QUERY.unbind()],
    "a sparse diagonal": lambda: (
        torch.sparse_coo_tensor(torch.arange(N).expand(2, N), torch.ones(N), (N, N), check_invariants=True) @ KEY
    ),
}


@pytest.mark.parametrize("how", NARROW)
def test_touching_one_row_of_many_is_not_counted_as_touching_all(how: str) -> None:
    counts = count(NARROW[how])
    assert counts.work <= 30 * N
    assert counts.flops == 0
    assert counts.peak <= 4 * 8 * 4 * N


def test_a_tensor_that_nobody_holds_is_no_longer_alive() -> None:
    def one_after_the_other() -> None:
        for _ in range(10):
            torch.ones(N, N)

    assert count(one_after_the_other).peak == 4 * N * N


@pytest.mark.parametrize("exactly", [True, False])
def test_garbage_is_collected_only_for_counts_that_must_repeat(exactly: bool) -> None:
    """In the trusted process, whose heap is large, it would make a diagnosis twenty times as slow."""
    runs: list[str] = []
    watch = lambda phase, info: runs.append(phase) if info["generation"] == 2 else None  # noqa: E731
    recorder = Recorder([])
    recorder.count([QUERY], exactly=exactly)
    gc.callbacks.append(watch)
    try:
        with recorder.watch():
            enabled = gc.isenabled()
    finally:
        gc.callbacks.remove(watch)
    assert bool(runs) == exactly
    assert enabled != exactly
    assert gc.isenabled()


def test_inputs_are_not_the_calls_memory() -> None:
    assert count(lambda: QUERY.mul_(1)).peak == 0


def test_nested_tensors_and_unknown_layouts_are_no_obstacle() -> None:
    assert count(lambda: torch.nested.nested_tensor([QUERY, KEY], layout=torch.jagged) * 2).work > 0
    assert count(lambda: QUERY.to_mkldnn().to_dense()).work > 0


def test_fused_attention_on_the_cpu_is_quadratic_in_operations_only() -> None:
    def attention(length: int) -> Counts:
        x = torch.randn(1, 2, length, 8, requires_grad=True)
        return count(lambda: torch.autograd.grad(F.scaled_dot_product_attention(x, x, x).sum(), x))

    small, large = attention(64), attention(128)
    assert large.flops == 4 * small.flops > 0
    assert large.largest == 2 * small.largest


@pytest.mark.parametrize(
    "raw",
    [None, {}, [], {"work": 1}]
    + [
        {"operators": 1, "work": 1, "own": 1, "flops": 0, "largest": 1, "peak": 1, "shapes": []} | wrong
        for wrong in (
            {"work": "1"}, {"work": True}, {"work": -1}, {"own": 1.5}, {"shapes": None}, {"shapes": [1]},
            {"shapes": [[[2], "4"]]}, {"shapes": [[[-2], 4]]}, {"shapes": [[[1 << 70], 4]]}, {"shapes": [[["a"], 4]]},
        )
    ],
)  # fmt: skip
def test_counts_that_are_none_are_not_believed(raw: Any) -> None:
    assert Counts.parse(raw) is None


REALISTIC = {"H": 8, "L": 4096, "S": 4096, "E": 64}
SIZES = distinct_sizes(REALISTIC, ("L", "S"))
H, L, S, E = SIZES.values()


def describe(*shape: int, itemsize: int = 4, given: tuple[int, ...] = ()) -> str:
    size = torch.Size(shape).numel() * itemsize
    inputs = [(given, torch.Size(given).numel() * 4)] if given else []
    return describe_largest([(shape, size)], inputs, SIZES, REALISTIC)


def test_the_largest_tensor_is_told_by_the_names_of_its_sizes() -> None:
    assert describe(L, S) == "holds an L×S matrix: 64 MB at L = S = 4096"
    assert describe(H, L, S) == "holds an H×L×S tensor: 512 MB at H = 8, L = S = 4096"
    assert describe(1, L, S, itemsize=1) == "holds an L×S matrix: 16 MB at L = S = 4096"
    assert describe(H * S * E) == "holds an H×S×E tensor: 8 MB at H = 8, S = 4096, E = 64"
    assert describe(L, 3 * H * E) == "holds a 3×L×H×E tensor: 24 MB at L = 4096, H = 8, E = 64"
    assert describe(H, L + S, E) == "holds an H×(L + S)×E tensor: 16 MB at H = 8, L = S = 4096, E = 64"
    assert describe(S + 1, L) == "holds an (S + 1)×L matrix: 64 MB at S = L = 4096"
    assert describe(L, L) == "holds an L×L matrix: 64 MB at L = 4096"


def test_what_is_no_larger_than_an_input_is_said_to_be_no_larger() -> None:
    told = describe(H, L, E, given=(H, S, E))
    assert told == "holds nothing larger than its inputs: H×L×E, 8 MB at H = 8, L = 4096, E = 64"


def test_a_tensor_of_no_known_size_is_not_told() -> None:
    assert describe(1009) == ""
    assert describe(0, L) == ""


def test_bytes_are_told_in_units_of_1024() -> None:
    assert [format_bytes(n) for n in (0, 1000, 2048, 64 << 20, 3 << 29, 5 << 42)] == [
        "0 bytes", "1e+03 bytes", "2 KB", "64 MB", "1.5 GB", "20 TB",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "told"),
    [("quadratic/matmul", "holds an H×L×S tensor"), ("linear/matmul", "holds nothing larger than its inputs")],
)
def test_memory_in_words_comes_of_the_call_itself(name: str, told: str) -> None:
    with loaded(GROWTH / f"{name}.py") as candidate:
        assert complexity.examine_memory(candidate, load_workload(KATA), torch.float32)[0].startswith(told)


@pytest.mark.parametrize(
    "kata_id", ["layernorm", "causal-mask", "head-split-merge", "scaled-dot-product", "multi-head-attention"]
)
def test_katas_without_a_limit_show_their_growth(kata_id: str) -> None:
    kata = get_kata(kata_id)
    with loaded(kata.reference, kata_id) as candidate:
        growth, memory, results = complexity.examine_growth(
            kata, candidate.worker, load_workload(kata), device="cpu", dtype=torch.float32
        )
    assert results == ()
    assert memory.startswith("holds ")
    work = next(g for g in growth if (g.what, g.mode) == (complexity.WORK, FORWARD))
    assert work.limit is None
    assert work.exponent == pytest.approx(1 if kata_id in ("layernorm", "head-split-merge") else 2, abs=0.1)


class FakeClock:
    """A stopwatch that reads `law(size)` for each call, the call being one of the reference."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, law: Callable[[int, int], float]) -> None:
        self.calls: list[int] = []
        self.law = law
        monkeypatch.setattr(cpu_growth, "Stopwatch", lambda pid: self)
        monkeypatch.setattr(cpu_growth, "DRAWN", (1, 1))
        self.idle = 0.0
        self.candidate: Any = self.call
        self.call.__func__.worker = SimpleNamespace(pid=0)  # type: ignore[attr-defined]

    def call(self, case: Any, cotangent: Any) -> Any:
        self.calls.append(case.arguments["query"].shape[-2])
        answers = ORACLE(case, gradients=cotangent is not None)
        return SimpleNamespace(output=answers.output, gradients=answers.gradients)

    def start(self) -> float:
        return self.idle

    def close(self) -> None: ...

    def lap(self) -> Any:
        size = self.calls[-1]
        return SimpleNamespace(seconds=self.law(size, self.calls.count(size)))


def time_it(monkeypatch: pytest.MonkeyPatch, law: Callable[[int, int], float]) -> tuple[Growth, list[int]]:
    clock = FakeClock(monkeypatch, law)
    make = sized(load_workload(KATA), torch.float32)
    return cpu_growth.measure_time(clock.candidate, make, ORACLE, FORWARD), clock.calls


def test_time_that_grows_linearly_passes_and_is_soon_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    growth, calls = time_it(monkeypatch, lambda size, _: 1e-3 + 1e-6 * size)
    assert cpu_growth.judge_time([growth]).status is Status.PASSED
    assert calls.count(growth.sizes[0]) == 3
    assert growth.sizes == (8192, 16384, 32768)
    assert growth.exponent == pytest.approx(1, abs=0.05)


def test_time_that_grows_quadratically_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    growth, _ = time_it(monkeypatch, lambda size, _: 1.5e-3 + 5e-9 * size**2)
    result = cpu_growth.judge_time([growth])
    assert result.status is Status.FAILED
    assert result.required
    assert result.category == "timing"
    assert "CPU time grows like N^2.0 from N = 2048 to 8192" in result.message


def test_the_lengths_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found to pass: code that is linear at powers of two only."""
    drawn = cpu_growth.DRAWN
    clock = FakeClock(monkeypatch, lambda size, _: 1e-5 * size)
    monkeypatch.setattr(cpu_growth, "DRAWN", drawn)
    make = sized(load_workload(KATA), torch.float32)
    smallest = {cpu_growth.measure_time(clock.candidate, make, ORACLE, FORWARD).sizes[0] for _ in range(8)}
    assert len(smallest) > 1


def test_what_is_computed_between_the_calls_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock(monkeypatch, lambda size, _: 1e-3)
    make = sized(load_workload(KATA), torch.float32)
    for idle, wanted in ((0.0, 1e-3), (0.5, 0.501)):
        clock.idle = idle
        assert cpu_growth.measure_time(clock.candidate, make, ORACLE, FORWARD).values[0] == pytest.approx(wanted)


def test_time_that_does_not_grow_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found to pass: 60 ms of work in every call, so that no large size was tried."""
    growth, _ = time_it(monkeypatch, lambda size, _: 0.06 + 5e-9 * size**2)
    assert growth.sizes[-1] > 4096
    assert growth.exponent == pytest.approx(2, abs=0.05)


def test_what_is_quadratic_in_most_calls_is_quadratic(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found to pass: every fourth call is linear, and the quickest one counted."""
    growth, _ = time_it(monkeypatch, lambda size, number: 1e-7 * size + (5e-9 * size**2 if number % 4 else 0))
    assert cpu_growth.judge_time([growth]).status is Status.FAILED


def test_a_wrong_gradient_while_timed_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found to pass: gradients of zeros at sizes that only the clock sees."""
    monkeypatch.setattr(cpu_growth, "CHECKED", 1.0)
    clock = FakeClock(monkeypatch, lambda size, _: 1e-3)
    right = clock.candidate

    def wrong(case: Any, cotangent: Any) -> Any:
        answer = right(case, cotangent)
        large = case.arguments["query"].shape[-2] > 1000
        return SimpleNamespace(output=answer.output, gradients={} if large else answer.gradients)

    wrong.worker = SimpleNamespace(pid=0)  # type: ignore[attr-defined]
    make = sized(load_workload(KATA), torch.float32)
    with pytest.raises(PropertyFailed, match="the gradient of query is wrong while it is timed"):
        cpu_growth.measure_time(wrong, make, ORACLE, BOTH)  # type: ignore[arg-type]


WIDE = """
import torch.nn.functional as F

def linear_attention(query, key, value, eps=1e-6):
    wide = {wide}
    query, key = F.elu(query) + 1, F.elu(key) + 1
    if wide:
        weights = query @ key.mT
        return weights @ value / (weights.sum(-1, keepdim=True) + eps)
    return query @ (key.mT @ value) / (query @ key.sum(-2).unsqueeze(-1) + eps)
"""


@pytest.mark.parametrize(
    "wide",
    [
        "query.shape[-1] > 16",
        "query.dim() == 4",
        "query.shape == (1, 4, *query.shape[-2:])",
        "query.shape[-1] > 16 and query.dim() != 4",
        "query.shape[-1] > 40",
        "query.shape[-1] != value.shape[-1]",
        "query.shape[-2] > 512",
    ],
)
def test_what_is_quadratic_in_some_forms_only_is_seen_without_a_clock(
    wide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was let pass: growth was counted at a width of 4 and three dimensions only, where the code is linear."""
    monkeypatch.setattr(cpu_growth, "examine_time", lambda *_: pytest.fail("no count has seen it"))
    path = tmp_path / "wide.py"
    path.write_text(WIDE.format(wide=wide))
    with loaded(path) as candidate:
        growth, _, (result,) = complexity.examine_growth(
            KATA, candidate.worker, load_workload(KATA), device="cpu", dtype=torch.float32, seed=3
        )
    assert not steep_counts(growth)
    assert result.status is Status.FAILED
    assert "there is an L×S matrix" in result.message
    assert result.counterexample is not None


@pytest.mark.parametrize("path", files("linear"), ids=lambda p: p.stem)
def test_linear_code_is_linear_in_every_form(path: Path) -> None:
    rng = random.Random(path.stem)
    with loaded(path) as candidate:
        for form, modes in complexity.other_forms(load_workload(KATA), torch.float32, rng):
            complexity.require_growth_of_form(candidate, form, rng, modes, limit=complexity.LINEAR)


def test_the_clock_is_not_asked_where_the_counts_are_steep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_growth, "examine_time", lambda *_: pytest.fail("the clock was asked"))
    with loaded(GROWTH / "quadratic/matmul.py") as candidate:
        growth, _, (result,) = complexity.examine_growth(
            KATA, candidate.worker, load_workload(KATA), device="cpu", dtype=torch.float32
        )
    assert steep_counts(growth)
    assert result.status is Status.FAILED
    assert "the largest tensor grows like N^2.00" in result.message


@pytest.mark.parametrize(("path", "fails"), [("linear/matmul.py", False), ("quadratic/matmul.py", True)])
def test_on_a_gpu_the_counts_judge_alone(path: str, fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_growth, "examine_time", lambda *_: pytest.fail("the processor's clock was asked"))
    with loaded(GROWTH / path) as candidate:
        _, _, results = complexity.examine_growth(
            KATA, candidate.worker, load_workload(KATA), device="cuda", dtype=torch.float32
        )
    assert [result.status for result in results] == [Status.FAILED] * fails


def test_a_call_that_fails_at_a_larger_size_fails_the_property(tmp_path: Path) -> None:
    path = tmp_path / "breaks.py"
    right = (GROWTH / "linear/matmul.py").read_text()
    path.write_text(right.replace("    q, k", "    assert query.shape[-2] < 1000\n    q, k"))
    with loaded(path) as candidate:
        growth, _, (result,) = complexity.examine_growth(
            KATA, candidate.worker, load_workload(KATA), device="cpu", dtype=torch.float32
        )
    assert not steep_counts(growth)
    assert result.status is Status.FAILED
    assert "AssertionError" in result.message


@pytest.mark.parametrize("kind", ["timeout", "crash"])
def test_a_call_that_is_stopped_at_a_larger_size_is_slow_and_a_crash_is_none(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*_: Any, **__: Any) -> None:
        raise WorkerLost(kind, "no answer within 10 s: the call was stopped")

    monkeypatch.setattr(complexity, "require_growth_of_form", lose)
    with loaded(GROWTH / "linear/matmul.py") as candidate:
        judge = partial(complexity.examine_growth, device="cpu", dtype=torch.float32)
        if kind == "crash":
            with pytest.raises(WorkerLost):
                judge(KATA, candidate.worker, load_workload(KATA))
            return
        _, _, (result,) = judge(KATA, candidate.worker, load_workload(KATA))
    assert result.status is Status.FAILED
    assert result.message == "at the sizes of practice, no answer within 10 s: the call was stopped"


def test_a_slow_spell_of_the_machine_is_waited_out(monkeypatch: pytest.MonkeyPatch) -> None:
    growth, calls = time_it(monkeypatch, lambda size, number: 1e-6 * size * (4 if size == 32768 and number < 4 else 1))
    assert cpu_growth.judge_time([growth]).status is Status.PASSED
    assert 4 < calls.count(32768) <= 2 + cpu_growth.MOST_ROUNDS


def test_a_slow_loop_is_timed_at_three_sizes_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    growth, _ = time_it(monkeypatch, lambda size, _: 1e-2 * size)
    assert growth.sizes == (64, 128, 256)
    assert growth.exponent == pytest.approx(1, abs=0.05)


def test_a_wrong_answer_while_timed_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock(monkeypatch, lambda size, _: 1e-3)
    right = clock.candidate

    def wrong(case: Any, cotangent: Any) -> Any:
        return SimpleNamespace(output=right(case, cotangent).output * 1.1)

    wrong.worker = SimpleNamespace(pid=0)  # type: ignore[attr-defined]
    make = sized(load_workload(KATA), torch.float32)
    with pytest.raises(PropertyFailed, match="wrong while it is timed"):
        cpu_growth.measure_time(wrong, make, ORACLE, FORWARD)  # type: ignore[arg-type]


def test_the_backward_pass_is_timed_only_where_counts_say_that_it_is_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    """And linear at the sizes that are timed: in blocks of 512 it looks linear up to 512, and autograd's share grows after."""
    clock = FakeClock(monkeypatch, lambda size, _: 1e-6 * size)
    make = sized(load_workload(KATA), torch.float32)

    def work(exponent: float) -> Growth:
        return Growth(complexity.WORK, "elements", BOTH, (1, 2), (1, 2), exponent)

    for small, large, modes in ((1.0, 1.0, [FORWARD, BOTH]), (1.9, 1.0, [FORWARD]), (1.0, 1.5, [FORWARD])):
        counted = [work(small)]
        monkeypatch.setattr(cpu_growth, "measure_growth", lambda *_, _large=large, **__: (work(_large),))
        times, result = cpu_growth.examine_time(clock.candidate, make, KATA, counted)
        assert [t.mode for t in times] == modes
        assert result.status is Status.PASSED
