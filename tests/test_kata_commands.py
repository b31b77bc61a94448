"""Commands that run no code of anybody's, as a person meets them: what is next, what Tab offers, what a poor terminal gets."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import samples

from grader import cli
from grader.catalog import find_katas
from grader.desk import Desk
from grader.interview.clock import SystemClock
from grader.interview.log import SessionLog
from grader.interview.plan import Plan, RoundPlan
from grader.journal.events import Journal
from grader.next_step import after_verdict
from grader.output import Output
from grader.ranges import FiniteRange, WholeRange
from grader.watch.state import Watching
from grader.workspace import Target

ROOT = Path(cli.__file__).parents[1]


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def kata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs `kata` in this process."""
    (tmp_path / "place").mkdir()
    monkeypatch.chdir(tmp_path / "place")
    monkeypatch.setenv("KATA_HOME", str(tmp_path / "home"))

    def run(*arguments: str) -> Done:
        capfd.readouterr()
        code = cli.run(list(arguments))
        return Done(code, *capfd.readouterr())

    return run


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "home", warn=print)
    yield made
    made.close()


def passed(journal: Journal, *ids: str) -> None:
    for id in ids:
        journal.append("grade", id, Path(f"{id}.py"), {"verdict": "pass", "passed": 3, "required": 3})


class TestNext:
    @pytest.mark.parametrize(
        ("done", "following"),
        [
            (("layernorm",), "scaled-dot-product"),
            (("layernorm", "scaled-dot-product"), "linear-attention"),
            (("layernorm", "scaled-dot-product", "linear-attention", "multi-head-attention"), "head-split-merge"),
        ],
    )
    def test_is_the_same_kata_on_every_screen(
        self, kata: Callable[..., Done], journal: Journal, tmp_path: Path, done: tuple[str, ...], following: str
    ) -> None:
        """After a pass of layernorm: the verdict, the list, the status, `kata` alone, the key n of watch."""
        kata("start", "layernorm")
        passed(journal, *done)
        for arguments in (("list",), ("status",), ()):
            assert f"Next: kata start {following}\n" in kata(*arguments).out, arguments
        desk = Desk(Output(io.StringIO(), io.StringIO(), {}))
        target = Target(find_katas()["layernorm"], tmp_path / "layernorm.py", "layernorm.py")
        assert after_verdict(desk, target, samples.passing(), "")[1] == f"kata start {following}"
        watching = object.__new__(Watching)
        watching.desk, watching.target, watching._keys = desk, target, True
        assert watching._advice(samples.passing())[1] == f"n starts {following}"
        desk.close()

    def test_is_the_interview_while_one_runs(self, kata: Callable[..., Done], journal: Journal, tmp_path: Path) -> None:
        kata("start", "causal-mask")
        plan = Plan("screen", (RoundPlan(30, ("layernorm",)),), str(tmp_path), 7)
        log = SessionLog.begin(journal, SystemClock(), plan)
        log.add("start", "layernorm", {"written": True}, path=tmp_path / "layernorm.py", source=b"the stub")
        log.add("begin")
        said = kata()
        assert re.search(rf"^Interview {log.session.id} runs, (30:00|29:\d\d) left\.$", said.out, re.MULTILINE)
        for arguments in ((), ("list",), ("status",)):
            assert "Next: kata interview resume\n" in kata(*arguments).out, arguments
        log.add("finish")
        assert "nterview" not in kata().out

    def test_and_an_interview_that_runs_cost_no_import_of_torch(
        self, kata: Callable[..., Done], journal: Journal, tmp_path: Path
    ) -> None:
        log = SessionLog.begin(
            journal, SystemClock(), Plan("screen", (RoundPlan(30, ("layernorm",)),), str(tmp_path), 7)
        )
        log.add("begin")
        script = "import sys; from grader import cli; cli.run([]); print('torch' in sys.modules)"
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)
        assert "runs, " in done.stdout
        assert done.stdout.endswith("False\n")


class TestTab:
    def offered(self, line: str, **environ: str) -> list[str]:
        words = line.split(" ")
        variables = {"_KATA_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        script = "import sys; from grader import cli\ntry: cli.run([])\nfinally: print('torch' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": str(ROOT), **variables, **environ},
            capture_output=True,
            text=True,
        )
        *offers, torch = done.stdout.splitlines()
        assert (torch, done.stderr) == ("False", "")
        return offers

    @pytest.mark.parametrize("command", ["show", "start", "reset", "hint", "solution", "bench --kata"])
    def test_offers_katas_where_one_is_wanted(self, command: str) -> None:
        assert self.offered(f"kata {command} l") == ["plain,layernorm", "plain,linear-attention"]
        assert self.offered(f"kata {command} Scaled_d") == ["plain,scaled-dot-product"]

    @pytest.mark.parametrize("command", ["grade", "bench", "watch"])
    def test_offers_katas_and_files_where_a_file_is_wanted(
        self, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "layernorm_2.py").touch()
        assert self.offered(f"kata {command} lay") == ["plain,layernorm", "plain,layernorm_2.py"]
        assert self.offered(f"kata {command} ../x") == ["file,../x"]

    def test_knows_packs_and_says_nothing_of_broken_ones(self, tmp_path: Path) -> None:
        (tmp_path / "katas" / "my-kata").mkdir(parents=True)
        (tmp_path / "katas" / "my-kata" / "kata.toml").write_text("broken")
        assert self.offered("kata show my", KATA_PATH=f"{tmp_path}{os.pathsep}/nowhere") == ["plain,my-kata"]
        assert self.offered(f"kata --katas {tmp_path} show my") == ["plain,my-kata"]


class TestPoorTerminals:
    def run(self, *arguments: str, encoding: str) -> subprocess.CompletedProcess[bytes]:
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
        return subprocess.run([sys.executable, "-m", "grader.cli", *arguments], env=environ, capture_output=True)

    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
    def test_a_solution_in_a_pipe_is_the_file(self, encoding: str) -> None:
        done = self.run("solution", "layernorm", "--give-up", encoding=encoding)
        assert done.stdout == (ROOT / "reference" / "layernorm.py").read_bytes()

    def test_a_solution_on_a_terminal_has_stand_ins_for_signs(
        self, kata: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding="ascii")
        monkeypatch.setattr(stream, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdout", stream)
        assert cli.run(["solution", "layernorm", "--give-up"]) == 0
        shown = raw.getvalue().decode()
        assert "sqrt(sigma^2 + eps)" in shown
        assert "\\" not in shown

    def test_chinese_where_it_cannot_be_shown_is_refused_in_one_line(self) -> None:
        done = self.run("show", "layernorm", "--lang", "zh", encoding="ascii")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"needs UTF-8" in done.stderr
        assert self.run("show", "layernorm", encoding="ascii").returncode == 0
        assert self.run("show", "layernorm", "--lang", "zh", encoding="utf-8").returncode == 0


def test_a_reset_of_what_was_not_there_says_so(kata: Callable[..., Done]) -> None:
    first, second = kata("reset", "layernorm"), kata("reset", "layernorm")
    assert "There was no layernorm.py here" in first.err
    assert "There was no" not in second.err
    assert "Your file is kept as layernorm.py." in second.err


class TestExport:
    def test_does_not_flood_a_terminal(self, kata: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
        kata("start", "layernorm")
        piped = kata("export")
        assert (piped.code, piped.out.count("layernorm") > 0) == (0, True)
        monkeypatch.setattr("grader.output._is_terminal", lambda stream: True)
        refused = kata("export")
        assert (refused.code, refused.out) == (2, "")
        assert "kata export FILE, or kata export -" in refused.err
        assert kata("export", "-").out == piped.out


def _commands(group: click.Group, path: str = "kata") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")


COMMANDS = dict(_commands(cli.kata))


class TestHelp:
    @pytest.mark.parametrize("path", COMMANDS)
    def test_is_in_words_of_everybodys(self, path: str) -> None:
        command = COMMANDS[path]
        shown = command.get_help(click.Context(command, info_name=path))
        assert not re.search(r"RANGE|INTEGER|FLOAT|<=", shown), shown

    @pytest.mark.parametrize("path", COMMANDS)
    def test_tab_offers_something_for_every_kata(self, path: str) -> None:
        for parameter in COMMANDS[path].params:
            if parameter.name in ("kata", "file") and path.split()[1] in ("show", "start", "reset", "grade", "watch"):
                assert parameter._custom_shell_complete is not None, parameter.name

    @pytest.mark.parametrize(
        ("kind", "value", "said"),
        [
            (WholeRange(0, 9), "x", "'x' is not a whole number from 0 to 9."),
            (WholeRange(0, 9), "10", "'10' is not a whole number from 0 to 9."),
            (WholeRange(1), "0", "'0' is not a whole number of at least 1."),
            (FiniteRange(0.1, 600), "nan", "'nan' is not a number from 0.1 to 600."),
            (FiniteRange(0.1, 600), "1e9", "'1e9' is not a number from 0.1 to 600."),
        ],
    )
    def test_and_so_are_its_complaints_about_numbers(self, kind: click.ParamType, value: str, said: str) -> None:
        with pytest.raises(click.BadParameter) as caught:
            kind.convert(value, None, None)
        assert caught.value.message == said

    def test_numbers_within_are_taken(self) -> None:
        assert WholeRange(1).convert("7", None, None) == 7
        assert FiniteRange(0.1, 600).convert("0.1", None, None) == 0.1


@pytest.mark.parametrize("command", ["bench", "watch"])
def test_a_name_that_says_nothing_is_asked_for_by_the_same_command(kata: Callable[..., Done], command: str) -> None:
    Path("mine.py").write_text((ROOT / "reference" / "layernorm.py").read_text())
    done = kata(command, "mine.py")
    assert done.code == 2
    assert f"Next: kata {command} mine.py --kata layernorm\n" in done.err


def test_status_tells_where_no_progress_can_be_kept(kata: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    assert kata("status").err == ""
    assert not Path(os.environ["KATA_HOME"]).exists()  # asking changes nothing
    monkeypatch.setenv("KATA_HOME", os.devnull + "/nowhere")
    said = kata("status")
    assert (said.code, "no progress is kept" in said.err) == (0, True)
