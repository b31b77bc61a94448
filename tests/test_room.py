"""Whether a size has room on this machine is told from small calls, in words that a person can act on."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from grader.catalog import Kata, find_katas, get_kata
from grader.timing import room
from grader.timing.room import DoesNotFit, lacks_memory, require_room
from grader.timing.workload import load_workload

KATAS = list(find_katas().values())


@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_a_katas_own_sizes_have_room_and_a_thousand_million_has_none(kata: Kata) -> None:
    assert kata.bench is not None
    workload = load_workload(kata)
    for size in kata.bench.sizes:
        require_room(kata, workload, size, torch.float64, device="cpu")
    with pytest.raises(DoesNotFit, match="does not fit into memory here"):
        require_room(kata, workload, 999_999_999, torch.float32, device="cpu")


def test_what_a_call_makes_is_foretold_where_its_inputs_are_small() -> None:
    kata = get_kata("scaled-dot-product")
    with pytest.raises(DoesNotFit, match=r"about 8\.77 GB for one call"):
        require_room(kata, load_workload(kata), 12_000, torch.float32, device="cpu")


def test_half_the_precision_takes_half_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    kata = get_kata("scaled-dot-product")
    monkeypatch.setattr(room, "MEMORY", 600 << 20)  # at L = S = 4096 a call in float32 makes 1,088 MB
    require_room(kata, load_workload(kata), 4096, torch.bfloat16, device="cpu")
    with pytest.raises(DoesNotFit):
        require_room(kata, load_workload(kata), 4096, torch.float32, device="cpu")


def test_a_machine_that_has_little_left_is_asked_for_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    kata = get_kata("layernorm")
    monkeypatch.setattr(room, "_available", lambda: 1e6)
    with pytest.raises(DoesNotFit):
        require_room(kata, load_workload(kata), 1024, torch.float32, device="cpu")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), True),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), True),
        (RuntimeError("shapes cannot be multiplied"), False),
    ],
)
def test_want_of_memory_is_known_by_its_words(error: Exception, told: bool) -> None:
    assert lacks_memory(error) is told


def test_options_are_read_without_torch_so_that_the_clock_of_a_grade_starts_with_the_line_of_progress() -> None:
    script = "import sys, grader.timing.options, grader.grade_command; print('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )
