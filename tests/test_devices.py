"""Grading on a GPU, where there is one; and a clear word where there is none."""

from __future__ import annotations

import pytest
import torch

from grader.catalog import find_katas, get_kata
from grader.errors import GraderError
from grader.examiner import grade
from grader.verdict import Outcome

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
