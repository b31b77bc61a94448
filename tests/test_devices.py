"""Grading and timing on a real GPU, where there is one; and a clear word where there is none.

What can be shown without one is in `test_device.py`.
"""

from __future__ import annotations

import pytest
import torch

from grader.catalog import find_katas, get_kata
from grader.errors import GraderError
from grader.examiner import grade
from grader.timing.decision import QUICK_ENOUGH, TOO_SLOW
from grader.timing.options import TimingOptions
from grader.timing.speed import FORWARD, MODES, compare_speed
from grader.verdict import Outcome
from grader.worker.device import open_device
from grader.worker_process import Worker

THERE = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}


@pytest.mark.parametrize("device", THERE)
@pytest.mark.parametrize("kata", find_katas().values(), ids=lambda k: k.id)
def test_references_pass_on_the_gpu(kata, device):
    if not THERE[device]:
        pytest.skip(f"no {device} device on this machine")
    verdict = grade(kata, kata.reference, device=device)
    assert verdict.outcome is Outcome.PASS
    assert verdict.device == device


@pytest.mark.parametrize("device", THERE)
def test_a_device_that_is_not_there_is_told(device):
    if THERE[device]:
        pytest.skip(f"this machine has a {device} device")
    kata = get_kata("layernorm")
    with pytest.raises(GraderError, match=f"no {device} device"):
        grade(kata, kata.reference, device=device)


def test_auto_is_the_cpu():
    kata = get_kata("layernorm")
    assert grade(kata, kata.reference, device="auto", only=["keeps-dtype"]).device == "cpu"


@pytest.fixture(params=THERE)
def device(request: pytest.FixtureRequest) -> str:
    """One that this machine has."""
    kind: str = request.param
    if not THERE[kind]:
        pytest.skip(f"no {kind} device on this machine: timing on it was not run")
    return kind


LAYERNORM = get_kata("layernorm")
PATIENT = 20.0  # seconds for a decision
TWELVE = """
_Once = LayerNorm


class LayerNorm(_Once):
    def forward(self, x):
        {first}
        return sum(super(LayerNorm, self).forward(x) for _ in range(12)) / 12
"""
IN_A_SIDE_STREAM = (
    LAYERNORM.solution
    + """
_Once = LayerNorm
_aside = torch.cuda.Stream()


class LayerNorm(_Once):
    def forward(self, x):
        _aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(_aside):
            busy = torch.ones(2048, 2048, device=x.device)
            for _ in range(20):
                busy = busy @ busy * 0
        return super(LayerNorm, self).forward(x)
"""
)


class TestTimingOnAGpu:
    def test_a_right_layernorm_passes_with_events_and_memory(self, device: str) -> None:
        verdict = grade(LAYERNORM, LAYERNORM.reference, device=device, timing=TimingOptions(budget=PATIENT))
        assert verdict.outcome is Outcome.PASS
        assert verdict.timing is not None
        assert verdict.timing.machine["gpu"]
        assert [speed.mode for speed in verdict.timing.speeds] == list(MODES)
        for speed in verdict.timing.speeds:
            assert speed.decision == QUICK_ENOUGH
            assert speed.events is not None
            assert speed.events.candidate > 0

    def test_the_same_code_is_not_found_slower_than_itself(self, device: str) -> None:
        source = LAYERNORM.reference.read_bytes()
        for speed in compare_speed(LAYERNORM, source, device=device, budget=PATIENT, limit=1.5).speeds:
            assert speed.decision != TOO_SLOW
            assert 0.67 < speed.ratio < 1.5

    def test_twelve_times_the_work_is_too_slow(self, device: str) -> None:
        source = LAYERNORM.solution + TWELVE.format(first="pass")
        (speed,) = compare_speed(
            LAYERNORM, source.encode(), device=device, budget=PATIENT, limit=3.0, modes=[FORWARD]
        ).speeds
        assert speed.decision == TOO_SLOW

    def test_memory_is_that_of_the_calls_and_not_of_inputs_or_cache(self, device: str) -> None:
        """Eight inputs' worth held at once, of inputs of 256 KB: not the hundreds of megabytes that lie there besides."""
        extra = TWELVE.format(first="held = [x + number for number in range(8)]")
        plain, more = (
            compare_speed(
                LAYERNORM,
                (LAYERNORM.solution + added).encode(),
                device=device,
                budget=1.0,
                limit=100.0,
                modes=[FORWARD],
            )
            .speeds[0]
            .device_memory
            for added in ("", extra)
        )
        assert plain is not None
        assert more is not None
        assert plain < 32 << 20
        if device == "cuda":  # Apple's tells only how its pool grew
            assert more - plain > 7 * (2 * 64 * 512 * 4)


@pytest.mark.skipif(not THERE["cuda"], reason="no cuda device on this machine: its streams were not tried")
class TestStreams:
    def test_work_in_a_side_stream_counts_though_events_do_not_see_it(self) -> None:
        (speed,) = compare_speed(
            LAYERNORM, IN_A_SIDE_STREAM.encode(), device="cuda", budget=PATIENT, limit=3.0, modes=[FORWARD]
        ).speeds
        assert speed.decision == TOO_SLOW

    def test_waiting_that_was_patched_away_gains_nothing(self) -> None:
        source = LAYERNORM.solution + TWELVE.format(first="torch.cuda.synchronize = lambda *args: None")
        (speed,) = compare_speed(
            LAYERNORM, source.encode(), device="cuda", budget=PATIENT, limit=3.0, modes=[FORWARD]
        ).speeds
        assert speed.decision == TOO_SLOW

    def test_an_error_inside_a_kernel_ends_the_worker_and_is_told(self) -> None:
        body = "x.flatten()[torch.full((1,), 1 << 40, device=x.device)]"
        source = LAYERNORM.solution.replace("def forward(self, x):", f"def forward(self, x):\n        {body}")
        verdict = grade(LAYERNORM, LAYERNORM.reference, device="cuda", source=source.encode())
        assert verdict.outcome is Outcome.UNUSABLE
        assert "error inside a kernel" in verdict.reason


def test_a_gpu_that_is_not_there_is_in_no_workers_sight() -> None:
    with Worker(b"import torch\nassert not torch.cuda.is_available()\ndef f(): pass\n") as worker:
        request = {"op": "load", "path": worker.path, "forbidden": [], "entries": [{"name": "f", "kind": "function"}]}
        assert worker.request(request).error is None


def test_the_cpu_is_no_gpu() -> None:
    assert not open_device("cpu").own_memory
