"""Grading in a process of its own, so that a clock goes on while it runs: requests in, verdict documents out.

The helper keeps torch and the zygote warm between grades and ends by itself when its owner is gone, however that died.
Requests and answers are JSON, one a line; `GradeHelper` is the owner's side, `serve` the helper's. The owner imports no
torch. A helper that dies or is silent is a fault of ours: its answer becomes a grader-error.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from grader.catalog import Kata

PATIENCE = 180.0  # seconds for one grade; the examiner's own limits are far below

# -P: a folder `grader` or a `torch.py` beside the candidate's file must not be imported in the examiner's place.
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from grader.grade_helper import serve; serve()"
COMMAND = (sys.executable, "-P", "-c", _BOOT, str(Path(__file__).resolve().parent.parent))


@dataclass(frozen=True, slots=True)
class Request:
    """One grade. `tag` comes back with the answer."""

    tag: str
    kata: Kata
    source: bytes
    shown: str
    timing: bool = False  # examine speed, growth and memory too


@dataclass(frozen=True, slots=True)
class Answer:
    """`verdict` is the verdict's document, None where the helper failed; then `fault` says how."""

    request: Request
    seconds: float
    verdict: dict[str, Any] | None
    fault: str = ""


class GradeHelper:
    """The owner's side: grades one source after the other. Never blocks but in `wait`."""

    def __init__(self, command: Sequence[str] = ()) -> None:
        self._command = tuple(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: deque[Request] = deque()
        self._running: tuple[Request, float] | None = None
        self._buffer = bytearray()
        self._outgoing = bytearray()  # of the running request, what the pipe has not taken yet
        self.ready: dict[str, Any] | None = None  # once it is: {"isolation": level} or {"fault": what is wrong}

    @property
    def busy(self) -> Request | None:
        """What is graded now."""
        return None if self._running is None else self._running[0]

    @property
    def sending(self) -> bool:
        """Whether `poll` should be called soon again: the process takes its request only bit by bit."""
        return bool(self._outgoing)

    def fileno(self) -> int | None:
        """What becomes readable when an answer comes, for a `select`."""
        stream = None if self._process is None else self._process.stdout
        return None if stream is None else stream.fileno()

    def warm_up(self) -> None:
        """Start the process, and with it the import of torch, at once."""
        if self._process is None:
            self._process = subprocess.Popen(
                self._command or COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in the terminal is the owner's affair
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            for stream in (self._process.stdin, self._process.stdout):
                os.set_blocking(stream.fileno(), False)
            _widen(self._process.stdin.fileno())

    def submit(self, request: Request) -> None:
        """Grade it as soon as the ones before are done."""
        self._waiting.append(request)
        self._start_next()

    def cancel(self, tag: str) -> None:
        """Forget a request. If it is the one that runs, its process ends with it, and a new one is started."""
        self._waiting = deque(request for request in self._waiting if request.tag != tag)
        if self._running is not None and self._running[0].tag == tag:
            self.close()
            with contextlib.suppress(OSError):  # which the next request meets again
                self.warm_up()
        self._start_next()

    def poll(self) -> list[Answer]:
        """The answers that are there."""
        if self._process is None:
            return self._give_up("the process that grades cannot be started")
        answers = []
        self._send()
        gone = self._read()
        while (line := self._take_line()) is not None:
            answer = self._answer(line)
            if answer is not None:
                answers.append(answer)
        if gone:
            answers += self._give_up("the process that grades has died")
        elif self._running is not None and time.monotonic() - self._running[1] > PATIENCE:
            answers += self._give_up(f"no verdict came within {PATIENCE:g} s")
        self._start_next()
        return answers

    def wait(self, seconds: float | None = None) -> list[Answer]:
        """Wait until an answer is there, or for so many seconds. Returns at once where nothing is graded."""
        import select

        end = None if seconds is None else time.monotonic() + seconds
        while True:
            answers = self.poll()
            stream = self.fileno()
            left = 1.0 if end is None else min(1.0, end - time.monotonic())
            if answers or self._running is None or stream is None or left <= 0:
                return answers
            select.select([stream], self._sink(), [], left)

    def wait_until_ready(self, seconds: float) -> dict[str, Any]:
        """Start the process and wait until it can grade. Returns what it says of itself, or {"fault": why not}."""
        import select

        self.warm_up()
        end = time.monotonic() + seconds
        while self.ready is None and (left := end - time.monotonic()) > 0:
            stream = self.fileno()
            if stream is None:
                return {"fault": "the process that grades has died"}
            select.select([stream], [], [], min(1.0, left))
            self.poll()
        return self.ready or {"fault": f"the process that grades was not ready within {seconds:g} s"}

    def close(self) -> None:
        """End the process; what it grades is lost."""
        if self._process is not None:
            for stream in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            try:
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                self._process.terminate()
                try:
                    self._process.wait(2)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
            self._process = None
        self._running = None
        self._buffer.clear()
        self._outgoing.clear()

    def _start_next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        request = self._waiting.popleft()
        self._running = request, time.monotonic()
        message = {
            "tag": request.tag,
            "folder": str(request.kata.folder),
            "source": base64.b64encode(request.source).decode("ascii"),
            "shown": request.shown,
            "timing": request.timing,
        }
        try:
            self.warm_up()
        except OSError:
            return  # which the next poll finds out
        self._outgoing += json.dumps(message).encode() + b"\n"
        self._send()

    def _sink(self) -> list[int]:
        """What becomes writable when more of the request can be sent, for a `select`."""
        if not self._outgoing or self._process is None or self._process.stdin is None:
            return []
        return [self._process.stdin.fileno()]

    def _send(self) -> None:
        """Give the pipe what it takes. It may take nothing, from a process that is still loading torch, or stopped."""
        try:
            for sink in self._sink():
                while self._outgoing:
                    del self._outgoing[: os.write(sink, self._outgoing)]
        except BlockingIOError:
            pass
        except OSError:  # it is dead, which the next poll finds out
            self._outgoing.clear()

    def _read(self) -> bool:
        """Take what has come. True: nothing more will."""
        assert self._process is not None
        assert self._process.stdout is not None
        while True:
            try:
                chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            except BlockingIOError:
                return False
            except OSError:
                return True
            if not chunk:
                return True
            self._buffer += chunk

    def _take_line(self) -> bytes | None:
        line, end, rest = bytes(self._buffer).partition(b"\n")
        if not end:
            return None
        self._buffer = bytearray(rest)
        return line

    def _answer(self, line: bytes) -> Answer | None:
        message = json.loads(line)
        if message["tag"] == "ready":
            self.ready = message
            return None
        if self._running is None or message["tag"] != self._running[0].tag:
            return None
        request, since = self._running
        self._running = None
        return Answer(request, time.monotonic() - since, message["verdict"], message["fault"])

    def _give_up(self, fault: str) -> list[Answer]:
        running = self._running
        self.close()
        return [] if running is None else [Answer(running[0], time.monotonic() - running[1], None, fault)]


def _widen(pipe: int) -> None:
    """Let a pipe hold most files whole, where that can be had."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)


def serve() -> None:
    """The helper: answer requests until there are no more."""
    # What the examiner's libraries may print must not look like an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    from grader import conditions, host, worker_process

    ready: dict[str, Any] = {"tag": "ready"}
    try:
        host.prestart()
        conditions.load_libraries()
        ready["isolation"] = worker_process.measure_isolation().level
    except Exception as error:
        ready["fault"] = f"{type(error).__name__}: {error}"
    if not _sent(answers, ready):
        os._exit(0)
    gc.disable()  # it rests while somebody waits for a verdict: it costs a tenth of one
    for line in sys.stdin.buffer:
        message = json.loads(line)
        answer: dict[str, Any] = {"tag": message["tag"], "verdict": None, "fault": ""}
        try:
            answer["verdict"] = _graded(message)
        except Exception as error:  # told to the owner, whose session goes on
            answer["fault"] = f"{type(error).__name__}: {error}"
        if not _sent(answers, answer):
            break
        gc.collect()
        with contextlib.suppress(Exception):  # what is wrong will be told where somebody needs a worker
            worker_process.keep_ready()
    host.shut_down()
    os._exit(0)  # taking torch apart takes longer than it is worth


def _sent(stream: BinaryIO, answer: dict[str, Any]) -> bool:
    try:
        stream.write(json.dumps(answer).encode() + b"\n")
        stream.flush()
    except OSError:
        return False
    return True


def _graded(message: dict[str, Any]) -> dict[str, Any]:
    from grader import examiner
    from grader.catalog import load_kata
    from grader.render.jsonout import verdict_document

    kata = load_kata(Path(message["folder"]))
    with tempfile.TemporaryDirectory(prefix="kata-") as folder:
        path = Path(folder, kata.file_name)
        path.write_bytes(base64.b64decode(message["source"]))
        return verdict_document(examiner.grade(kata, path, shown_path=message["shown"], timing=message["timing"]))
