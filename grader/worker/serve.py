"""The worker's loop: load the candidate's file, construct, call, differentiate, and say where the results lie.

Whatever is said here is a claim of an untrusted process: the parent checks every byte. This module knows nothing of
what a right answer is.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch

from grader.worker import alarm, protocol, timed
from grader.worker.arena import SIZE, Arena, Slot, align, close_descriptors, dtype_name
from grader.worker.device import Device, open_device, see_one_gpu
from grader.worker.limits import Sandbox
from grader.worker.load import (
    describe_exception,
    find_entries,
    load_submission,
    parse_submission,
    show_each_warning_once,
)
from grader.worker.recorder import Recorder
from grader.worker.replay import replay
from grader.worker.trace import trace

RESULTS_KEPT = 8


class _Given(torch.autograd.Function):
    """A number whose backward pass hands the output a gradient as it is: others may hold it, and its strides are its own.

    autograd.grad(grad_outputs=...) would do that too, but imports sympy (0.2 s).
    """

    @staticmethod
    def forward(ctx: Any, output: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        ctx.gradient = gradient
        return output.new_zeros(())

    @staticmethod
    def backward(ctx: Any, one: torch.Tensor) -> tuple[torch.Tensor, None]:
        return ctx.gradient, None


def warm_up() -> None:
    """Run the recorder once: its first use fills caches."""
    recorder = Recorder(["aten::none"])
    x = torch.ones(2, 3, requires_grad=True)
    recorder.count([x])
    with recorder.watch(profile=True):
        torch.autograd.grad(_Given.apply(x * x, torch.ones(2, 3)), x)  # type: ignore[no-untyped-call]


def run(stream: socket.socket, arena_fd: int, alarm_fd: int, folder: str, device: str, sandbox: Sandbox) -> None:
    """Give up all rights that are not needed, then serve requests until the parent closes the stream."""
    if device == "cuda":
        see_one_gpu(os.environ)  # before anything can ask the driver
    isolation = sandbox.apply(folder, device)
    os.chdir(folder)
    os.environ.update(HOME=folder, TMPDIR=folder, TORCHINDUCTOR_CACHE_DIR=folder)
    tempfile.tempdir = folder  # not to be written to; but asking for it must not fail
    arena = Arena(arena_fd)
    close_descriptors(arena_fd)
    try:
        opened = open_device(device)
    except Exception as error:  # no file has been loaded: whatever it is, it is nobody's but the system's
        protocol.send(stream, isolation | {"fault": f"{type(error).__name__}: {error}".splitlines()[0][:300]})
        return
    torch.manual_seed(0)
    show_each_warning_once(os.path.join(folder, "submission.py"))
    session = Session(arena, alarm_fd, opened)
    # Asked at the deadline, just before the end: raw text after which the parent reads no answer of ours any more.
    faulthandler.register(protocol.WHERE, file=stream.fileno(), all_threads=False)
    protocol.send(stream, isolation | {"device": opened.name})
    while True:
        try:
            request = protocol.receive(stream)
        except protocol.ProtocolError:
            return
        reply = session.answer(request)
        lost = "error" in reply and not session.device.works()
        if lost:
            print(f"{reply['error']['type']}: {reply['error']['message']}", file=sys.stderr)
        for output in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                output.flush()
        if lost:
            os._exit(protocol.DEVICE_LOST)
        protocol.send(stream, reply)


class TooLarge(Exception):
    """A result does not fit into the arena."""


class Session:
    """The state of one worker: the loaded entry symbols, live modules, kept results."""

    def __init__(self, arena: Arena, alarm_fd: int, device: Device) -> None:
        self.arena = arena
        self.alarm_fd = alarm_fd
        self.device = device
        self.entries: dict[str, Any] = {}
        self.modules: dict[int, torch.nn.Module] = {}
        self.results: dict[int, torch.Tensor] = {}
        self.recorder = Recorder([])
        self.plans: dict[str, timed.Plan] = {}
        self.path = ""
        self._operations: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "parse": self.parse,
            "load": self.load,
            "construct": self.construct,
            "call": self.call,
            "reread": self.reread,
            "load-also": lambda request: timed.load_also(self, request),
            "plan": lambda request: timed.plan(self, request),
            "repeat": lambda request: timed.repeat(self, request),
            "carry": lambda request: timed.carry(self, request),
            "fetch": lambda request: timed.fetch(self, request),
            "trace": lambda request: trace(self, request),
            "replay": lambda request: replay(self, request),
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.recorder.reset()
        try:
            reply = self._operations[request["op"]](request)
        except TooLarge as error:
            reply = {"error": {"type": "ResultTooLarge", "message": str(error), "frames": [], "value_error": False}}
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: they are the candidate's doing
            reply = {"error": describe_exception(error, self.path)}
        reply["forbidden"] = self.recorder.hits[:20]
        return reply

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        return parse_submission(request["path"], request["forbidden"])

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        self.path = request["path"]
        self.recorder = Recorder(request["forbidden"], self.path)
        alarm.install(request["forbidden"], self.alarm_fd)
        namespace = load_submission(self.path)
        self.entries, found = find_entries(namespace, request["entries"])
        return {"entries": found}

    def construct(self, request: dict[str, Any]) -> dict[str, Any]:
        with self.recorder.watch():
            module = self.entries[request["entry"]](*request["args"])
        if not isinstance(module, torch.nn.Module):
            return {"module": False, "type": type(module).__name__}
        module = module.to(device=self.device.where, dtype=getattr(torch, request["dtype"])).eval()
        named = dict(module.named_parameters())
        headers = self._write([p.detach() for p in named.values()], request["output_at"])
        while len(self.modules) >= protocol.MODULES_KEPT:
            del self.modules[next(iter(self.modules))]
        self.modules[request["handle"]] = module
        parameters = [
            {"name": name, "requires_grad": p.requires_grad, "tensor": header}
            for (name, p), header in zip(named.items(), headers, strict=True)
        ]
        return {"module": True, "parameters": parameters}

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        slots = [Slot.from_json(raw) for raw in request["slots"]]
        views = [self.arena.view(slot) for slot in slots]
        tensors = [self.device.carry(view) for view in views]
        memory = self.device.memory_of(tensors)
        for index in request["leaves"]:
            tensors[index].requires_grad_()
        args = [tensors[a["slot"]] if "slot" in a else a["value"] for a in request["args"]]
        function, parameters = self._callee(request)
        if request["count"]:
            self.recorder.count([*tensors, *parameters.values()], exactly=True)
        with self.recorder.watch(profile=request["profile"]), _grad_mode(request["no_grad"]):
            output = function(*args)
        reply: dict[str, Any] = {"type": type(output).__name__, "output": None, "gradients": None}
        reply["inputs"] = [[list(t.shape), list(t.stride())] for t in tensors]
        if isinstance(output, torch.Tensor):
            with torch.no_grad():
                self._keep(request["keep"] if request["then"] is None else None, output)
                reply |= self._describe_output(output, tensors, request["output_at"])
            if request["cotangent"] is not None:
                wrt = [tensors[i] for i in request["leaves"]] + [parameters[n] for n in request["parameters"]]
                after_output = _end(output, request["output_at"])
                reply |= self._differentiate(output, wrt, request, after_output)
            if request["then"] is not None:
                reply |= self._call_again(function, tensors, parameters, request, _end(output, request["output_at"]))
        self.device.bring_back(views, memory)
        reply["counts"] = self.recorder.counts()
        return reply

    def _call_again(
        self,
        function: Callable[..., Any],
        tensors: list[torch.Tensor],
        parameters: dict[str, torch.nn.Parameter],
        request: dict[str, Any],
        at: int,
    ) -> dict[str, Any]:
        """Write other contents into the same tensors, call again without setting the parameters, and look at those."""
        then = request["then"]
        with torch.no_grad():
            again = [self._reuse(tensors, raw, into) for raw, into in then["slots"]]
        args = [again[a["slot"]] if "slot" in a else a["value"] for a in then["args"]]
        with self.recorder.watch(), _grad_mode(request["no_grad"]):
            output = function(*args)
        reply: dict[str, Any] = {"type": type(output).__name__, "output": None}
        with torch.no_grad():
            if isinstance(output, torch.Tensor):
                self._keep(request["keep"], output)
                reply |= self._describe_output(output, again, at)
                at = _end(output, at)
            now = dict(function.named_parameters()) if isinstance(function, torch.nn.Module) else {}
            names = [name for name, _ in request["set"]]
            same = {name: now[name].detach() for name in names if now.get(name) is parameters[name]}
            headers = dict(zip(same, self._write(list(same.values()), at), strict=True))
        return {"then": reply, "parameters": [headers.get(name) for name in names]}

    def _reuse(self, tensors: list[torch.Tensor], raw: list[Any], into: int | None) -> torch.Tensor:
        """The contents in an object of the first call; in a new one where there is none, or the call has changed its shape."""
        content = self.device.carry(self.arena.view(Slot.from_json(raw)))
        if into is None or tensors[into].shape != content.shape:
            return content
        return tensors[into].copy_(content)

    def reread(self, request: dict[str, Any]) -> dict[str, Any]:
        """Write an earlier result again: a result that a later call has overwritten now reads differently."""
        return {"output": self._write([self.results[request["keep"]].detach()], request["output_at"])[0]}

    def _callee(self, request: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, torch.nn.Parameter]]:
        if request["handle"] is None:
            return self.entries[request["entry"]], {}
        module = self.modules[request["handle"]]
        parameters = dict(module.named_parameters())
        with torch.no_grad():
            for name, raw in request["set"]:
                parameters[name].copy_(self.arena.view(Slot.from_json(raw)))
        return module, parameters

    def _keep(self, key: int | None, output: torch.Tensor) -> None:
        if key is not None:
            while len(self.results) >= RESULTS_KEPT:
                del self.results[next(iter(self.results))]
            self.results[key] = output

    def _describe_output(self, output: torch.Tensor, inputs: list[torch.Tensor], at: int) -> dict[str, Any]:
        storages = {t.untyped_storage().data_ptr() for t in inputs if t.numel()}
        shares = output.device == self.device.where and output.numel() > 0 and output.layout == torch.strided
        return {
            "output": self._write([output.detach()], at)[0],
            "requires_grad": output.requires_grad,
            "shares_storage": shares and output.untyped_storage().data_ptr() in storages,
        }

    def _differentiate(
        self, output: torch.Tensor, wrt: list[torch.Tensor], request: dict[str, Any], at: int
    ) -> dict[str, Any]:
        """Vector-Jacobian products, None for what receives no gradient; and the form of the cotangent afterwards."""
        slot = Slot.from_json(request["cotangent"])
        view = self.arena.view(slot)
        cotangent = self.device.carry(view)
        memory = self.device.memory_of([cotangent])
        if not output.requires_grad or output.shape != cotangent.shape:
            return {"gradients": [None] * len(wrt), "cotangent": [list(slot.shape), list(slot.stride)]}
        product = _Given.apply(output, cotangent)  # type: ignore[no-untyped-call]
        if request["count"]:
            self.recorder.count([cotangent], exactly=True)
        with self.recorder.watch(profile=request["profile"], backward=True):
            gradients = torch.autograd.grad(product, wrt, allow_unused=True)
        form = [list(cotangent.shape), list(cotangent.stride())]
        present = iter(self._write([g.detach() for g in gradients if g is not None], at))
        self.device.bring_back([view], memory)
        return {"gradients": [None if g is None else next(present) for g in gradients], "cotangent": form}

    def _write(self, tensors: list[torch.Tensor], at: int) -> list[dict[str, Any]]:
        """Copy tensors into the arena from `at` on and return their headers."""
        headers = []
        for tensor in tensors:
            dtype = dtype_name(tensor.dtype)
            header = {"dtype": dtype, "shape": list(tensor.shape), "offset": at, "device": tensor.device.type}
            if dtype not in protocol.DTYPES or tensor.dim() > protocol.MAX_DIMENSIONS:
                raise TooLarge(f"a tensor of dtype {dtype} and {tensor.dim()} dimensions cannot be returned")
            if tensor.device.type != "meta":
                if at + tensor.numel() * tensor.element_size() > SIZE:
                    raise TooLarge(f"a result of shape {tuple(tensor.shape)} does not fit into {SIZE >> 20} MiB")
                dense = tensor if tensor.layout == torch.strided else tensor.to_dense()
                slot = self.arena.write(dense.resolve_conj().resolve_neg(), at, contiguous=True)
                at = align(at + slot.nbytes)
            headers.append(header)
        return headers


def _end(tensor: torch.Tensor, at: int) -> int:
    """Where the next tensor may lie when this one is written at `at`."""
    return align(at + tensor.numel() * tensor.element_size())


@contextlib.contextmanager
def _grad_mode(no_grad: bool) -> Iterator[None]:
    with torch.set_grad_enabled(not no_grad):
        yield
