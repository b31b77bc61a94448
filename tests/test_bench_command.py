"""`kata bench` from outside: only right code is timed, every ending has its exit code, and files are written as asked.

Grading and timing are stood in for by samples; both have their own tests.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from grader import cli, examiner, host
from grader.errors import GraderError, WorkerLost
from grader.timing.bench import read_sizes
from grader.timing.room import DoesNotFit

ROOT = Path(cli.__file__).parents[1]
SAMPLES = Path(__file__).with_name("samples.py")
samples = SimpleNamespace(**runpy.run_path(str(SAMPLES)))


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`kata bench` in this process; `verdict` answers the grade, `lost` is the size at which the worker dies."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "layernorm.py").write_text("LayerNorm = 1\n", encoding="utf-8")
    state = SimpleNamespace(verdict=samples.passing(), graded=[], timed=[], lost=None, room=10**6, place=tmp_path)

    def grade(kata: Any, path: Path, **options: Any) -> Any:
        state.graded.append((kata.id, path, options))
        if isinstance(state.verdict, BaseException):
            raise state.verdict
        return state.verdict

    def measure_speed(kata: Any, source: bytes, *, size: int, dtype: str, **options: Any) -> Any:
        state.timed.append((kata.id, source, size, dtype, options))
        if size == state.lost:
            raise WorkerLost("crash", "killed by SIGKILL")
        if size >= state.room:
            raise DoesNotFit
        seconds = size * 1e-6
        rounds = (samples.Round(1.4 * seconds, seconds),)
        return tuple(samples.speed(mode, 1.4, dtype=dtype, rounds=rounds) for mode in ("forward", "forward + backward"))

    monkeypatch.setattr(host, "prestart", lambda: None)
    monkeypatch.setattr(examiner, "grade", grade)
    monkeypatch.setitem(sys.modules, "grader.timing.speed", ModuleType("grader.timing.speed"))
    sys.modules["grader.timing.speed"].measure_speed = measure_speed  # type: ignore[attr-defined]
    state.run = lambda *arguments: cli.run(["bench", *arguments])
    return state


class TestTiming:
    def test_shows_a_plot_and_the_figures_of_every_size(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        assert inside.run("layernorm.py", "--sizes", "64,256,128") == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        assert "● yours" in captured.out
        sizes = re.findall(r"^ +(\d+) .*1\.40 \(1\.26–1\.54\)$", captured.out, re.MULTILINE)
        assert sizes == ["64", "128", "256"] * 2
        assert "time grows like L^1.00 (yours)" in captured.out

    def test_takes_the_katas_own_sizes_and_one_dtype(self, inside: Any) -> None:
        inside.run("layernorm")
        from grader.catalog import get_kata

        wanted = get_kata("layernorm").bench
        assert [(size, dtype) for _, _, size, dtype, _ in inside.timed] == [(size, "float32") for size in wanted.sizes]

    def test_times_what_was_checked_as_it_was_asked_to(self, inside: Any) -> None:
        inside.run("layernorm", "--sizes", "64", "--dtype", "bfloat16", "--dtype", "float64", "--timing-budget", "5")
        ((id, path, asked),) = inside.graded
        assert (id, path.name, asked["explain"], asked["until_failure"]) == ("layernorm", "layernorm.py", False, True)
        assert [(source, size, dtype) for _, source, size, dtype, _ in inside.timed] == [
            (b"LayerNorm = 1\n", 64, "bfloat16"), (b"LayerNorm = 1\n", 64, "float64"),
        ]  # fmt: skip
        assert asked["source"] == b"LayerNorm = 1\n"
        assert {options["budget"] for *_, options in inside.timed} == {5.0}

    def test_is_no_attempt(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.run("layernorm", "--sizes", "64")
        capsys.readouterr()
        cli.run(["list", "--json"])
        assert {kata["attempts"] for kata in json.loads(capsys.readouterr().out)["katas"]} == {0}

    def test_a_size_that_ends_the_worker_costs_only_what_follows(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.lost = 256
        assert inside.run("layernorm", "--sizes", "64,128,256,512") == 0
        shown = capsys.readouterr().out
        assert [size for _, _, size, *_ in inside.timed] == [64, 128, 256]
        assert "Not everything was timed: float32, L = 256: killed by SIGKILL" in shown

    def test_a_size_that_has_no_room_is_told_beside_what_was_measured_before(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert inside.run("layernorm", "--sizes", "5000000,64") == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert [size for _, _, size, *_ in inside.timed] == [64, 5000000]
        assert (
            "Not everything was timed: float32, L = 5000000: does not fit into memory here: choose smaller sizes"
            in shown
        )

    def test_of_nothing_but_such_sizes_is_a_usage_error(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        assert inside.run("layernorm", "--sizes", "5000000") == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(
            "kata: float32, L = 5000000: does not fit into memory here: choose smaller sizes\n"
        )

    def test_json_is_one_document_and_nothing_else(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        assert inside.run("layernorm", "--sizes", "64,128", "--json") == 0
        captured = capsys.readouterr()
        document = json.loads(captured.out)
        assert captured.err == ""
        assert (document["verdict"], document["size_name"], document["device"]) == ("pass", "L", "cpu")
        assert document["machine"]["threads"] == "1"
        first = document["points"][0]
        assert (first["size"], first["speed"]["mode"]) == (64, "forward")
        assert first["speed"]["rounds"] == [
            {"candidate": pytest.approx(1.4 * 64e-6), "reference": pytest.approx(64e-6)}
        ]
        assert {each["who"] for each in document["slopes"]} == {"yours", "reference", "library"}
        assert document["slopes"][0]["slope"] == pytest.approx(1.0)


class TestCheck:
    def test_a_wrong_file_is_not_timed(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.verdict = samples.failing()
        assert inside.run("layernorm") == 1
        captured = capsys.readouterr()
        assert (captured.out, inside.timed) == ("", [])
        assert captured.err == (
            "kata: layernorm.py: not timed: it is wrong in matches-formula, input-gradient, eps-inside-the-root\n"
            "Next: kata grade layernorm shows where; --unchecked times it all the same\n"
        )

    def test_unless_it_was_asked_for_and_that_is_said(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        assert inside.run("layernorm", "--unchecked", "--sizes", "64") == 0
        assert inside.graded == []
        assert "code whose answers were not checked" in capsys.readouterr().out
        inside.run("layernorm", "--unchecked", "--sizes", "64", "--json")
        assert json.loads(capsys.readouterr().out)["verdict"] is None

    @pytest.mark.parametrize(("kind", "code"), [("failing", 1), ("unusable", 3), ("grader_error", 4)])
    def test_the_exit_code_is_the_verdicts(
        self, inside: Any, capsys: pytest.CaptureFixture[str], kind: str, code: int
    ) -> None:
        inside.verdict = samples.ALL[kind]()
        assert inside.run("layernorm", "--json") == code
        document = json.loads(capsys.readouterr().out)
        assert document["verdict"] == inside.verdict.outcome.value
        assert document["reason"]
        assert document["points"] == []

    def test_what_is_no_file_is_unusable(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("gone.py", "scaled_dot_product.py"):
            assert inside.run(name) == 3
            assert capsys.readouterr().err.startswith(f"kata: {name}: not timed: there is no such file\n")

    def test_what_the_grader_cannot_do_is_its_own_error(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        inside.verdict = GraderError("there is no cuda device here", "grade with --device cpu")
        assert inside.run("layernorm", "--device", "cuda") == 4
        assert "not timed: there is no cuda device here" in capsys.readouterr().err

    def test_a_worker_that_dies_at_the_first_size_is_no_result(
        self, inside: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        inside.lost = 64
        assert inside.run("layernorm", "--sizes", "64,128") == 4
        assert "float32, L = 64: killed by SIGKILL" in capsys.readouterr().err


class TestFiles:
    def test_png_and_svg_are_written(self, inside: Any, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("matplotlib")
        assert inside.run("layernorm", "--sizes", "64,128", "--png", "a.png", "--svg", "b.svg") == 0
        assert (inside.place / "a.png").read_bytes().startswith(b"\x89PNG")
        drawn = (inside.place / "b.svg").read_text(encoding="utf-8")
        for text in (
            "forward, float32",
            "forward + backward, float32",
            "time of a call",
            "yours",
            "F.layer_norm",
            "100 µs",
        ):
            assert text in drawn
        captured = capsys.readouterr()
        assert captured.err == "written: a.png\nwritten: b.svg\n"

    def test_the_same_result_is_the_same_file(self) -> None:
        pytest.importorskip("matplotlib")
        from grader.render.figure import draw

        assert draw(samples.benched(), "svg") == draw(samples.benched(), "svg")

    def test_no_window_can_open(self) -> None:
        pytest.importorskip("matplotlib")
        script = (
            "import runpy, sys; from grader.render.figure import draw\n"
            f"draw(runpy.run_path({str(SAMPLES)!r})['benched'](), 'png')\n"
            "print('matplotlib.pyplot' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"

    @pytest.mark.parametrize(
        "points", [samples.points(1e-4)[:1], samples.points(1e-4, 0.0), samples.points(1e-4, dtype="bfloat16")]
    )
    def test_any_result_can_be_drawn(self, points: Any) -> None:
        pytest.importorskip("matplotlib")
        from grader.render.figure import draw

        assert draw(samples.benched(points=points), "png").startswith(b"\x89PNG")

    def test_without_matplotlib_the_command_that_helps_is_named_before_anything_is_timed(
        self, inside: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        assert inside.run("layernorm", "--png", "a.png") == 2
        assert inside.graded == []
        assert capsys.readouterr().err.splitlines()[-1] == "Next: pip install 'torch-kata[plot]'"

    @pytest.mark.parametrize("name", ["nowhere/a.png", "."])
    def test_what_cannot_be_written_is_refused_before_anything_is_timed(self, inside: Any, name: str) -> None:
        pytest.importorskip("matplotlib")
        assert inside.run("layernorm", "--png", name) == 2
        assert inside.graded == []


class TestOptions:
    @pytest.mark.parametrize(
        "arguments",
        [
            ("--sizes", "0"), ("--sizes", "a"), ("--sizes", ""), ("--sizes", "1,,2"),
            ("--sizes", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"),
            ("--dtype", "int8"), ("--timing-budget", "0"), ("--timing-budget", "nan"), ("nosuchkata",), ("a", "b"),
        ],
    )  # fmt: skip
    def test_usage_errors_are_2_with_nothing_on_stdout(
        self, inside: Any, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
    ) -> None:
        assert inside.run("--json", *arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("kata: ")

    def test_sizes_are_sorted_and_each_once(self) -> None:
        assert read_sizes(" 512, 64,512") == (64, 512)
