"""The proxy that properties call: every call goes to the worker and comes back as plain tensors, checked on arrival.

Nothing here judges whether an answer is right; it only makes sure that what came back is an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from grader.case import Case, FoundParameter, Placement
from grader.failure import PropertyFailed, RoleError, counterexample, fail
from grader.verdict import CandidateException, ForbiddenCall, Frame, GradientRow
from grader.worker.arena import Slot, align
from grader.worker.meter import SHAPES_KEPT, TOTALS
from grader.worker.protocol import MODULES_KEPT, ProtocolError, TensorHeader, read_line_number, read_text
from grader.worker_process import Reply, Worker

Mode = Literal["plain", "track", "no_grad"]

PROFILED = 8  # every eighth call is watched by the profiler too, which costs 0.7 ms

POISONED = 1 << 16  # bytes of the output region that are poisoned before every call


@dataclass(frozen=True, slots=True)
class Counts:
    """What the meter counted in one call (forward, and backward where a cotangent was given)."""

    operators: int  # how many were called
    work: int  # elements read and written by all operators
    own: int  # without what autograd's engine does in the backward pass
    flops: int  # of matrix products, convolutions and fused attention
    largest: int  # elements of the largest tensor made
    peak: int  # bytes alive at the worst moment
    shapes: tuple[tuple[tuple[int, ...], int], ...] = ()  # of the largest tensors made, and their bytes

    @classmethod
    def parse(cls, raw: Any) -> Counts | None:
        """From the worker's words, None where they are none."""
        if not isinstance(raw, dict) or not all(type(raw.get(n)) is int and raw[n] >= 0 for n in TOTALS):
            return None
        shapes = raw.get("shapes")
        if not isinstance(shapes, list):
            return None
        told = []
        for shape in shapes[:SHAPES_KEPT]:
            match shape:
                case [[*sizes], int(nbytes)] if all(type(n) is int and 0 <= n < 1 << 62 for n in (*sizes, nbytes)):
                    told.append((tuple(sizes), nbytes))
                case _:
                    return None
        return cls(shapes=tuple(told), **{name: raw[name] for name in TOTALS})


@dataclass(frozen=True, slots=True)
class Module:
    """A live module in the worker, and where each role's tensor lies in it."""

    handle: int
    placements: Mapping[str, Placement]
    trainable: frozenset[str]  # names of parameters that require a gradient


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the candidate: private copies on the CPU."""

    output: Tensor
    gradients: dict[str, Tensor | None]
    device: str
    mutated: tuple[str, ...]  # arguments whose content, shape or strides changed
    shares_storage: bool  # the worker's claim that the output is a view of an input
    requires_grad: bool
    counts: Counts | None
    kept: int | None = None


class Candidate:
    """The submission under examination. Calling it with a case runs the case in the worker."""

    def __init__(self, worker: Worker, source: str, *, device: str) -> None:
        self.worker = worker
        self.device = device
        self.calls = 0
        self.forbidden: dict[tuple[str, int | None], ForbiddenCall] = {}
        self.gradient_rows: dict[str, GradientRow] = {}
        self._last_case: Case | None = None
        self._lines = source.splitlines()
        self._handles = 0
        self._modules: dict[tuple[Any, ...], Module] = {}  # by entry, constructor arguments and dtype
        self._floor = 0  # arena bytes below this belong to kept calls

    def __call__(
        self,
        case: Case,
        *,
        cotangent: Tensor | None = None,
        mode: Mode = "plain",
        keep: bool = False,
        count: bool = False,
        module: Module | None = None,
    ) -> Answer:
        """Run `case`. Raises PropertyFailed where the candidate raises or returns no tensor, WorkerLost where it dies.

        Args:
            cotangent: the vector of the vector-Jacobian product; without it no gradient is computed.
            mode: "track" makes the differentiable inputs require a gradient (they do wherever a cotangent is given);
                "no_grad" calls under `torch.no_grad()`.
            keep: keep the result and the inputs, so that `reread` can look at the result again.
            count: count work and memory.
            module: one from `construct`; by default one that was constructed with the same arguments before, if any.
        """
        if case.init is not None and module is None:
            module = self._module_of(case)
        placements = module.placements if module is not None else {}
        at = self._floor
        slots: list[Slot] = []
        index: dict[int, int] = {}
        args: list[dict[str, Any]] = []
        for value in case.arguments.values():
            if not isinstance(value, Tensor):
                args.append({"value": value})
                continue
            if id(value) not in index:
                index[id(value)] = len(slots)
                slots.append(self.worker.arena.write(value, at))
                at = align(at + slots[-1].nbytes)
            args.append({"slot": index[id(value)]})
        before = [self.worker.arena.content(slot) for slot in slots]
        leaves = [index[id(t)] for t in case.leaves.values()] if mode == "track" or cotangent is not None else []
        settings, at = self.write_parameters(case.parameters, placements, at)
        cotangent_slot = None
        if cotangent is not None:
            cotangent_slot = self.worker.arena.write(cotangent, at)
            at = align(at + cotangent_slot.nbytes)
        inputs_end = at
        self.worker.arena.poison(at, POISONED)
        wanted = list(dict.fromkeys(p.parameter for p in placements.values())) if cotangent is not None else []
        kept = self.calls if keep else None
        reply = self._request(
            {
                "op": "call",
                "entry": case.entry,
                "handle": None if module is None else module.handle,
                "slots": [slot.to_json() for slot in slots],
                "leaves": leaves,
                "args": args,
                "set": settings,
                "parameters": wanted,
                "cotangent": None if cotangent_slot is None else cotangent_slot.to_json(),
                "output_at": at,
                "no_grad": mode == "no_grad",
                "keep": kept,
                "count": count,
                "profile": self.calls % PROFILED == 0,
            },
            case,
        )
        asked_for_meta = any(isinstance(v, str) and v == "meta" for v in case.arguments.values())
        raw = reply.fields.get("output")
        if raw is None:
            fail(f"the call returned {_article(read_text(reply.fields, 'type', 100))}, expected a tensor", case)
        output, device, at = self._read(raw, at, case, meta=asked_for_meta)
        gradients = self._read_gradients(reply, case, leaves, wanted, placements, at)
        if keep:
            self._floor = inputs_end
        return Answer(
            output=output,
            gradients=gradients,
            device=device,
            mutated=self._mutated(case, index, slots, before, reply),
            shares_storage=reply.fields.get("shares_storage") is True,
            requires_grad=reply.fields.get("requires_grad") is True,
            counts=Counts.parse(reply.fields.get("counts")) if count else None,
            kept=kept,
        )

    def _module_of(self, case: Case) -> Module:
        """One module serves every case of its constructor arguments and dtype: constructing takes longer than calling."""
        assert case.init is not None
        key = (case.entry, *case.init.values(), case.dtype)
        module = self._modules.get(key)
        if module is None or self._handles - module.handle >= MODULES_KEPT:
            module = self._modules[key] = self.construct(case)
        return module

    def construct(self, case: Case) -> Module:
        """Construct the case's module in the worker and find its parameters' roles."""
        assert case.roles is not None
        found = self.parameters(case)
        try:
            placements = case.roles(found, case.parameters)
        except RoleError as error:
            fail(str(error), case)
        return Module(self._handles, placements, frozenset(p.name for p in found if p.requires_grad))

    def parameters(self, case: Case) -> list[FoundParameter]:
        """Construct the case's module and return its registered parameters with their starting values."""
        assert case.init is not None
        self._handles += 1
        at = self._floor
        request = {
            "op": "construct",
            "entry": case.entry,
            "args": list(case.init.values()),
            "dtype": str(case.dtype).removeprefix("torch."),
            "handle": self._handles,
            "output_at": at,
        }
        reply = self._request(request, case)
        if reply.fields.get("module") is not True:
            kind = read_text(reply.fields, "type", 100)
            fail(f"{case.entry}(...) returned {_article(kind)}, expected an nn.Module", case)
        found = []
        for raw in reply.fields.get("parameters") or []:
            if not isinstance(raw, dict):
                raise self.worker.distrust("a parameter is no report of one")
            tensor, _, at = self._read(raw.get("tensor"), at, case)
            found.append(FoundParameter(read_text(raw, "name", 200), tensor, raw.get("requires_grad") is True))
        return found

    def reread(self, answer: Answer, case: Case) -> Tensor:
        """Look again at a kept result."""
        at = self._floor
        reply = self._request({"op": "reread", "keep": answer.kept, "output_at": at}, case)
        return self._read(reply.fields.get("output"), at, case)[0]

    def release(self) -> None:
        """Forget kept calls: their place in the arena may be used again."""
        self._floor = 0

    def last_call_as_failure(self, message: str) -> PropertyFailed | None:
        """The call during which the worker was lost, as the counterexample."""
        case = self._last_case
        return None if case is None else PropertyFailed(message, counterexample(case))

    def note_gradient(self, name: str, kind: str, *, received: bool, matches: bool, error: float | None) -> None:
        """Fold one comparison into the gradient table; "query = key = value" counts for none of the three."""
        if " = " in name:
            return
        row = self.gradient_rows.get(name, GradientRow(name, kind, True, True, None))
        errors = [e for e in (row.largest_error, error) if e is not None]
        self.gradient_rows[name] = GradientRow(
            name, kind, row.received and received, row.matches and matches, max(errors) if errors else None
        )

    def write_parameters(
        self, parameters: Mapping[str, Tensor], placements: Mapping[str, Placement], at: int
    ) -> tuple[list[list[Any]], int]:
        """Write the parameters' values from `at` on, fused ones joined in row order: names with slots, and the end."""
        joined: dict[str, list[tuple[int, Tensor]]] = {}
        for role, place in placements.items():
            joined.setdefault(place.parameter, []).append((place.start or 0, parameters[role]))
        settings = []
        for name, parts in joined.items():
            value = torch.cat([t for _, t in sorted(parts, key=lambda p: p[0])]) if len(parts) > 1 else parts[0][1]
            slot = self.worker.arena.write(value, at)
            at = align(at + slot.nbytes)
            settings.append([name, slot.to_json()])
        return settings, at

    def _request(self, message: dict[str, Any], case: Case) -> Reply:
        self.calls += 1
        self._last_case = case
        reply = self.worker.request(message)
        for raw in reply.fields.get("forbidden") or []:
            self._note_forbidden(raw)
        if reply.error is not None:
            exception = self.read_exception(reply.error)
            first_line = exception.message.strip().splitlines()[:1] or [""]
            summary = f"the code raised {exception.type}: {first_line[0][:200]}"
            fail(summary, case, exception=exception, value_error=reply.error.get("value_error") is True)
        return reply

    def _note_forbidden(self, raw: Any) -> None:
        if not isinstance(raw, dict) or len(self.forbidden) >= 20:
            return
        line = read_line_number(raw)
        call = ForbiddenCall(read_text(raw, "operator", 200), "recorder", line, self.line(line))
        self.forbidden.setdefault((call.operator, line), call)

    def read_exception(self, raw: dict[str, Any]) -> CandidateException:
        """An exception as the worker tells it; the lines of code come from our own copy of the file."""
        told = raw.get("frames")
        frames = []
        for frame in told[:8] if isinstance(told, list) else []:
            line = read_line_number(frame) if isinstance(frame, dict) else None
            if line is not None:
                frames.append(Frame(line, read_text(frame, "function", 100), self.line(line)))
        return CandidateException(read_text(raw, "type", 100), read_text(raw, "message", 2000), tuple(frames))

    def line(self, number: int | None) -> str:
        if number is None or not 1 <= number <= len(self._lines):
            return ""
        return self._lines[number - 1].strip()[:200]

    def _read(self, raw: Any, low: int, case: Case, *, meta: bool = False) -> tuple[Tensor, str, int]:
        """Copy a tensor out of the arena after checking its header, then poison the place.

        Returns the tensor, its device and where the next one may begin: tensors of one answer do not overlap, so that many
        headers cannot make us copy the same bytes many times.
        """
        arena = self.worker.arena
        try:
            header = TensorHeader.parse(raw, low=low, high=len(arena.memory))
        except ProtocolError as error:
            raise self.worker.distrust(str(error)) from None
        if header.device == "meta":
            if not meta:
                fail("the answer is on the device meta, where no values are", case)
            return torch.empty(header.shape, dtype=getattr(torch, header.dtype), device="meta"), "meta", low
        tensor = arena.read(header.dtype, header.shape, header.offset)
        arena.poison(header.offset, header.nbytes)
        return tensor, header.device, header.offset + header.nbytes

    def _read_gradients(
        self,
        reply: Reply,
        case: Case,
        leaves: list[int],
        wanted: list[str],
        placements: Mapping[str, Placement],
        at: int,
    ) -> dict[str, Tensor | None]:
        raw = reply.fields.get("gradients")
        if raw is None:
            return {}
        if not isinstance(raw, list) or len(raw) != len(leaves) + len(wanted):
            raise self.worker.distrust("the number of gradients is wrong")
        tensors: list[Tensor | None] = []
        for each in raw:
            tensor, _, at = (None, "", at) if each is None else self._read(each, at, case)
            if tensor is not None and not tensor.is_floating_point():
                raise self.worker.distrust("a gradient has an impossible dtype")
            tensors.append(tensor)
        gradients: dict[str, Tensor | None] = dict(zip(case.leaves, tensors, strict=False))
        of_parameter = dict(zip(wanted, tensors[len(leaves) :], strict=True))
        for role, place in placements.items():
            whole = of_parameter[place.parameter]
            if whole is not None and place.start is not None:
                if whole.dim() == 0:
                    raise self.worker.distrust("a gradient has an impossible shape")
                whole = whole[place.start : place.stop]
            gradients[role] = whole
        return gradients

    def _mutated(
        self, case: Case, index: dict[int, int], slots: list[Slot], before: list[bytes], reply: Reply
    ) -> tuple[str, ...]:
        """Arguments that changed: content is seen in the arena itself, shape and strides are what the worker tells."""
        after = [self.worker.arena.content(slot) for slot in slots]
        told = reply.fields.get("inputs")
        changed = set()
        for i, slot in enumerate(slots):
            same_form = (
                isinstance(told, list) and len(told) == len(slots) and told[i] == [list(slot.shape), list(slot.stride)]
            )
            if after[i] != before[i] or (self.device == "cpu" and not same_form):
                changed.add(i)
        return tuple(name for name, t in case.tensors.items() if index[id(t)] in changed)


def _article(kind: str) -> str:
    return "None" if kind == "NoneType" else f"a {kind}"
