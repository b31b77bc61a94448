"""The proxy that properties call: every call goes to the worker, and its reply becomes an `Answer` (`answer.py`).

Nothing here judges whether an answer is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from grader.answer import Answer, Counts, find_mutated, is_changed, read_changed, read_gradients, read_tensor
from grader.arguments import find_reusable, write_arguments
from grader.case import Case, FoundParameter, Placement
from grader.claims import read_exception, read_forbidden
from grader.failure import PropertyFailed, RoleError, counterexample, fail
from grader.reply import Reply
from grader.verdict import ForbiddenCall, GradientRow
from grader.worker.arena import Slot, align
from grader.worker.protocol import MODULES_KEPT, read_text
from grader.worker_process import Worker

Mode = Literal["plain", "track", "no_grad"]

PROFILED = 8  # every eighth call is watched by the profiler too, which costs 0.7 ms

POISONED = 1 << 16  # bytes of the output region that are poisoned before every call


@dataclass(frozen=True, slots=True)
class Module:
    """A live module in the worker, and where each role's tensor lies in it."""

    handle: int
    placements: Mapping[str, Placement]
    trainable: frozenset[str]  # names of parameters that require a gradient


class Candidate:
    """The submission under examination. Calling it with a case runs the case in the worker."""

    def __init__(self, worker: Worker, source: str, *, device: str) -> None:
        self.worker = worker
        self.device = device
        self.lines = source.splitlines()
        self.calls = 0
        self.forbidden: dict[tuple[str, int | None], ForbiddenCall] = {}
        self.gradient_rows: dict[str, GradientRow] = {}
        self._last_case: Case | None = None
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
        then: Case | None = None,
    ) -> Answer:
        """Run `case`. Raises PropertyFailed where the candidate raises or returns no tensor, WorkerLost where it dies.

        Args:
            cotangent: the vector of the vector-Jacobian product; without it no gradient is computed.
            mode: "track" makes the differentiable inputs require a gradient (they do wherever a cotangent is given);
                "no_grad" calls under `torch.no_grad()`.
            keep: keep the (last) result and the inputs, so that `reread` can look at the result again.
            count: count work and memory.
            module: one from `construct`; by default one that was constructed with the same arguments before, if any.
            then: call once more, with what this case has in the place of the first, written into the same tensor objects;
                nobody sets the parameters in between, and what became of them is `changed`.
        """
        if case.init is not None and module is None:
            module = self._module_of(case)
        placements = module.placements if module is not None else {}
        arena = self.worker.arena
        written = write_arguments(arena, case, self._floor)
        slots, index, at = written.slots, written.index, written.end
        before = [arena.content(slot) for slot in slots]
        leaves = [index[id(t)] for t in case.leaves.values()] if mode == "track" or cotangent is not None else []
        settings, at = self.write_parameters(case.parameters, placements, at)
        direction = None
        if cotangent is not None:
            direction = arena.write(cotangent, at)
            direction_before = arena.content(direction)
            at = align(at + direction.nbytes)
        again: dict[str, Any] | None = None
        if then is not None:
            second = write_arguments(arena, then, at)
            into = find_reusable(case, written, then, second)
            pairs = [[slot.to_json(), into.get(i)] for i, slot in enumerate(second.slots)]
            again = {"args": second.arguments, "slots": pairs}
            for i, reused in into.items():
                before[reused] = arena.content(second.slots[i])
            at = second.end
        given = {name: arena.view(Slot.from_json(raw)).clone() for name, raw in settings} if then is not None else {}
        inputs_end = at
        arena.poison(at, POISONED)
        wanted = list(dict.fromkeys(p.parameter for p in placements.values())) if cotangent is not None else []
        kept = self.calls if keep else None
        reply = self._request(
            {
                "op": "call",
                "entry": case.entry,
                "handle": None if module is None else module.handle,
                "slots": [slot.to_json() for slot in slots],
                "leaves": leaves,
                "args": written.arguments,
                "then": again,
                "set": settings,
                "parameters": wanted,
                "cotangent": None if direction is None else direction.to_json(),
                "output_at": at,
                "no_grad": mode == "no_grad",
                "keep": kept,
                "count": count,
                "profile": self.calls % PROFILED == 0,
            },
            case,
        )
        asked_for_meta = any(isinstance(v, str) and v == "meta" for v in case.arguments.values())
        output, device, at = self._read_output(reply.fields, at, case, meta=asked_for_meta)
        gradients = read_gradients(
            self.worker,
            reply.fields.get("gradients"),
            at,
            case,
            asked=cotangent is not None,
            leaves=len(leaves),
            parameters=wanted,
            placements=placements,
        )
        form = reply.fields.get("cotangent")
        mutated = find_mutated(self.worker, reply, slots, before)
        changed: tuple[str, ...] = ()
        next_answer = None
        if then is not None:
            fields = reply.fields.get("then") or {}
            next_output, next_device, at = self._read_output(fields, at, then, meta=asked_for_meta)
            next_answer = Answer(next_output, {}, next_device)
            changed = read_changed(self.worker, reply.fields.get("parameters"), at, case, given)
        if keep:
            self._floor = inputs_end
        return Answer(
            output=output,
            gradients=gradients,
            device=device,
            mutated=tuple(name for name, t in case.tensors.items() if index[id(t)] in mutated),
            shares_storage=reply.fields.get("shares_storage") is True,
            requires_grad=reply.fields.get("requires_grad") is True,
            counts=Counts.parse(reply.fields.get("counts")) if count else None,
            cotangent_changed=direction is not None and is_changed(self.worker, direction, direction_before, form),
            kept=kept,
            then=next_answer,
            changed=changed,
        )

    def _read_output(self, reply: dict[str, Any], at: int, case: Case, *, meta: bool) -> tuple[Tensor, str, int]:
        if reply.get("output") is None:
            fail(f"the call returned {_article(read_text(reply, 'type', 100))}, expected a tensor", case)
        return read_tensor(self.worker, reply["output"], at, case, meta=meta)

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
            tensor, _, at = read_tensor(self.worker, raw.get("tensor"), at, case)
            found.append(FoundParameter(read_text(raw, "name", 200), tensor, raw.get("requires_grad") is True))
        return found

    def reread(self, answer: Answer, case: Case) -> Tensor:
        """Look again at a kept result."""
        at = self._floor
        reply = self._request({"op": "reread", "keep": answer.kept, "output_at": at}, case)
        return read_tensor(self.worker, reply.fields.get("output"), at, case)[0]

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
            if isinstance(raw, dict) and len(self.forbidden) < 20:
                call = read_forbidden(raw, self.lines, "recorder")
                self.forbidden.setdefault((call.operator, call.line), call)
        if reply.error is not None:
            exception = read_exception(reply.error, self.lines)
            first_line = exception.message.strip().splitlines()[:1] or [""]
            summary = f"the code raised {exception.type}: {first_line[0][:200]}"
            fail(summary, case, exception=exception, value_error=reply.error.get("value_error") is True)
        return reply


def _article(kind: str) -> str:
    return "None" if kind == "NoneType" else f"a {kind}"
