"""One submission's process, seen from the trusted side: asks it under a deadline, reads its answers' form, kills it.

What an answer says is judged elsewhere. No torch at the top: a worker can be asked for before this process has imported it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import struct
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import interrupt
from grader.errors import GraderError, WorkerLost
from grader.host import START_SECONDS, prestart
from grader.reply import Reply, read_reply
from grader.verdict import Isolation
from grader.worker import protocol

if TYPE_CHECKING:
    from grader.host import Zygote
    from grader.worker.arena import Arena

CALL_SECONDS = 10
NOTABLE_SECONDS = 0.05  # a call that takes as long is why a grade runs out of time


class Worker:
    """One submission's process: its stream, arena, captured output and private folder."""

    grade_seconds = 0.0  # from the start to the deadline, where that is the whole grade's
    _calls = 0

    def __init__(self, source: bytes, *, device: str = "cpu", meta: bool = False) -> None:
        from grader.worker.arena import Arena, create_file

        zygote = prestart(device)
        spare = _take_spare(zygote, device, meta)
        if spare is not None:
            vars(self).update(vars(spare))
            self._write(source)
            return
        self.device, self.meta, self.hidden = device, meta, _hidden_folders()
        self.folder = tempfile.mkdtemp(prefix="kata-")
        _open[self.folder] = 0
        self.path = str(Path(self.folder, "submission.py"))
        if os.geteuid() == 0:  # the worker will be nobody
            os.chmod(self.folder, 0o755)
        self._write(source)
        self._zygote = zygote
        self._pid = 0
        self._closed = False
        arena_fd = create_file()
        self._stream, theirs = socket.socketpair()
        # A worker that reads nothing must not hold us.
        self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", max(1, int(CALL_SECONDS)), 0))
        read_end, write_end = os.pipe()
        self.output = protocol.Output(read_end)
        alarm, their_alarm = socket.socketpair()  # unlike a pipe, it cannot be opened again from the other end
        self._alarm = protocol.Output(alarm.detach())
        self.grade_deadline = float("inf")
        try:
            descriptors = [theirs.fileno(), arena_fd, write_end, their_alarm.fileno()]
            self._pid = _open[self.folder] = zygote.fork(
                descriptors, self.folder, device, meta=meta, hidden=self.hidden
            )
            self.arena: Arena = Arena(arena_fd)
        except BaseException:
            self.close()
            raise
        finally:
            theirs.close()
            os.close(arena_fd)
            os.close(write_end)
            their_alarm.close()
        try:
            hello = self._receive(START_SECONDS)
        except WorkerLost as lost:
            raise GraderError(f"the worker did not start: {lost.message}", "run `kata doctor`") from None
        if "fault" in hello:
            self.close()
            raise GraderError(f"the {device} device cannot be used: {hello['fault']}", "grade with --device cpu")
        self.device_name = str(hello.get("device", ""))  # told before any file was loaded
        self.isolation = Isolation(str(hello["level"]), tuple(hello["layers"]), tuple(hello["missing"]))

    def _write(self, source: bytes) -> None:
        Path(self.path).write_bytes(source)
        if os.geteuid() == 0:
            os.chmod(self.path, 0o644)

    @property
    def waits(self) -> bool:
        """Whether it lives, and has said nothing that it was not asked for."""
        try:
            self._stream.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except ConnectionError:
            pass
        return False

    @property
    def pid(self) -> int:
        """Of the process, whose clocks may be read from outside; 0 when it is gone."""
        return self._pid

    def request(self, message: dict[str, Any], *, seconds: float | None = None) -> Reply:
        """Send one request and wait for its answer, CALL_SECONDS by default. Raises WorkerLost on silence, death, nonsense."""
        seconds = CALL_SECONDS if seconds is None else seconds
        if self._pid == 0:
            raise WorkerLost("crash", "the worker is no longer running")
        rest = self.grade_deadline - time.monotonic()
        if rest <= 0:
            self.close()
            raise self._out_of_time()
        self._check_silence()
        try:
            protocol.send(self._stream, message)
        except OSError:
            raise self._died() from None
        except protocol.ProtocolError as error:  # it holds what an earlier answer has said, such as names of parameters
            raise self.distrust(f"what it said before cannot be passed on: {error}") from None
        self._calls += message["op"] == "call"
        fields = self._receive(min(seconds, rest), whole_grade=rest < seconds)
        try:
            return read_reply(message["op"], fields)
        except ValueError as error:
            raise self.distrust(str(error)) from None

    def _check_silence(self) -> None:
        """Nothing may lie in the stream before a request: an honest worker answers once, and only when asked."""
        try:
            early = self._stream.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except ConnectionError:
            early = b""
        raise self.distrust("it came before the question") if early else self._died()

    def alarms(self) -> list[str]:
        """The forbidden operators that the dispatcher has reported so far; a name of none means that the alarm was touched."""
        if not self._closed:
            self._alarm.drain()
        *names, rest = self._alarm.kept.decode("ascii", errors="replace").split("\n")
        return sorted({*names, "" if self._alarm.truncated and names else rest} - {""})

    def forget_alarms(self) -> None:
        """Start again: what a file calls while it is imported, before any input is known, is no call of the graded code."""
        self._alarm.drain()
        self._alarm.kept.clear()
        self._alarm.truncated = False

    def _receive(self, seconds: float, *, whole_grade: bool = False) -> dict[str, Any]:
        try:
            return protocol.receive_before(self._stream, time.monotonic() + seconds, self.output)
        except protocol.DeadlineExceeded:
            line = self._ask_where()
            self.close()
            if whole_grade:
                raise self._out_of_time(line) from None
            where = "" if line is None else f" in line {line}"
            raise WorkerLost("timeout", f"no answer within {seconds:g} s: the call was stopped{where}", line) from None
        except protocol.ProtocolError as error:
            raise (self._died() if error.closed else self.distrust(str(error))) from None

    def _ask_where(self) -> int | None:
        """The line of its file that a worker that does not answer says it is in. It is killed next, whatever it says."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self._pid, protocol.WHERE)
            return protocol.receive_where(self._stream, self.path)
        return None

    def _out_of_time(self, line: int | None = None) -> WorkerLost:
        told = "the time limit of the whole grade was reached"
        if self.grade_seconds:
            told += f" ({self.grade_seconds:g} s"
            each = self.grade_seconds / max(1, self._calls)
            told += f"; each call of your code takes about {each:.2g} s)" if each >= NOTABLE_SECONDS else ")"
        return WorkerLost("time-limit", told, line)

    def _died(self) -> WorkerLost:
        return WorkerLost("crash", _describe_death(self.close()))

    def distrust(self, what: str) -> WorkerLost:
        """Kill the worker because of an answer that cannot be an honest one, and return the error to raise."""
        self.close()
        return WorkerLost("protocol", f"the worker's answer was not understood ({what})")

    def close(self) -> int:
        """Kill the worker with its process group, collect the rest of its output, remove its folder."""
        status = 0
        if self._pid:
            _kill(self._pid)
            status = self._zygote.reap(self._pid)
            self._pid = 0
        if not self._closed:
            self._closed = True
            for pipe in (self.output, self._alarm):
                pipe.drain()
                os.close(pipe.fd)
            self._stream.close()
            if hasattr(self, "arena"):  # not where the worker never started
                self.arena.empty()
            shutil.rmtree(self.folder, ignore_errors=True)
            _open.pop(self.folder, None)
        return status

    def final_output(self) -> tuple[str, bool]:
        """End the worker: what the code printed, and whether that was more than is kept."""
        self.close()
        return bytes(self.output.kept).decode("utf-8", errors="replace"), self.output.truncated

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_open: dict[str, int] = {}  # the folder and the process of every worker; 0 where it is not forked yet


def _kill(pid: int) -> None:
    """A worker and whatever it has started."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


@interrupt.undo
def _leave_nothing() -> None:
    """No worker and no folder outlives a process that Ctrl-C ends."""
    for folder, pid in list(_open.items()):
        if pid:
            _kill(pid)
        shutil.rmtree(folder, ignore_errors=True)


_newest = ("cpu", False)  # device and meta of the last worker that was asked for


def keep_ready() -> None:
    """Start a worker like the last one, while nobody waits: the next `Worker` of its kind takes it over.

    It has seen nothing but what every worker has: the zygote, and an empty folder.
    """
    device, meta = _newest
    zygote = prestart(device)
    if zygote.spare is None:
        zygote.spare = Worker(b"", device=device, meta=meta)


def _take_spare(zygote: Zygote, device: str, meta: bool) -> Worker | None:
    """The worker that is kept ready, if it is of this kind and still lives."""
    global _newest
    _newest = device, meta or _newest[1]  # once torch's meta device is warm, every worker may have it
    spare, zygote.spare = zygote.spare, None
    if spare is None:
        return None
    fits = spare.device == device and spare.meta >= meta and set(spare.hidden) >= set(_hidden_folders())
    if fits and spare.waits:
        return spare
    spare.close()
    return None


def _hidden_folders() -> tuple[str, ...]:
    """What no candidate may read wherever it lies: katas and references that this process knows, and the journal."""
    from grader.catalog import answer_folders
    from grader.journal.file import home

    return tuple(str(folder) for folder in (*answer_folders(), home()))


def measure_isolation() -> Isolation:
    """The isolation that a worker reaches here: a worker is started for it, not a guess made."""
    with Worker(b"") as worker:
        return worker.isolation


def name_device(device: str) -> str:
    """What the driver calls the device, as a worker that has it tells; nothing of the CPU."""
    if device == "cpu":
        return ""
    with Worker(b"", device=device) as worker:
        return worker.device_name


def _describe_death(status: int) -> str:
    if status == protocol.DEVICE_LOST:
        return "the GPU stopped at an error inside a kernel of the code: often an index out of range"
    if status >= 0:
        return f"the code ended its own process (exit code {status})"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    reasons = {
        "SIGSEGV": "an invalid memory access; often endless recursion in C code",
        "SIGABRT": "an abort inside a library",
        "SIGXCPU": "the limit on processor time",
        "SIGKILL": "killed, probably out of memory",
        "SIGBUS": "an invalid memory access",
        "SIGFPE": "an arithmetic fault",
    }
    reason = reasons.get(name)
    return f"the process died of {name}" + (f" ({reason})" if reason else "")
