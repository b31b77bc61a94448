"""Properties run closed to the user's pytest and hypothesis, give the same verdict every time, and miss nothing."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader import runner
from grader.catalog import find_katas, get_kata
from grader.conditions import default_seed
from grader.examiner import grade
from grader.render.jsonout import verdict_document
from grader.verdict import Outcome, Status, Verdict, in_table_order

ROOT = Path(__file__).parent.parent
WRONG = ROOT / "tests/submissions/layernorm/wrong/unbiased_variance.py"


def essence(verdict: Verdict) -> Verdict:
    return replace(verdict, seconds=0)


def test_twenty_grades_give_one_verdict():
    kata = get_kata("layernorm")
    verdicts = {essence(grade(kata, WRONG)).__repr__() for _ in range(20)}
    assert len(verdicts) == 1


def test_the_seed_is_told_and_changes_the_inputs():
    kata = get_kata("layernorm")
    first, second, usual = (grade(kata, WRONG, seed=seed, explain=False, until_failure=True) for seed in (1, 2, None))
    assert (first.seed, second.seed) == (1, 2)
    assert usual.seed == default_seed(kata)
    assert first.outcome is second.outcome is Outcome.FAIL


def test_users_pytest_configuration_is_not_seen(tmp_path, monkeypatch):
    (tmp_path / "conftest.py").write_text("raise RuntimeError('conftest was read')\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (tmp_path / "usercustomize.py").write_text("")
    (tmp_path / "evil.py").write_text("raise RuntimeError('plugin was loaded')\n")
    (tmp_path / "torch.py").write_text("raise RuntimeError('shadowed')\n")
    submission = tmp_path / "layernorm.py"
    submission.write_text(get_kata("layernorm").solution, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTEST_ADDOPTS": "--no-such-option",
        "PYTEST_PLUGINS": "evil",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "storage"),
        "PYTHONPATH": "",
    }
    before = {p.name for p in tmp_path.iterdir()}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "grader.cli", "grade", "layernorm.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {p.name for p in tmp_path.iterdir()} == before, "a grade leaves nothing beside the submission"


def test_no_folder_above_the_pack_is_listed(monkeypatch):
    listed = []
    ignore = runner._Collector.pytest_ignore_collect

    @functools.wraps(ignore)
    def recorded(self, collection_path):
        listed.append(collection_path)
        return ignore(self, collection_path)

    monkeypatch.setattr(runner._Collector, "pytest_ignore_collect", recorded)
    grade(get_kata("layernorm"), WRONG, only=["keeps-dtype"])
    assert listed
    assert all(path.is_relative_to(ROOT) for path in listed)


def test_environment_is_as_before(monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    grade(get_kata("layernorm"), WRONG, only=["keeps-dtype"])
    assert os.environ["PYTEST_ADDOPTS"] == "-x"
    assert "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ


@pytest.mark.parametrize("kata", find_katas().values(), ids=lambda k: k.id)
def test_every_property_is_described_and_counted(kata):
    verdict = grade(kata, kata.folder / "stub.py", explain=False, until_failure=True)  # what is skipped is listed too
    assert len([p for p in verdict.properties if p.required]) >= 8
    assert len({p.id for p in verdict.properties}) == len(verdict.properties)
    for p in verdict.properties:
        assert p.description.endswith(".")
        assert 20 <= len(p.description) <= 160, p.description
    required = [p.required for p in verdict.properties if p.id != "no-forbidden-operator"]
    assert required == sorted(required, reverse=True), "stretch properties come last"


def pack(tmp_path: Path, properties: str):
    """A kata of a third party, with the LayerNorm's reference."""
    kata = get_kata("layernorm")
    folder = tmp_path / "katas" / "layernorm"
    folder.mkdir(parents=True)
    (folder / "properties.py").write_text(properties)
    return replace(kata, folder=folder)


@pytest.mark.parametrize(
    ("properties", "wanted"),
    [
        ("def broken(:\n", "properties do not load"),
        ("import no_such_module\n", "properties do not load"),
        ("", "no result came for any property"),
        (
            "from grader.laws import law\n@law('values')\ndef test_a(candidate):\n    'A law.'\n    1 / 0\n",
            "ZeroDivisionError",
        ),
        (
            "from grader.laws import law\n@law('values')\ndef test_a(no_such_fixture):\n    'A law.'\n",
            "no_such_fixture",
        ),
    ],
    ids=["syntax", "import", "empty", "bug", "fixture"],
)
def test_a_fault_in_the_properties_is_ours_and_never_a_pass(properties, wanted, tmp_path):
    kata = pack(tmp_path, properties)
    verdict = grade(kata, kata.reference)
    assert verdict.outcome is Outcome.GRADER_ERROR
    assert wanted in verdict.reason


@pytest.mark.parametrize(
    ("kata", "mistake"),
    [
        ("scaled-dot-product", "mask-inverted"),
        ("scaled-dot-product", "detached-weights"),
        ("causal-mask", "mask-inverted"),
        ("multi-head-attention", "mask-inverted"),
        ("layernorm", "detached-mean"),
        ("linear-attention", "detached-normaliser"),
    ],
)
def test_a_classic_mistake_is_shown_on_an_input_that_can_be_read(kata, mistake):
    kata = get_kata(kata)
    verdict = grade(kata, kata.folder / "mistakes" / f"{mistake}.py", explain=False)
    assert "long-inputs" in {p.id for p in verdict.required_failed}, "which no person can read"
    first = verdict.first_failure
    assert first is not None
    assert first.readable
    assert first.counterexample is not None
    sizes = [n for argument in first.counterexample.arguments if argument.tensor for n in argument.tensor.shape]
    assert max(sizes, default=0) <= 3, "the one that is shown is shrunk"
    readable = [p for p in in_table_order(verdict.properties) if p in verdict.required_failed and p.readable]
    assert first is readable[0]
    assert verdict_document(verdict)["first_failure"] == first.id


def test_properties_run_in_the_order_of_the_table(tmp_path):
    lines = ["from grader.laws import law"]
    marks = ["'robustness'", "'values', stretch=True", "'numerics'", "'values'", "'gradients'", "'shapes'"]
    for number, mark in enumerate(marks):
        lines.append(f"@law({mark})\ndef test_p{number}(candidate):\n    'A law.'")
    kata = pack(tmp_path, "\n".join(lines) + "\n")
    verdict = grade(kata, kata.reference)
    assert [p.id for p in verdict.properties if p.id.startswith("p")] == ["p3", "p5", "p4", "p2", "p0", "p1"]


def test_only_stretch_failures_pass(tmp_path):
    kata = pack(
        tmp_path,
        "from grader.laws import law\n"
        "from grader.case import Case\nfrom grader.failure import fail\n"
        "@law('values')\ndef test_a(candidate):\n    'A law.'\n"
        "@law('values', stretch=True)\ndef test_b(candidate):\n    'A stretch law.'\n    fail('no', Case('f', {}))\n",
    )
    verdict = grade(kata, kata.reference)
    assert verdict.outcome is Outcome.PASS
    assert [p.status for p in verdict.properties[:2]] == [Status.PASSED, Status.FAILED]


def test_a_worker_lost_in_a_stretch_property_does_not_fail_the_grade(tmp_path):
    kata = pack(
        tmp_path,
        "import torch\nfrom grader.laws import law\nfrom grader.case import Case\n"
        "@law('values', stretch=True)\ndef test_z(candidate):\n    'A stretch law.'\n"
        "    candidate(Case('LayerNorm', {'x': torch.ones(3)}, {'n': 3}, {}, lambda found, wanted: {}))\n"
        "@law('values')\ndef test_a(candidate):\n    'A law.'\n",
    )
    submission = tmp_path / "mine.py"
    submission.write_text("import os\nLayerNorm = lambda n: os._exit(1)\n")
    verdict = grade(kata, submission)
    assert verdict.outcome is Outcome.PASS
    assert [p.status for p in verdict.properties[:2]] == [Status.PASSED, Status.FAILED]


def test_an_author_can_run_one_file_with_plain_pytest(tmp_path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(ROOT / "katas/layernorm/properties.py"),
    ]
    good = subprocess.run(
        [*command, "--submission", str(ROOT / "reference/layernorm.py")], capture_output=True, text=True
    )
    assert good.returncode == 0, good.stdout + good.stderr
    assert "passed" in good.stdout
    bad = subprocess.run([*command, "--submission", str(WRONG), "-k", "matches"], capture_output=True, text=True)
    assert bad.returncode == 1
    assert "the output is wrong by up to" in bad.stdout
    none = subprocess.run(command, capture_output=True, text=True)
    assert "pass --submission FILE" in none.stdout or "skipped" in none.stdout


def test_the_verdict_is_json():
    import json

    document = verdict_document(grade(get_kata("layernorm"), WRONG))
    parsed = json.loads(json.dumps(document))
    assert parsed["verdict"] == "fail"


def test_a_broken_reference_is_our_error_with_the_next_command(tmp_path):
    from grader.errors import GraderError

    kata = replace(get_kata("layernorm"), reference=tmp_path / "reference.py")
    (tmp_path / "reference.py").write_text("1 / 0\n")
    with pytest.raises(GraderError, match="does not load: ZeroDivisionError") as error:
        grade(kata, WRONG)
    assert "kata dev check" in error.value.next_step


def test_a_broken_bank_costs_the_diagnosis_and_not_the_verdict(monkeypatch):
    monkeypatch.setattr("grader.examiner.DIAGNOSIS_MUST_WORK", False)
    monkeypatch.setattr("grader.diagnosis.diagnose.load_bench", lambda kata: 1 / 0)
    verdict = grade(get_kata("layernorm"), WRONG)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.diagnosis is None


def test_a_listed_mistake_is_named_in_the_verdict():
    diagnosis = grade(get_kata("layernorm"), WRONG).diagnosis
    assert diagnosis is not None
    assert diagnosis.id == "unbiased-variance"
    assert diagnosis.fix
