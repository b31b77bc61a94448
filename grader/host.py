"""The zygote, seen from the trusted side: starts the clean process that workers are forked from, and ends it.

This comes first in a grade, so that the zygote imports torch while this process does: standard library only, and nothing
of what is said to a worker (`worker_process.py`).
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from grader import interrupt
from grader.errors import GraderError
from grader.worker import protocol
from grader.worker.version import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.worker_process import Worker

START_SECONDS = 120  # the first import of torch from a cold, slow disk

# Read from the user's environment, because GPU drivers and BLAS builds need them; nothing else passes.
PASSED_ON = ("LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "SYSTEMROOT")
# Which GPUs are in sight: what the user says where one is wanted, and none where not. Autograd starts a thread for every GPU
# that it sees, and after that no fork of the zygote could compute a gradient, on the CPU neither.
SIGHT = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
GPU_PASSED_ON = (*SIGHT, "CUDA_DEVICE_ORDER", "ROCR_VISIBLE_DEVICES", "HSA_OVERRIDE_GFX_VERSION")
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    # One thread: sandbox layers bind only the calling thread, and small tensors are slower on two.
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",  # whatever a file asks for by set_num_threads: threads that wait for work would be timed, too
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # No plugin for another device: it would be in sight of every worker.
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    # Keep large blocks instead of returning and re-faulting them: without this, timings vary by 2-3 times.
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
    "MALLOC_TOP_PAD_": "268435456",
}

# The grader comes from its very folder: another installation on the worker's path must not be imported in its stead.
_BOOT = (
    "import gc, os, sys; gc.disable(); sys.path.extend(p for p in sys.argv[2:] if p not in sys.path); "
    "from importlib import util; "
    "spec = util.spec_from_file_location('grader', os.path.join(sys.argv[-1], 'grader', '__init__.py')); "
    "sys.modules['grader'] = util.module_from_spec(spec); spec.loader.exec_module(sys.modules['grader']); "
    "from grader.worker.zygote import main; main(int(sys.argv[1]))"
)


class Zygote:
    """The process that workers are forked from. One is enough for a whole batch; workers with a GPU have one of their own."""

    def __init__(self, *, gpu: bool = False) -> None:
        paths = _import_paths()
        self._fingerprint = fingerprint()
        ours, theirs = socket.socketpair()
        environment = worker_environment(os.environ, gpu=gpu)
        self.spare: Worker | None = None  # kept ready for the next submission
        self._socket = ours
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", _BOOT, str(theirs.fileno()), *paths],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C in the terminal reaches the parent only
        )
        theirs.close()
        _forbid_inspection()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def fork(self, descriptors: list[int], folder: str, device: str, *, meta: bool, hidden: Sequence[str] = ()) -> int:
        """Fork a worker that owns `descriptors` (stream, arena, output, alarm) and return its pid.

        With `meta`, torch's support of the meta device is warmed up first, once for all later workers. `hidden` are
        folders that it must not read, besides the grader's own, which the zygote knows.
        """
        request = {"op": "fork", "folder": folder, "device": device, "meta": meta, "hidden": list(hidden)}
        body = protocol.encode(request)
        try:
            socket.send_fds(self._socket, [body], descriptors)
            reply = protocol.receive_before(self._socket, time.monotonic() + START_SECONDS)
            pid = int(reply["pid"])
        except (protocol.ProtocolError, protocol.DeadlineExceeded, OSError) as error:
            raise GraderError(
                f"the grader's worker process did not start: {self._complaint() or error}",
                "run `kata doctor`; if torch itself does not import, reinstall it",
            ) from error
        if reply.get("fingerprint") != self._fingerprint:
            raise GraderError("the grader was changed while it ran, so its two processes do not fit", "start it again")
        return pid

    def reap(self, pid: int) -> int:
        """The exit status of a killed worker: negative for a signal."""
        try:
            protocol.send(self._socket, {"op": "reap", "pid": pid})
            return int(protocol.receive_before(self._socket, time.monotonic() + 10)["exit"])
        except (protocol.ProtocolError, protocol.DeadlineExceeded, OSError):
            return 0

    def kill(self) -> None:
        """End the process; its workers are for `worker_process` to end."""
        self._process.kill()

    def close(self) -> None:
        if self.spare is not None:
            self.spare.close()
            self.spare = None
        self._socket.close()
        if self._process.stderr is not None:
            self._process.stderr.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _complaint(self) -> str:
        """The last line that the zygote wrote before it died, if it did."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        if self.alive or self._process.stderr is None:
            return ""
        lines = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else f"it ended with status {self._process.returncode}"


def worker_environment(user: Mapping[str, str], *, gpu: bool) -> dict[str, str]:
    """All that a zygote and its workers have for an environment."""
    passed = (*PASSED_ON, *GPU_PASSED_ON) if gpu else PASSED_ON
    hidden = {} if gpu else dict.fromkeys(SIGHT, protocol.NO_GPU)
    return ENVIRONMENT | hidden | {name: user[name] for name in passed if name in user}


def _forbid_inspection() -> None:
    """Make this process undumpable on Linux: no other process of the user may trace it or read its memory or environment."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def _import_paths() -> list[str]:
    """The folders that `import torch` and `import grader` need; `python -I` leaves out user site-packages."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        raise GraderError("torch is not installed here", "pip install torch")
    return [str(Path(torch.origin).parent.parent), str(Path(__file__).parent.parent)]


_zygotes: dict[bool, Zygote] = {}  # by whether a GPU is in their sight


def prestart(device: str = "cpu") -> Zygote:
    """Start the zygote for a device if none is alive, and return at once: it imports torch in the background."""
    gpu = device != "cpu"
    if gpu in _zygotes and not _zygotes[gpu].alive:
        _zygotes.pop(gpu).close()
    if gpu not in _zygotes:
        _zygotes[gpu] = Zygote(gpu=gpu)
    return _zygotes[gpu]


@interrupt.undo
def _kill() -> None:
    """At once, for one that imports torch would not notice for seconds that it is alone."""
    for zygote in _zygotes.values():
        zygote.kill()


@atexit.register
def shut_down() -> None:
    """End the zygotes and with them every worker."""
    while _zygotes:
        _zygotes.popitem()[1].close()
