"""Time on a device with its own memory, as far as it can be shown without one: what is asked of it, and in which order.

The device is pretended (`pretended.py`); what needs a real one is in `test_devices.py`.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from pretended import EVENT_SECONDS, MEGABYTE, Backend, Pretended, boot

from grader import host
from grader.catalog import find_katas, get_kata
from grader.errors import GraderError
from grader.examiner import grade
from grader.timing import timed_worker
from grader.timing.ring import Material, Ring
from grader.timing.speed import MODES, compare_speed
from grader.timing.stopwatch import Lap, Stopwatch
from grader.timing.timed_worker import Floor, Request, TimedWorker
from grader.timing.workload import load_workload
from grader.verdict import Outcome
from grader.worker import zygote
from grader.worker.arena import Arena, create_file
from grader.worker.device import VISIBLE, Device, Mps, open_device, see_one_gpu
from grader.worker.serve import Session
from grader.worker_process import Worker

LAYERNORM = get_kata("layernorm")
WHERE_THE_PRETENCE_SHOWS = {"keeps-dtype", "mask-follows-device"}  # "the output is on cpu, the input on cuda"
TIMED = [kata for kata in find_katas().values() if kata.bench is not None]


def material(*, backward: bool = False, kata: Any = LAYERNORM) -> Material:
    return Material(kata, load_workload(kata), 8, torch.float32, backward=backward, seed=3)


class Bench:
    """A worker's session in this process, on a pretended device, with one plan of a function that writes into the diary."""

    def __init__(self, function: Any = None, *, blank: bool = False) -> None:
        descriptor = create_file()
        self.arena = Arena(descriptor)
        os.close(descriptor)
        self.device = Pretended()
        self.session = Session(self.arena, -1, self.device)
        made = material(kata=get_kata("causal-mask"))
        self.ring = Ring(self.arena, made, None, random.Random(1))
        self.seen: list[torch.Tensor] = []

        def called(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            self.device.diary.append("call")
            self.seen.append(scores.clone())
            return torch.softmax(scores, -1) if function is None else function(scores, mask)

        self.session.entries[made.case.entry] = called
        self.ask(self.ring.request("plan", None if blank else made.case.entry, []))
        self.device.diary.clear()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        reply = self.session.answer(message)
        assert "error" not in reply, reply
        return reply

    def carry(self, order: list[int]) -> None:
        self.ask({"op": "carry", "plan": "plan", "slots": self.ring.refresh(order)})

    def repeat(self, order: list[int]) -> dict[str, Any]:
        return self.ask({"op": "repeat", "plan": "plan", "order": order})

    def fetch(self, place: int) -> dict[str, Any]:
        return self.ask({"op": "fetch", "plan": "plan", "slots": self.ring.result_slots(place)})


class TestARequest:
    def test_flushes_and_rests_before_the_clock_and_rests_again_before_it_stops(self) -> None:
        bench = Bench()
        bench.carry([0, 1, 2])
        assert bench.device.diary == ["flush", "synchronise", "reset peak"]
        bench.device.diary.clear()
        bench.repeat([0, 1, 2])
        assert bench.device.diary == ["event", "call", "call", "call", "event", "synchronise"]

    def test_tells_what_the_events_say_in_seconds(self) -> None:
        assert Bench().repeat([0])["device_seconds"] == pytest.approx(EVENT_SECONDS)

    def test_computes_on_what_was_carried_last_in_each_place(self) -> None:
        bench = Bench()
        written = []
        for _ in range(3):
            bench.carry([1, 0])
            bench.repeat([1, 0])
            written += [bench.ring._views[bench.ring._inputs[place]["scores"]].clone() for place in (1, 0)]
        assert all(map(torch.equal, bench.seen, written))
        assert len({float(scores.sum()) for scores in bench.seen}) == 6

    def test_computes_on_nothing_that_was_not_carried(self) -> None:
        bench = Bench()
        bench.carry([0])
        bench.ring.refresh([0])  # written by the parent, and not carried
        bench.repeat([0])
        assert not torch.equal(bench.seen[0], bench.ring._views[bench.ring._inputs[0]["scores"]])

    def test_leaves_results_on_the_device_until_they_are_fetched(self) -> None:
        bench = Bench()
        place = bench.ring.result_slots(2)[0]
        bench.carry([2])
        bench.ring._views[place].fill_(7.0)
        bench.repeat([2])
        assert bool((bench.ring._views[place] == 7.0).all())
        bench.fetch(2)
        assert torch.equal(bench.ring._views[place], torch.softmax(bench.seen[0], -1))

    def test_counts_memory_from_what_was_in_use_before_it(self) -> None:
        bench = Bench()
        bench.device.pretending.allocated, bench.device.pretending.most = 5 * MEGABYTE, 8 * MEGABYTE
        bench.carry([0])
        bench.repeat([0])
        assert bench.fetch(0)["peak"] == 3 * MEGABYTE

    def test_of_a_blank_plan_costs_everything_but_the_call(self) -> None:
        bench = Bench(blank=True)
        bench.carry([0])
        bench.repeat([0])
        assert bench.device.diary == ["flush", "synchronise", "reset peak", "event", "event", "synchronise"]

    def test_has_its_memory_where_another_plan_for_the_same_places_has_it(self) -> None:
        bench = Bench()
        bench.ask(bench.ring.request("other", None, []))
        mine, other = (bench.session.plans[name]._own for name in ("plan", "other"))
        assert [t.data_ptr() for t in mine] == [t.data_ptr() for t in other]
        shared = {t.data_ptr() for t in bench.session.plans["plan"]._shared}
        assert not shared & {t.data_ptr() for t in mine}


class TestATensorOnTheDevice:
    @pytest.mark.parametrize(
        "tensor",
        [
            torch.arange(12.0).reshape(3, 4),
            torch.arange(12.0).reshape(3, 4).T,
            torch.arange(24.0).reshape(4, 6)[:, 1::2],
            torch.arange(3.0).expand(4, 3),
            torch.tensor([True, False]).expand(3, 2),
            torch.tensor([[True, False, True, True]] * 2)[:, ::2],
            torch.tensor(1.5),
            torch.empty(0, 3),
        ],
        ids=["dense", "transposed", "with gaps", "expanded", "expanded mask", "mask with gaps", "scalar", "empty"],
    )
    def test_has_the_strides_and_comes_back_with_gaps_and_all(self, tensor: torch.Tensor) -> None:
        bench = Bench()
        slot = bench.arena.write(tensor, 0)
        before = bench.arena.content(slot)
        view = bench.arena.view(slot)
        carried = bench.device.carry(view)
        assert (carried.stride(), carried.tolist()) == (tensor.stride(), tensor.tolist())
        memory = bench.device.memory_of([carried])
        bench.device.bring_back([view], memory)
        assert bench.arena.content(slot) == before

    def test_that_was_changed_is_seen_to_be_even_if_it_was_turned_round(self) -> None:
        bench = Bench()
        slot = bench.arena.write(torch.zeros(2, 3), 0)
        view = bench.arena.view(slot)
        carried = bench.device.carry(view)
        memory = bench.device.memory_of([carried])
        carried[0, 1] = 5.0
        carried.t_().resize_(0)
        bench.device.bring_back([view], memory)
        assert view.tolist() == [[0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]

    def test_on_the_cpu_is_the_arena_itself(self) -> None:
        bench = Bench()
        view = bench.arena.view(bench.arena.write(torch.zeros(2), 0))
        cpu = open_device("cpu")
        assert cpu.carry(view) is view
        assert cpu.lend(0, view) is view
        assert cpu.mark_memory() is cpu.peak_memory(None) is cpu.seconds_between(cpu.start_event(), cpu.end_event())


class TestAnAppleGpu:
    def test_is_flushed_and_timed_like_another(self) -> None:
        backend = Backend()
        device = Mps(torch.device("cpu"), backend, lambda: backend.diary.append("synchronise"), MEGABYTE)
        device.flush()
        start, end = device.start_event(), device.end_event()
        device.synchronise()
        assert device.seconds_between(start, end) == pytest.approx(EVENT_SECONDS)
        assert backend.diary == ["event", "event", "synchronise"]

    def test_has_its_pool_emptied_once_and_tells_by_how_much_it_grew(self) -> None:
        backend = Backend()
        device = Mps(torch.device("cpu"), backend, lambda: None, MEGABYTE)
        backend.allocated = 2 * MEGABYTE
        mark = device.mark_memory()
        assert device.mark_memory(mark) == mark
        backend.allocated = 6 * MEGABYTE
        assert device.peak_memory(mark) == 4 * MEGABYTE
        assert backend.diary == ["empty cache"]

    def test_is_refused_float64_before_anything_is_started(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timed_worker, "Worker", lambda *args, **kwargs: pytest.fail("a worker was started"))
        with pytest.raises(GraderError, match="the mps device has no float64") as refused:
            compare_speed(LAYERNORM, LAYERNORM.reference.read_bytes(), device="mps", dtype="float64")
        assert "--dtype float32" in str(refused.value.next_step)


class TestOneGpu:
    @pytest.mark.parametrize(("said", "left"), [(None, "0"), ("2,1", "2"), ("MIG-7a", "MIG-7a"), ("3", "3")])
    def test_is_in_sight_however_many_there_are(self, said: str | None, left: str) -> None:
        environment = {} if said is None else {VISIBLE: said}
        see_one_gpu(environment)
        assert environment == {VISIBLE: left}

    def test_is_in_no_sight_of_a_worker_that_is_to_use_the_cpu(self) -> None:
        user = {"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "SECRET": "x"}
        assert host.worker_environment(user, gpu=False)["CUDA_VISIBLE_DEVICES"] == "-1"
        assert "CUDA_DEVICE_ORDER" not in host.worker_environment(user, gpu=False)
        seen = host.worker_environment(user, gpu=True)
        assert (seen["CUDA_VISIBLE_DEVICES"], seen["CUDA_DEVICE_ORDER"]) == ("1", "PCI_BUS_ID")
        assert "SECRET" not in seen

    def test_that_stops_at_an_error_of_a_kernel_is_known_not_to_work(self) -> None:
        def fail() -> None:
            raise RuntimeError("CUDA error: device-side assert triggered")

        device = Pretended()
        assert device.works()
        device._wait = fail
        assert not device.works()
        assert Device(torch.device("cpu")).works()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is only the wall clock")
def test_what_a_worker_computes_between_requests_is_seen_although_only_the_wall_clock_counts() -> None:
    watch = Stopwatch(os.getpid(), wall_only=True)
    watch.rest()
    sum(range(300_000))
    assert watch.start() > 0
    lap = watch.lap()
    assert lap.cpu is None
    assert lap.seconds == lap.wall
    watch.close()


class TestSettling:
    """On the parent's side: a GPU's clock rate rises while it works."""

    def subject(self, monkeypatch: pytest.MonkeyPatch, walls: Iterator[float]) -> tuple[Any, list[int]]:
        now = [0.0]
        asked: list[int] = []

        def request(count: int) -> Request:
            asked.append(count)
            now[0] += 0.01
            return Request(Lap(next(walls)), ())

        monkeypatch.setattr(timed_worker, "time", SimpleNamespace(monotonic=lambda: now[0]))
        made = timed_worker.Subject(SimpleNamespace(), "plan", SimpleNamespace(places=4))  # type: ignore[arg-type]
        made._request = request  # type: ignore[method-assign]
        return made, asked

    def test_ends_when_three_requests_are_alike(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made, asked = self.subject(monkeypatch, iter([0.009, 0.007, 0.005, 0.0051, 0.005, 1.0]))
        made._settle()
        assert asked == [4] * 5

    def test_ends_although_the_times_never_settle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made, asked = self.subject(monkeypatch, iter(0.001 * (1 + number % 2) for number in range(1000)))
        made._settle()
        assert 3 < len(asked) <= 1 + timed_worker.SETTLING_SECONDS / 0.01


@pytest.fixture(scope="class")
def pretended_gpu() -> Iterator[None]:
    """Every worker with a GPU has a pretended one, and its zygote an accelerator in sight."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "_BOOT", boot(str(Path(__file__).parent)))
        for module in ("grader.examiner", "grader.timing.speed"):
            patch.setattr(f"{module}.resolve_device", lambda device: device)
        host.shut_down()
        yield
        host.shut_down()


@pytest.mark.usefixtures("pretended_gpu")
class TestAWorkerWithAGpu:
    @pytest.mark.parametrize("kata", TIMED, ids=lambda kata: kata.id)
    def test_grades_every_reference_but_for_where_its_answers_lie(self, kata: Any) -> None:
        """Gradients, strides and expanded masks, beside an accelerator that autograd has a thread for."""
        verdict = grade(kata, kata.reference, device="cuda")
        assert {p.id for p in verdict.required_failed} <= WHERE_THE_PRETENCE_SHOWS
        assert verdict.gradients
        assert all(row.matches for row in verdict.gradients)

    def test_has_new_inputs_events_and_the_wall_clock(self) -> None:
        report = compare_speed(LAYERNORM, LAYERNORM.reference.read_bytes(), device="cuda", budget=1.0, limit=3.0)
        assert not report.faults
        assert [speed.mode for speed in report.speeds] == list(MODES)
        for speed in report.speeds:
            assert 0.3 < speed.ratio < 3
            assert speed.noise == 1.0
            assert speed.events is not None
            assert 0 < speed.events.candidate < 0.1

    def test_must_have_answered_when_its_clock_stops(self) -> None:
        """The last call's result is among those that are compared: what was put off has not arrived."""
        source = LAYERNORM.solution + "\n_forward = LayerNorm.forward\n"
        source += "LayerNorm.forward = lambda self, x: _forward(self, x) * self.__dict__.setdefault('right', 1.0)\n"
        with TimedWorker(
            LAYERNORM,
            source.encode(),
            device="cuda",
            trusted=False,
            rng=random.Random(5),
            floor=Floor(),
        ) as host_worker:
            subject = host_worker.subject("candidate", material())
            subject.repeats = 12
            asked: list[dict[str, Any]] = []
            ask = host_worker.ask
            host_worker.ask = lambda message: asked.append(message) or ask(message)  # type: ignore[method-assign,func-returns-value]
            timed = subject.time()
            assert timed is not None
            subject.check(timed)
            *_, carried, repeated, first, second = asked
            assert [m["op"] for m in (carried, repeated, first, second)] == ["carry", "repeat", "fetch", "fetch"]
            last = subject.ring.result_slots(repeated["order"][-1])
            assert first["slots"] == last[:1]
            assert set(last) <= set(second["slots"])

    def test_ends_with_a_word_when_a_kernel_has_broken_the_device(self) -> None:
        body = "torch.gpu_is_broken = True\n        raise RuntimeError('CUDA error: device-side assert triggered')"
        source = LAYERNORM.solution.replace("def forward(self, x):", f"def forward(self, x):\n        {body}")
        assert body in source
        verdict = grade(LAYERNORM, LAYERNORM.reference, device="cuda", source=source.encode())
        assert verdict.outcome is Outcome.UNUSABLE
        assert "the GPU stopped at an error inside a kernel of the code" in verdict.reason
        assert "device-side assert" in verdict.output

    def test_names_the_device_and_hides_it_from_workers_without(self) -> None:
        with Worker(b"", device="cuda") as worker:
            assert worker.device_name == "Pretended GPU"
        with Worker(b"") as worker:
            assert worker.device_name == ""


def test_a_device_that_cannot_be_opened_is_the_systems_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = "open_device = lambda kind: (_ for _ in ()).throw(RuntimeError('no driver'))"
    monkeypatch.setattr(
        host,
        "_BOOT",
        f"import sys\nsys.path[:0] = sys.argv[:1:-1]\nfrom grader.worker import device\ndevice.{broken}\n" + host._BOOT,
    )
    host.shut_down()
    try:
        with pytest.raises(GraderError, match="the cuda device cannot be used: RuntimeError: no driver") as error:
            Worker(b"", device="cuda")
        assert "--device cpu" in str(error.value.next_step)
    finally:
        host.shut_down()


class TestTheZygote:
    """It must not look for a GPU, and must know where a backward pass would find one."""

    @pytest.mark.parametrize(
        ("cuda", "visible", "forward"),
        [("13.0", "-1", False), ("13.0", "0", True), ("13.0", None, True), (None, None, False)],
        ids=["hidden", "in sight", "perhaps", "built without"],
    )
    def test_warms_up_with_a_backward_pass_only_where_no_gpu_is_in_sight(
        self, cuda: str | None, visible: str | None, forward: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(torch.version, "cuda", cuda)
        monkeypatch.setattr(torch.version, "hip", None)
        monkeypatch.setattr(torch.backends.mps, "is_built", lambda: False)
        monkeypatch.delenv(VISIBLE, raising=False)
        if visible is not None:
            monkeypatch.setenv(VISIBLE, visible)
        assert zygote._may_see_a_gpu() is forward

    def test_of_workers_with_a_gpu_is_another_one(self) -> None:
        assert host.prestart("cpu") is host.prestart()
        assert host.prestart("cuda") is host.prestart("mps") is not host.prestart("cpu")
        host.shut_down()


class TestClaims:
    @pytest.mark.parametrize("told", [None, -1.0, 0.0, 1e9, 3, "fast"])
    def test_that_no_event_can_make_are_none(self, told: object) -> None:
        assert timed_worker._read_claim(told) is None

    def test_of_an_outcome_are_none(self) -> None:
        assert timed_worker._read_claim(0.25) == 0.25
