"""Ctrl-C at any moment: `stopped`, 130, and nothing left behind; whoever cleans up behind itself gets its KeyboardInterrupt."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader import interrupt
from grader.desk import Desk
from grader.interview import session
from grader.output import Output

ROOT = Path(interrupt.__file__).parents[1]

# A torch in whose import somebody presses Ctrl-C, and which loses what a handler raises, as C++ and weak references do.
LOSES_EXCEPTIONS = """
import os, signal, sys
if not sys.flags.isolated:
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        pass
"""


class Process:
    """`kata` in a process of its own, with a folder for temporary files that nobody else uses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.path = str(ROOT)

    def lose_exceptions(self) -> None:
        (self.folder / "torch").mkdir()
        (self.folder / "torch" / "__init__.py").write_text(LOSES_EXCEPTIONS)
        self.path = f"{self.folder}{os.pathsep}{ROOT}"

    def start(self, *arguments: str, options: tuple[str, ...] = (), **streams: int) -> subprocess.Popen[bytes]:
        environ = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
        environ |= {"PYTHONPATH": self.path, "KATA_HOME": str(self.folder / "home"), "TMPDIR": str(self.temporary)}
        environ |= {"OMP_NUM_THREADS": "1", "TERM": "xterm"}
        command = [sys.executable, *options, "-m", "grader.entry", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **streams}
        return subprocess.Popen(command, cwd=self.folder, env=environ, **pipes)  # type: ignore[call-overload, no-any-return]

    def left(self) -> list[str]:
        return [path.name for path in self.temporary.iterdir()]


@pytest.fixture
def kata(tmp_path: Path) -> Process:
    (tmp_path / "layernorm.py").write_bytes((ROOT / "reference" / "layernorm.py").read_bytes())
    return Process(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ("grade", "layernorm.py"),
        ("grade", "layernorm.py", "--json"),
        ("bench", "layernorm.py"),
        ("demo",),
        ("doctor",),
        ("dev", "check", "layernorm"),
    ],
    ids=" ".join,
)
def test_an_import_that_loses_exceptions_does_not_lose_ctrl_c(kata: Process, arguments: tuple[str, ...]) -> None:
    kata.lose_exceptions()
    process = kata.start(*arguments)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"stopped\n")
    assert not kata.left()


def test_the_note_is_gone_from_the_terminal(kata: Process) -> None:
    kata.lose_exceptions()
    leader, follower = pty.openpty()
    process = kata.start("grade", "layernorm.py", stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b"".join(_read(leader)).decode()
    assert process.wait(60) == 130
    note = "checking layernorm.py…"
    before, _, after = shown.partition(note)
    assert (before, after.endswith("\rstopped\r\n")) == ("", True), shown
    assert after.count(" ") >= len(note)


@pytest.mark.parametrize(
    "module", ["grader.cli", "grader.host", "numpy", "torch._C", "torch", "hypothesis", "grader.oracle"]
)
def test_the_real_start_can_be_stopped_after_any_module(kata: Process, module: str) -> None:
    """-X importtime tells on stderr of every module, so a moment can be named without a clock."""
    with kata.start("grade", "layernorm.py", options=("-X", "importtime")) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stderr:
            text = line.decode()
            if not text.startswith("import time:"):
                said.append(text)
            elif text.rpartition("|")[2].strip() == module:
                process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b""
    assert (process.returncode, said) == (130, ["stopped\n"])
    assert not kata.left()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_neither_a_process_nor_a_folder_is_left_of_a_grade(kata: Process) -> None:
    (kata.folder / "layernorm.py").write_text("while True: pass\n")
    process = kata.start("grade", "layernorm.py")
    _wait_until(lambda: any(_descendants(zygote) for zygote in _descendants(process.pid)), process)
    started = [pid for zygote in _descendants(process.pid) for pid in (zygote, *_descendants(zygote))]
    assert kata.left()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"stopped\n")
    assert not kata.left()
    for pid in started:
        _wait_until(lambda pid=pid: not _lives(pid))


def test_the_handler_is_there_before_anything_else() -> None:
    """Not even a slow module of Python's comes before: until then Ctrl-C is a traceback."""
    code = (
        "import sys; before = set(sys.modules); import grader.entry, _signal\n"
        "assert _signal.getsignal(_signal.SIGINT) is grader.interrupt._end\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert [name for name in loaded if name.startswith("grader")] == ["grader", "grader.entry", "grader.interrupt"]
    assert {"enum", "signal", "typing", "contextlib", "re"}.isdisjoint(loaded)
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"kata": "grader.entry:main"}


def _run(code: str, cwd: Path) -> tuple[int, str, str]:
    script = (
        f"import os, signal\nfrom grader import interrupt\ndef press(): os.kill(os.getpid(), signal.SIGINT)\n{code}"
    )
    environ = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environ, cwd=cwd, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def test_what_was_put_down_is_undone_the_last_first_whatever_fails(tmp_path: Path) -> None:
    code = """
def say(text): os.write(1, text.encode())
interrupt.install()
interrupt.undo(lambda: say("first "))
interrupt.undo(lambda: 1 / 0)
gone = interrupt.undo(lambda: say("forgotten "))
interrupt.undo(lambda: say("last "))
interrupt.undo(press)
interrupt.forget(gone)
press()
"""
    assert _run(code, tmp_path) == (130, "last first ", "stopped\n")


def test_who_cleans_up_gets_an_exception_and_only_there(tmp_path: Path) -> None:
    code = """
interrupt.install()
try:
    with interrupt.raising(): press()
except KeyboardInterrupt:
    os.write(1, b"raised ")
press()
"""
    assert _run(code, tmp_path) == (130, "raised ", "stopped\n")


def test_a_process_that_was_told_to_ignore_it_goes_on_ignoring_it(tmp_path: Path) -> None:
    code = """
signal.signal(signal.SIGINT, signal.SIG_IGN)
interrupt.install()
with interrupt.raising(): press()
press()
os.write(1, b"done")
"""
    assert _run(code, tmp_path) == (0, "done", "")


@pytest.mark.parametrize(
    "arguments", [("start", "layernorm"), ("dev", "new", "my-kata"), ("export", "mine.jsonl")], ids=" ".join
)
def test_half_a_file_is_never_left(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """The file is whole, and Ctrl-C comes before it has its name."""
    here = tmp_path / "here"
    here.mkdir()
    code = f"""
import shutil
from pathlib import Path
os.environ["KATA_HOME"] = {str(tmp_path / "home")!r}
os.fsync = lambda descriptor: press()
Path.rename = lambda *_: press()
from grader import cli
interrupt.install()
raise SystemExit(cli.run({list(arguments)!r}))
"""
    assert _run(code, here) == (130, "", "stopped\n")
    assert [path for path in here.rglob("*") if path.is_file()] == []


def test_at_a_question_the_word_stands_on_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.StringIO):
        def readline(self, *_: object) -> str:
            raise KeyboardInterrupt

    said = io.StringIO()
    monkeypatch.setattr("termios.tcflush", lambda *_: None)
    monkeypatch.setattr("sys.stdin", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        session._agreed(Desk(Output(said, said, {})), "Begin? ")
    assert said.getvalue() == "Begin? \n"


def _read(leader: int) -> Iterator[bytes]:
    try:
        while chunk := os.read(leader, 65536):
            yield chunk
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(leader)


def _descendants(pid: int) -> list[int]:
    """The children of a process."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until(true: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    """As long as the test may take at all; a process that ends before is a failure."""
    deadline = time.monotonic() + 60
    while not true():
        assert process is None or process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
