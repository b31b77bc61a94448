"""Observing code on a fixed set of inputs: what it returns, how it differentiates, what it does besides.

The same observation is made of the candidate (in a worker), of the reference and of every known mistake (both here, they are
ours), so that they can be compared point by point. A kata's `properties.py` chooses the inputs in `probes()`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from grader.answer import Counts
from grader.candidate import Candidate, Mode
from grader.case import Case, FoundParameter, Placement
from grader.failure import PropertyFailed, RoleError
from grader.oracle import cotangent
from grader.timing.complexity import LINEAR, exponent
from grader.worker.arena import Slot, dtype_name
from grader.worker.recorder import Recorder

RAISING = ("raise ", "assert ")


@dataclass(frozen=True, slots=True)
class Probe:
    """One input.

    Attributes:
        case: the call.
        traits: what is special about it; each completes the sentence "wrong only where …".
        gradients: compare vector-Jacobian products too, in a second call.
        larger: the same call at twice the length: then growth of work and memory is observed too.
        exact_zeros: where the right output is 0 a tiny number is wrong.
    """

    case: Case
    traits: Set[str] = frozenset()
    gradients: bool = True
    larger: Case | None = None
    exact_zeros: bool = False

    @property
    def meta(self) -> bool:
        """Whether an argument asks for the meta device."""
        return any(value == "meta" for value in self.case.arguments.values() if isinstance(value, str))


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of one probe. Where there was `trouble` in the plain call, the rest is empty."""

    trouble: str = ""  # "raises ValueError", "registers no parameter", "returns no tensor", …
    detail: str = ""  # of trouble with parameters: which ones there are
    deliberate: bool = False  # the code itself has the `raise` or `assert` that raised
    output: Tensor | None = None
    gradients: Mapping[str, Tensor | None] = field(default_factory=dict)
    gradient_trouble: str = ""  # the call raises where its inputs require a gradient
    mutated: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()  # parameters that the call changed or replaced, by the names that they have
    device: str = "cpu"
    random: bool = False  # the same call gave another answer the second time
    superlinear: bool = False


def observe_candidate(candidate: Candidate, probe: Probe, right: Tensor | None) -> Observation:
    """Run the probe in the worker. `right` is the right output, where there is one: the cotangent has its shape."""
    case = probe.case
    try:
        if case.init is not None and case.roles is not None:
            found = candidate.parameters(case)
            try:
                case.roles(found, case.parameters)
            except RoleError as error:
                return Observation(*classify_parameters(found, case.parameters, error))
        answer = candidate(case)
        again = candidate(case, then=case)  # twice, with nothing renewed in between
    except PropertyFailed as error:
        if error.exception is None:
            return Observation("returns no tensor")
        innermost = error.exception.frames[-1].code if error.exception.frames else ""
        return Observation(f"raises {_kind(error)}", deliberate=innermost.startswith(RAISING))
    home = candidate.device if case.tensors else "cpu"
    observed = Observation(
        output=answer.output,
        mutated=frozenset(answer.mutated),
        changed=frozenset(again.changed),
        device="cpu" if answer.device == home else answer.device,
        random=not _identical(answer.output, again.output),
    )
    if probe.gradients and right is not None:
        try:
            gradients = candidate(case, cotangent=cotangent(case, right.shape)).gradients
            observed = replace(observed, gradients=gradients)
        except PropertyFailed as error:
            observed = replace(observed, gradient_trouble=f"raises {_kind(error)}")
    if probe.larger is not None:
        modes: tuple[Mode, ...] = ("plain", "track")
        growing = (_growth(candidate, case, probe.larger, mode) for mode in modes)
        observed = replace(observed, superlinear=any(growing))
    return observed


def _growth(candidate: Candidate, case: Case, larger: Case, mode: Mode) -> bool:
    try:
        return grows_faster_than_linearly([candidate(c, count=True, mode=mode).counts for c in (case, larger)])
    except PropertyFailed:
        return False


def observe_module(module: ModuleType, probe: Probe) -> Observation:
    """Run the probe on code of ours in this process, in the probe's own dtype: once with gradients where that works."""
    case = probe.case
    gradient_trouble = ""
    try:
        if probe.gradients:
            try:
                observed = _observe_call(_Call(module, case, track=True))
            except (RuntimeError, TypeError) as error:
                gradient_trouble = f"raises {type(error).__name__}"
        if not probe.gradients or gradient_trouble:
            observed = replace(_observe_call(_Call(module, case)), gradient_trouble=gradient_trouble)
    except _BadParameters as error:
        return Observation(*error.args)
    except Exception as error:  # a mistake may crash; that is what is being observed
        kind = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        return Observation(f"raises {kind}", deliberate=_raised_by(error).startswith(RAISING))
    if probe.larger is not None and not observed.trouble:
        counts = [_Call(module, c).count() for c in (case, probe.larger)]
        observed = replace(observed, superlinear=grows_faster_than_linearly(counts))
    return observed


def _observe_call(call: _Call) -> Observation:
    generator = torch.random.get_rng_state()
    output = call.run()
    if not isinstance(output, Tensor):
        return Observation("returns no tensor")
    mutated = call.mutated()
    # Our own code keeps no state: it can be random only where it draws random numbers.
    random = not torch.equal(generator, torch.random.get_rng_state()) and not _identical(output, call.run())
    gradients = call.differentiate(output) if call.track else {}
    return Observation(
        output=output.detach().clone(), gradients=gradients, mutated=mutated, device=output.device.type, random=random
    )


def grows_faster_than_linearly(counts: Sequence[Counts | None]) -> bool:
    """Whether work, largest tensor or peak memory grow faster than linearly from one length to its double."""
    small, large = counts
    if small is None or large is None:
        return False
    pairs = ((small.work, large.work), (small.largest, large.largest), (small.peak, large.peak))
    return any(exponent((1, 2), pair) > LINEAR for pair in pairs if all(pair))


def classify_parameters(
    found: Sequence[FoundParameter], wanted: Mapping[str, Tensor], error: RoleError
) -> tuple[str, str]:
    """In which way the registered parameters are not those of the contract, and what there is in place of them."""
    if not found:
        return "registers no parameter", ""
    shapes = sorted(tuple(p.value.shape) for p in found)
    if len(found) < len(wanted):
        return "registers too few parameters", f"no {', '.join(error.missing)} among {shapes}"
    same = shapes == sorted(tuple(t.shape) for t in wanted.values())
    return f"registers parameters of other {'starting values or names' if same else 'shapes or names'}", ""


class _BadParameters(Exception):
    """Its arguments are those of the Observation."""


class _Call:
    """One call of our own code on private copies of a case's tensors.

    Modules are constructed once for each file, entry, constructor arguments and dtype: that takes longer than calling them.
    """

    _built: ClassVar[WeakKeyDictionary[Callable[..., Any], dict[Any, Any]]] = WeakKeyDictionary()

    def __init__(self, module: ModuleType, case: Case, *, track: bool = False) -> None:
        self.case = case
        self.track = track
        self._copies: dict[int, Tensor] = {}
        for tensor in case.tensors.values():
            self._copies.setdefault(id(tensor), _copy(tensor))
        self.leaves = {name: self._copies[id(tensor)] for name, tensor in case.leaves.items()}
        self.slices: dict[str, tuple[Tensor, slice]] = {}
        self.function: Callable[..., Any] = getattr(module, case.entry)
        if case.init is not None:
            self._build()
        if track:
            for leaf in self.leaves.values():
                leaf.requires_grad_()

    def run(self) -> Any:
        args = [self._copies[id(v)] if isinstance(v, Tensor) else v for v in self.case.arguments.values()]
        return self.function(*args)

    def count(self) -> Counts:
        recorder = Recorder([])
        recorder.count(self._copies.values())
        with recorder.watch():
            self.run()
        counts = Counts.parse(recorder.counts())
        assert counts is not None
        return counts

    def mutated(self) -> frozenset[str]:
        return frozenset(n for n, t in self.case.tensors.items() if not _unchanged(self._copies[id(t)], t))

    def differentiate(self, output: Tensor) -> dict[str, Tensor | None]:
        names = [*self.leaves, *self.slices]
        if not output.requires_grad:
            return dict.fromkeys(names)
        wrt = [*self.leaves.values(), *(p for p, _ in self.slices.values())]
        direction = cotangent(self.case, output.shape)
        found = torch.autograd.grad((output * direction).sum(), wrt, allow_unused=True)
        rows = [slice(None)] * len(self.leaves) + [r for _, r in self.slices.values()]
        return {n: None if g is None else g[r] if g.dim() else g for n, g, r in zip(names, found, rows, strict=True)}

    def _build(self) -> None:
        case = self.case
        assert case.init is not None
        built = self._built.setdefault(self.function, {})
        key = (*case.init.values(), case.dtype)
        if key not in built:
            built[key] = self._construct()
        module, placements = built[key]
        named = dict(module.named_parameters())
        with torch.no_grad():
            for role, place in placements.items():
                rows = slice(place.start, place.stop)
                named[place.parameter][rows].copy_(case.parameters[role])
                self.slices[role] = (named[place.parameter], rows)
        self.function = module

    def _construct(self) -> tuple[torch.nn.Module, dict[str, Placement]]:
        case = self.case
        assert case.init is not None
        assert case.roles is not None
        module = self.function(*case.init.values()).to(case.dtype).eval()
        found = [FoundParameter(name, p.detach(), p.requires_grad) for name, p in module.named_parameters()]
        try:
            return module, case.roles(found, case.parameters)
        except RoleError as error:
            raise _BadParameters(*classify_parameters(found, case.parameters, error)) from None


def _kind(error: PropertyFailed) -> str:
    """The type's name: `ValueError` for that class and what inherits from it, and not for what merely bears its name."""
    assert error.exception is not None
    name = error.exception.type
    return "ValueError" if error.value_error else f"another {name}" if name == "ValueError" else name


def _raised_by(error: Exception) -> str:
    """The line of source that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return (frames[-1].line or "") if frames else ""


def _copy(tensor: Tensor) -> Tensor:
    """A copy with the same strides."""
    extent = Slot(dtype_name(tensor.dtype), tuple(tensor.shape), tuple(tensor.stride()), 0).extent
    flat = tensor.new_zeros(extent)
    copy = torch.empty(0, dtype=tensor.dtype).set_(flat.untyped_storage(), 0, tensor.shape, tensor.stride())
    return copy.copy_(tensor) if extent else tensor.clone()


def _unchanged(now: Tensor, before: Tensor) -> bool:
    return now.shape == before.shape and now.stride() == before.stride() and bool(torch.equal(now.detach(), before))


def _identical(one: Tensor, two: Tensor) -> bool:
    if one.shape != two.shape or one.dtype != two.dtype:
        return False
    if one.device.type == "meta" or two.device.type == "meta":
        return True
    return (
        bool(torch.equal(one.detach().nan_to_num(7.0), two.detach().nan_to_num(7.0)))
        if one.is_floating_point()
        else bool(torch.equal(one, two))
    )
