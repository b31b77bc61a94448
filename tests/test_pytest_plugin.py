"""`pytest katas/ID/properties.py --submission FILE`: an author's run says of a file what a grade says of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader import pytest_plugin

ROOT = Path(pytest_plugin.__file__).parents[1]
SUBMISSIONS = ROOT / "tests" / "submissions"
REFERENCE = ROOT / "reference" / "layernorm.py"

CHEAT = """
import torch.nn as nn
import torch.nn.functional as F

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        import torch
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)
"""


def run(kata: str, submission: Path, *options: str) -> tuple[int, str]:
    """The exit code and what pytest says."""
    command = [sys.executable, "-m", "pytest", "-q", "-rxX", "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = subprocess.run(
        [*command, f"katas/{kata}/properties.py", "--submission", str(submission), *options],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout


def test_a_forbidden_operator_fails_as_in_a_grade(tmp_path: Path) -> None:
    cheat = tmp_path / "cheat.py"
    cheat.write_text(CHEAT)
    code, said = run("layernorm", cheat)
    assert code == 1
    assert "1 failed" in said
    assert re.search(r"the code calls \S*layer_norm\S* in line 14", said)
    assert "test_no_forbidden_operator" in said


@pytest.mark.parametrize("kata", ["layernorm", "head-split-merge"])
def test_a_right_file_passes_whatever_becomes_of_the_stretch(kata: str) -> None:
    """The reference of layernorm is not of half precision; that of head-split-merge is, and forbids nothing."""
    code, said = run(kata, ROOT / "reference" / f"{kata.replace('-', '_')}.py")
    assert code == 0, said
    assert re.search(r"\d+ passed", said)
    assert "half_precision" in said
    assert re.search(r"\d+ x(failed|passed)", said)


def test_what_is_deselected_is_not_run() -> None:
    code, said = run("layernorm", REFERENCE, "-k", "matches")
    assert (code, "1 passed" in said) == (0, True), said
    assert "test_no_forbidden_operator" not in said


def test_a_stretch_property_is_no_excuse_for_a_required_one() -> None:
    code, said = run("layernorm", SUBMISSIONS / "layernorm" / "wrong" / "eps_outside_sqrt.py", "-k", "eps or half")
    assert (code, "1 failed" in said) == (1, True), said


def test_a_file_that_cannot_be_graded_is_told_in_one_line(tmp_path: Path) -> None:
    code, said = run("layernorm", tmp_path / "nothing.py", "-k", "matches")
    assert (code, "cannot be graded: there is no such file" in said) == (1, True), said
    assert "grader/examiner.py" not in said
