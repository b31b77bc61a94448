"""The zygote: a clean process that imports torch once and forks one worker per submission.

Started as `python -I` with a minimal environment and one thread. It never sees a reference, a property or a seed, never
loads a candidate's file itself and never touches a GPU: a fork from a process that has is broken. Where one is in sight a
backward pass would (autograd starts a thread for it, and works in no fork any more), and so would the profiler. It speaks with
the parent over one stream socket: "fork" (with four descriptors), "reap". When the parent goes away, it ends, and its workers
with it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import socket
import sys
from typing import NoReturn

import torch

from grader.worker import protocol, serve
from grader.worker.device import VISIBLE
from grader.worker.limits import Sandbox, list_content
from grader.worker.version import fingerprint


def main(fd: int) -> NoReturn:
    """Serve the parent until it closes the socket."""
    parent = socket.socket(fileno=fd)
    code = fingerprint()
    _warm_up(only_forward=_may_see_a_gpu())
    sandbox = Sandbox(_hide_grader())
    _freeze()
    gc.enable()  # it rested during the imports
    workers: dict[int, str] = {}  # their folders
    meta_ready = False
    while True:
        header, descriptors, _, _ = socket.recv_fds(parent, protocol.LENGTH.size, 4)
        if not header:
            break
        (length,) = protocol.LENGTH.unpack(header)
        request = protocol.decode(parent.recv(length, socket.MSG_WAITALL))
        if request["op"] == "fork":
            if request["meta"] and not meta_ready:
                torch.ones(2, 2, device="meta", dtype=torch.bool).tril()  # imports half of sympy: 1 s
                meta_ready = True
                _freeze()
            pid = os.fork()
            if pid == 0:
                parent.close()
                _become_worker(request, descriptors, sandbox)
            workers[pid] = str(request["folder"])
            for descriptor in descriptors:
                os.close(descriptor)
            protocol.send(parent, {"pid": pid, "fingerprint": code})
        elif request["op"] == "reap" and request["pid"] in workers:
            # The parent has killed it already, so this does not block.
            _, status = os.waitpid(request["pid"], 0)
            del workers[request["pid"]]
            protocol.send(parent, {"exit": os.waitstatus_to_exitcode(status)})
    for pid, folder in workers.items():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)  # a parent that was killed could not
    os._exit(0)  # taking torch apart would keep the parent waiting


def _may_see_a_gpu() -> bool:
    """Told from how torch was built and from the environment: asking a driver would open it."""
    if torch.backends.mps.is_built() or getattr(torch.version, "xpu", None):
        return True  # nothing hides these
    return bool(torch.version.cuda or torch.version.hip) and os.environ.get(VISIBLE) != protocol.NO_GPU


def _warm_up(*, only_forward: bool) -> None:
    """Import and run once what every grade needs, so that no worker pays for it, as far as forks survive it."""
    torch.set_num_threads(1)
    x = torch.ones(2, 3, requires_grad=True)
    number = (x.softmax(-1) @ x.T * torch.ones(2, 2)).sum()
    if not only_forward:
        number.backward()  # type: ignore[no-untyped-call]
        serve.warm_up()


def _freeze() -> None:
    """What is there now is no worker's garbage: a collection in a worker need not look at it, nor copy its pages."""
    gc.collect()
    gc.freeze()


def _hide_grader() -> list[str]:
    """Take the grader off the import path, and return the folders that no candidate may read."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Every copy of them that the import path leads to: a checkout, a wheel, what an editable install left in site-packages.
    roots = [os.path.dirname(package), *sys.path]
    hidden = [package, *list_content(roots)]
    sys.path[:] = [p for p in sys.path if p and not (os.path.isdir(os.path.join(p, "katas")))]
    for name in [n for n in sys.modules if n == "grader" or n.startswith("grader.")]:
        del sys.modules[name]
    return hidden


def _become_worker(request: dict[str, object], descriptors: list[int], sandbox: Sandbox) -> NoReturn:
    from_parent, arena, output, alarm = descriptors
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(null)
        os.close(output)
        stream = socket.socket(fileno=from_parent)
        hidden = request["hidden"]
        assert isinstance(hidden, list)
        sandbox.hide(hidden)
        serve.run(stream, arena, alarm, str(request["folder"]), str(request["device"]), sandbox)
    finally:
        os._exit(0)
