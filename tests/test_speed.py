"""Speed of real submissions in real workers. No time is asserted but ratios that nobody can miss."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from corpus import files, name, read_header

from grader.catalog import Kata, find_katas, get_kata
from grader.errors import GraderError, WorkerLost
from grader.judge import judge as judge_all
from grader.oracle import Oracle
from grader.timing import comparison, ring
from grader.timing.decision import QUICK_ENOUGH, TOO_SLOW, UNDECIDED
from grader.timing.machine import describe_machine
from grader.timing.options import TimingOptions
from grader.timing.ring import POOL, Material
from grader.timing.room import DoesNotFit
from grader.timing.speed import FORWARD, MODES, SpeedReport, compare_speed, judge, limits_of, measure_speed
from grader.timing.stopwatch import Stopwatch
from grader.timing.timed_worker import Floor, Overhead, TimedCallFailed, TimedWorker
from grader.timing.workload import load_workload
from grader.verdict import Outcome, Round, Speed, Status, Verdict

KATAS = list(find_katas().values())
LAYERNORM = get_kata("layernorm")
PATIENT = 20.0  # seconds for a decision: the machine may be busy with other tests
SLOW = """

_Once = LayerNorm


class LayerNorm(_Once):
    def forward(self, x):
        return sum(super(LayerNorm, self).forward(x) for _ in range(12)) / 12
"""

FAILING = """from torch import nn, ones, zeros
class LayerNorm(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(ones(n)), nn.Parameter(zeros(n))
    def forward(self, x):
        {body}
"""


def reference(kata: Kata) -> bytes:
    return kata.reference.read_bytes()


def material(kata: Kata, dtype: torch.dtype = torch.float32, *, backward: bool = False) -> Material:
    assert kata.bench is not None
    return Material(kata, load_workload(kata), kata.bench.size, dtype, backward=backward, seed=3)


def worker(kata: Kata, source: bytes | None = None, *, trusted: bool = True) -> TimedWorker:
    source = reference(kata) if source is None else source
    return TimedWorker(kata, source, device="cpu", trusted=trusted, rng=random.Random(5), floor=Floor())


class TestTheWorkload:
    @pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
    def test_grows_with_its_size_and_has_finite_answers(self, kata: Kata) -> None:
        assert kata.bench is not None
        workload, oracle = load_workload(kata), Oracle(kata.reference)
        sizes = []
        for size in (4, 8):
            case = workload.case(size)
            answers = oracle(case, gradients=True)
            assert answers.output.isfinite().all()
            assert set(answers.gradients) == {*case.differentiable, *case.parameters}
            sizes.append(answers.output.numel())
        assert sizes[1] >= 2 * sizes[0]

    @pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
    def test_leaves_no_entry_symbol_and_no_mask_out(self, kata: Kata) -> None:
        workload = load_workload(kata)
        calls = [workload.case(4), *(workload.case(4, other=other) for other in workload.others)]
        assert {call.entry for call in calls} == {entry.name for entry in kata.entries}
        if any("mask=None" in entry.signature for entry in kata.entries):
            assert {"attn_mask" in call.arguments for call in calls} == {True, False}

    @pytest.mark.parametrize("kata", [k for k in KATAS if k.library is not None], ids=lambda kata: kata.id)
    def test_is_answered_alike_by_the_library(self, kata: Kata) -> None:
        assert kata.library is not None
        expected = material(kata)
        with worker(kata) as host:
            host.load_also(kata.library.read_bytes(), "library")
            subject = host.subject("library", expected, prefix="library")
            timed = subject.time()
            assert timed is not None
            subject.check(timed)

    def test_limits_are_not_under_one_and_a_half(self) -> None:
        assert all(limit >= 1.5 for kata in KATAS for limit in limits_of(kata, load_workload(kata)).values())

    def test_a_further_call_may_have_a_limit_of_its_own(self) -> None:
        kata = get_kata("linear-attention")
        assert kata.bench is not None
        assert limits_of(kata, load_workload(kata)) == {FORWARD: 10, "forward + backward": 10, "at N = 4096": 20}
        report = compare_speed(kata, reference(kata), modes=["at N = 4096"])
        assert [(speed.limit, speed.decision) for speed in report.speeds] == [(20, QUICK_ENOUGH)]
        assert judge(report, {"at N = 4096": 20})[0].description.startswith("A call at N = 4096 takes at most 20 times")


class TestTimedAnswers:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
    @pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
    def test_of_the_reference_are_right_with_and_without_gradients(self, kata: Kata, dtype: torch.dtype) -> None:
        with worker(kata) as host:
            for backward in (False, True):
                subject = host.subject(f"reference {backward}", material(kata, dtype, backward=backward))
                subject.repeats = 3
                for _ in range(3):
                    timed = subject.time()
                    if timed is not None:
                        subject.check(timed)

    @pytest.mark.parametrize("kata", [k for k in KATAS if load_workload(k).others], ids=lambda kata: kata.id)
    def test_of_further_calls_are_right_beside_those_of_the_first(self, kata: Kata) -> None:
        assert kata.bench is not None
        workload = load_workload(kata)
        with worker(kata) as host:
            subjects = [host.subject("first", material(kata))]
            for other in workload.others:
                made = Material(kata, workload, kata.bench.size, torch.float32, backward=False, seed=3, other=other)
                subjects.append(host.subject(other, made))
            for subject in subjects:  # a module is shared by them all
                timed = subject.time()
                if timed is not None:
                    subject.check(timed)

    def test_that_have_no_room_are_refused_in_words(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ring, "SIZE", 1000)
        with worker(LAYERNORM) as host, pytest.raises(DoesNotFit, match="does not fit into memory here"):
            host.subject("reference", material(LAYERNORM))

    def test_that_are_wrong_in_one_row_are_seen(self) -> None:
        wrong = b"""
        def forward(self, x):
            y = super().forward(x).clone()
            y[0, 0] += 0.01
            return y
        """
        source = reference(LAYERNORM) + b"\n_L = LayerNorm\nclass LayerNorm(_L):" + wrong
        with worker(LAYERNORM, source, trusted=False) as host:
            subject = host.subject("wrong", material(LAYERNORM))
            timed = subject.time()
            assert timed is not None
            with pytest.raises(TimedCallFailed, match="the output was wrong in a timed call"):
                subject.check(timed)

    def test_no_two_repetitions_have_the_same_content(self) -> None:
        with worker(LAYERNORM) as host:
            subject = host.subject("reference", material(LAYERNORM))
            seen = set()
            for _ in range(4):
                order = list(range(subject.ring.places))
                subject.ring.refresh(order)
                seen |= {
                    subject.ring._views[i].sum().item() for place in order for i in subject.ring._inputs[place].values()
                }
            assert len(seen) == 4 * subject.ring.places
            assert subject.ring.places > POOL

    def test_lie_at_the_same_addresses_for_all_subjects_of_a_mode(self) -> None:
        with worker(LAYERNORM) as host:
            host.load_also(reference(LAYERNORM), "control")
            made = material(LAYERNORM, backward=True)
            rings = [host.subject("reference", made).ring, host.subject("control", made, prefix="control").ring]
            assert rings[0].slots == rings[1].slots


class TestADeviceWithItsOwnMemory:
    """As far as it can be shown without one: the requests that carry tensors there and back, and the wall clock."""

    def test_is_given_new_inputs_and_asked_for_results(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with worker(LAYERNORM) as host:
            subject = host.subject("reference", material(LAYERNORM, backward=True))
            host.device = "elsewhere"
            asked: list[dict[str, object]] = []
            ask = host.ask
            monkeypatch.setattr(host, "ask", lambda message: asked.append(message) or ask(message))
            subject.warm_up(0.001)
            asked.clear()
            timed = subject.time()
            assert timed is not None
            subject.check(timed)
            operations = [message["op"] for message in asked]
            assert operations[-4:] == ["carry", "repeat", "fetch", "fetch"]
            assert all(message["slots"] for message in asked if message["op"] != "repeat")

    def test_is_timed_by_the_wall_clock(self) -> None:
        with worker(LAYERNORM) as host:
            host.watch = Stopwatch(host.worker.pid, wall_only=True)
            timed = host.subject("reference", material(LAYERNORM)).time()
            assert timed is not None
            assert timed.lap.cpu is None
            assert timed.lap.seconds == timed.lap.wall


class TestTheOverhead:
    def test_of_a_request_and_of_each_repetition_is_taken_off(self) -> None:
        assert Overhead(fixed=0.001, each=0.002).net(0.016, 3) == pytest.approx(0.003)

    def test_never_takes_everything(self) -> None:
        assert Overhead(fixed=1.0, each=1.0).net(0.01, 1) > 0


class TestASubmission:
    def test_that_is_the_reference_is_quick_enough(self) -> None:
        report = compare_speed(LAYERNORM, reference(LAYERNORM), budget=PATIENT, limit=3.0)
        assert not report.faults
        assert [s.mode for s in report.speeds] == list(MODES)
        for found in report.speeds:
            assert found.decision == QUICK_ENOUGH
            assert 0.5 < found.ratio < 2
            assert found.low <= found.ratio <= found.high
            assert found.call == "LayerNorm(512)(x), x (64, 2, 512)"
            assert found.library_name == "F.layer_norm"
            assert found.library is not None
            assert found.library > 1
            assert found.noise >= 0.5
        assert report.alarms == ()

    def test_that_is_twelve_times_as_slow_is_too_slow(self) -> None:
        report = compare_speed(LAYERNORM, reference(LAYERNORM) + SLOW.encode(), budget=PATIENT, limit=3.0)
        assert [s.decision for s in report.speeds] == [TOO_SLOW, TOO_SLOW]
        assert all(6 < s.ratio < 24 for s in report.speeds)

    def test_is_compared_across_workers_where_the_control_was_slowed_down(self) -> None:
        source = (
            reference(LAYERNORM)
            + SLOW.encode()
            + (
                b"\n_mean = torch.Tensor.mean\n"
                b"def slow_mean(self, *args, **kwargs):\n"
                b"    import sys\n"
                b"    times = 60 if sys._getframe(1).f_code.co_filename.endswith('control.py') else 1\n"
                b"    for _ in range(times):\n"
                b"        answer = _mean(self, *args, **kwargs)\n"
                b"    return answer\n"
                b"torch.Tensor.mean = slow_mean\n"
            )
        )
        (found,) = compare_speed(LAYERNORM, source, budget=PATIENT, limit=3.0, modes=[FORWARD]).speeds
        assert found.against == "trusted"
        assert found.decision == TOO_SLOW

    def test_is_compared_across_workers_where_the_control_answers_wrongly(self) -> None:
        source = reference(LAYERNORM) + (
            b"\n_mean = torch.Tensor.mean\n"
            b"def wrong_mean(self, *args, **kwargs):\n"
            b"    import sys\n"
            b"    inside = sys._getframe(1).f_code.co_filename.endswith('control.py')\n"
            b"    return _mean(self, *args, **kwargs) + inside\n"
            b"torch.Tensor.mean = wrong_mean\n"
        )
        (found,) = compare_speed(LAYERNORM, source, budget=PATIENT, limit=3.0, modes=[FORWARD]).speeds
        assert found.against == "trusted"
        assert found.decision == QUICK_ENOUGH

    def test_may_compute_no_more_once_the_grade_is_over(self) -> None:
        report = compare_speed(LAYERNORM, reference(LAYERNORM), modes=[FORWARD], deadline=time.monotonic())
        assert report.speeds == ()
        assert "the time limit of the whole grade was reached while calls were timed" in report.faults[FORWARD]

    def test_that_spends_the_time_of_a_grade_is_told_what_a_call_took(self) -> None:
        with worker(LAYERNORM, trusted=False) as host:
            lost = WorkerLost("time-limit", "no time is left")
            assert host._explain(lost) == "no time is left while calls were timed: no call ended"
            host.subject("reference", material(LAYERNORM)).time()
            assert host.call is not None
            host.call = 4.02
            assert host._explain(lost) == "no time is left while calls were timed: a call took 4 s"
            assert host._explain(WorkerLost("crash", "killed")) == "killed"

    def test_that_loops_in_a_further_call_is_too_slow_in_that_one_alone(self) -> None:
        kata = get_kata("causal-mask")
        source = reference(kata) + (
            b"\ndef causal_mask(seq_len, device=None):\n"
            b"    rows = [[j <= i for j in range(seq_len)] for i in range(seq_len)]\n"
            b"    return torch.tensor(rows, device=device)\n"
        )
        report = compare_speed(kata, source, budget=PATIENT)
        assert {s.mode: s.decision for s in report.speeds} == {
            "forward": QUICK_ENOUGH,
            "forward + backward": QUICK_ENOUGH,
            "causal_mask": TOO_SLOW,
        }
        assert report.speeds[-1].call == "causal_mask(128)"
        *_, result = judge(report, {s.mode: s.limit for s in report.speeds})
        assert (result.id, result.status) == ("speed-causal-mask", Status.FAILED)
        assert result.description == "causal_mask takes at most 5 times as long as the readable reference."

    def test_of_a_size_that_has_no_room_is_refused_before_anything_is_made(self) -> None:
        with pytest.raises(DoesNotFit):
            compare_speed(get_kata("scaled-dot-product"), b"", size=999_999_999)

    def test_that_finds_no_room_after_all_is_refused_in_the_same_words(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def run(self: object, **options: object) -> None:
            raise GraderError(
                "the reference cannot be timed: it raised RuntimeError: DefaultCPUAllocator: can't allocate memory"
            )

        monkeypatch.setattr(comparison.Comparison, "run", run)
        with pytest.raises(DoesNotFit, match="does not fit into memory here: choose smaller sizes"):
            compare_speed(LAYERNORM, b"")

    def test_with_a_budget_of_nothing_is_undecided_and_has_one_round(self) -> None:
        (found,) = compare_speed(LAYERNORM, reference(LAYERNORM), budget=0.0, modes=[FORWARD], limit=1.0001).speeds
        assert found.decision == UNDECIDED or found.against == "trusted"
        assert len(found.rounds) <= comparison.PAIRS

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("raise RuntimeError('no more')", "it raised RuntimeError in line 7 in a timed call"),
            ("raise type('no more', (Exception,), {})", "it raised an exception in line 7 in a timed call"),
            ("import os; os._exit(3)", "exit code 3"),
            ("return x[:1]", "it raised ValueError in a timed call"),
        ],
        ids=["raises", "raises-what-it-named", "dies", "wrong-shape"],
    )
    def test_that_fails_in_timed_calls_is_told_why(self, body: str, message: str) -> None:
        source = FAILING.format(body=body)
        report = compare_speed(LAYERNORM, source.encode(), modes=[FORWARD])
        assert message in report.faults[FORWARD]
        assert "no more" not in report.faults[FORWARD], "no word of the code's own: it may be one of the reference's"
        with pytest.raises(WorkerLost):
            measure_speed(LAYERNORM, source.encode(), modes=[FORWARD])

    def test_of_a_kata_without_a_workload_cannot_be_timed(self) -> None:
        with pytest.raises(GraderError, match="nothing of it is timed"):
            compare_speed(replace(LAYERNORM, bench=None), reference(LAYERNORM))


# Of each kata, the vectorised right code that comes nearest to the limit. tests/benchmarks/timing.py --part corpus times all.
NEAREST = (
    "head-split-merge/loops_over_batch_and_heads",
    "head-split-merge/vmap_over_batch",
    "causal-mask/float_arithmetic",
    "layernorm/std_mean_squared",
    "causal-mask/vmap_one_row",
    "scaled-dot-product/query-blocks",
    "linear-attention/query-blocks-in-double",
    "linear-attention/outer-products",
    "multi-head-attention/online-softmax",
)


class TestTheLimits:
    @pytest.mark.parametrize("path", [p for p in files("right") if name(p) in NEAREST], ids=name)
    def test_let_right_code_pass_that_is_not_slow_by_design(self, path: Path) -> None:
        for found in compare_speed(get_kata(read_header(path).kata), path.read_bytes(), budget=PATIENT).speeds:
            assert found.decision == QUICK_ENOUGH
            assert found.ratio < found.limit / 1.2

    @pytest.mark.parametrize("path", [p for p in files("right") if read_header(p).timing], ids=name)
    def test_stop_right_code_that_is_slow_by_design(self, path: Path) -> None:
        kata = get_kata(read_header(path).kata)
        speeds = compare_speed(kata, path.read_bytes(), budget=PATIENT).speeds
        assert max(s.ratio / s.limit for s in speeds if s.decision == TOO_SLOW) > 1.2

    def test_are_tested_on_both_sides(self) -> None:
        assert len(NEAREST) == sum(name(p) in NEAREST for p in files("right"))
        assert {read_header(p).timing for p in files("right")} == {"", TOO_SLOW}


class TestAGrade:
    def test_without_timing_says_nothing_of_it(self, grade_source: Callable[..., Verdict]) -> None:
        verdict = grade_source(LAYERNORM.solution, only=["matches-formula"])
        assert verdict.timing is None
        assert not [p for p in verdict.properties if p.category == "timing"]

    def test_with_timing_has_a_required_property_for_each_mode(self, grade_source: Callable[..., Verdict]) -> None:
        verdict = grade_source(LAYERNORM.solution, only=["matches-formula"], timing=True)
        assert verdict.outcome is Outcome.PASS
        found = {p.id: p for p in verdict.properties if p.category == "timing"}
        assert {"speed-forward", "speed-forward-backward"} <= set(found)
        assert all(p.required and p.status is Status.PASSED for p in found.values())
        assert verdict.timing is not None
        assert {"cpu", "torch", "threads", "device"} <= set(verdict.timing.machine)

    def test_of_wrong_code_skips_timing_and_says_why(self, grade_source: Callable[..., Verdict]) -> None:
        source = LAYERNORM.solution.replace("torch.sqrt(variance + self.eps)", "variance")
        verdict = grade_source(source, only=["matches-formula"], timing=True, explain=False)
        assert verdict.outcome is Outcome.FAIL
        assert verdict.timing is not None
        assert "a required property does not hold" in verdict.timing.skipped
        assert verdict.timing.speeds == ()

    def test_of_code_that_is_too_slow_fails_and_looks_for_no_mistake(
        self, grade_source: Callable[..., Verdict]
    ) -> None:
        source = LAYERNORM.solution + SLOW
        verdict = grade_source(source, only=["matches-formula"], timing=TimingOptions(budget=PATIENT))
        assert verdict.outcome is Outcome.FAIL
        assert verdict.first_failure is not None
        assert verdict.first_failure.id == "speed-forward"
        assert "times as long as the reference" in verdict.first_failure.message
        assert verdict.diagnosis is None


def test_nothing_more_is_timed_once_something_is_too_slow_where_that_is_wanted() -> None:
    kata = get_kata("layernorm")
    slow = reference(kata) + (
        b"\nFast = LayerNorm\nclass LayerNorm(Fast):\n"
        b"    def forward(self, x):\n        return sum(super(LayerNorm, self).forward(x) for _ in range(30)) / 30\n"
    )
    report = compare_speed(kata, slow, until_failure=True)
    assert [speed.mode for speed in report.speeds] == [FORWARD]
    failed, skipped = judge(report, limits_of(kata, load_workload(kata)))
    assert (failed.status, skipped.status) == (Status.FAILED, Status.SKIPPED)


def test_undecided_passes_with_a_note_that_says_what_to_do() -> None:
    undecided = Speed(
        FORWARD, "f(x)", "float32", 2.0, UNDECIDED, 2.0, 1.9, 2.1, "control", (Round(2.0, 1.0),), seconds=2.0
    )
    result, other = judge(SpeedReport((undecided,)), dict.fromkeys(MODES, 2.0))
    assert result.status is Status.PASSED
    assert "--timing-budget 10" in result.message
    assert judge_all([result], None, []) == (Outcome.PASS, "0 required properties hold, 1 about time undecided")
    assert other.status is Status.FAILED, "a mode that was not timed is never a pass"


class TestTheStopwatch:
    @pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is only the wall clock")
    def test_reads_the_processor_time_of_another_process_while_it_works_and_while_it_rests(self) -> None:
        with worker(LAYERNORM) as host:
            watch = Stopwatch(host.worker.pid)
            assert watch.reads_cpu
            watch.start()
            host.subject("reference", material(LAYERNORM, backward=True)).warm_up(0.001)
            busy = watch.lap()
            assert busy.cpu is not None
            assert 0.002 < busy.cpu <= busy.wall
            assert busy.delay is not None
            watch.start()
            for _ in range(1000):  # this process works, the other one does not
                rest = watch.lap()
            assert rest.cpu is not None
            assert rest.cpu < 0.002
            watch.close()

    def test_of_a_process_that_is_gone_still_has_the_wall_clock(self) -> None:
        host = worker(LAYERNORM)
        watch = Stopwatch(host.worker.pid)
        watch.start()
        host.close()
        lap = watch.lap()
        assert lap.wall > 0
        watch.close()

    def test_can_do_without_the_processors_clock(self) -> None:
        watch = Stopwatch(os.getpid(), wall_only=True)
        watch.start()
        lap = watch.lap()
        assert lap.cpu is None
        assert lap.seconds == lap.wall


def test_the_machine_is_described() -> None:
    facts = describe_machine("cpu")
    assert facts["threads"] == "1"
    assert facts["cpu"]
    assert int(facts["processors"]) >= 1
