"""The inputs of timed calls, new ones for every call, and the check of what the calls answered.

A ring is a row of places in a worker's arena: each holds the inputs of one repetition and takes its results. Before every
request the parent writes new contents to the old addresses: a random combination of two tensors from a pool, each rolled by
a random number of places, so that no repetition has the content of another, and no answer can be known beforehand, not even
of a function that only adds and moves numbers. Afterwards one place, chosen by chance, is compared with the reference.
Trusted side only; no clock in here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.candidate import Module
from grader.case import Case
from grader.catalog import Kata
from grader.oracle import load_reference, row_max
from grader.timing.room import DoesNotFit
from grader.timing.workload import Workload
from grader.worker.arena import SIZE, Arena, Slot, align, dtype_name

POOL = 6
MOST_PLACES = 16  # more of them would not fit into a processor's cache
MOST_PLACES_ON_A_GPU = 96  # a call takes microseconds there, and the way to it and back many
MOST_BYTES = 192 << 20
# Timed answers differ from the reference's by rounding only: so many units of the dtype's eps, times the row's largest value.
# Right code stays below 100; code that works in half the precision does not.
ROUNDING = {torch.float32: 1024, torch.float64: 1024, torch.float16: 32, torch.bfloat16: 32}
GLOBAL_SHARE = 0.01  # of the largest value of all results, for gradients that are zero but for rounding


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the content of a place was made: pool[first] + scale · pool[second], rolled by these shares of a dimension."""

    first: int
    second: int
    scale: float
    rolled: tuple[float, float] = (0.0, 0.0)


class Material:
    """What a workload's calls are made of in one mode: a pool of inputs, the parameters, the trusted answers."""

    def __init__(
        self,
        kata: Kata,
        workload: Workload,
        size: int,
        dtype: torch.dtype,
        *,
        backward: bool,
        seed: int,
        places: int = MOST_PLACES,
        other: str = "",
    ) -> None:
        """`places` is how many repetitions a request may have at most, `other` the name of a further call of the workload."""
        self.other = other
        self.stores_count = workload.stores_count or bool(other)
        self.plan = other or ("both" if backward else "forward")  # tells the plans of a worker apart
        self.backward = backward
        self.places = places
        self.pool = [workload.case(size, other=other, seed=seed + i, dtype=dtype) for i in range(POOL)]
        self.case = self.pool[0]
        self._function = _reference(kata, self.case)
        with torch.no_grad():
            output = self._function(*self.case.arguments.values())
        self.output_shape = tuple(output.shape)
        generator = torch.Generator().manual_seed(seed)
        self._vectors = (
            [torch.randn(output.shape, generator=generator).to(dtype) for _ in range(POOL)] if backward else []
        )
        self._twice = [{name: _twice(t) for name, t in self.tensors(i).items()} for i in range(POOL)]

    def tensors(self, index: int) -> dict[str, Tensor]:
        """The tensors of one entry of the pool by name, the cotangent under ""."""
        return self.pool[index].tensors | ({"": self._vectors[index]} if self.backward else {})

    def mix(self, recipe: Recipe, targets: Mapping[str, Tensor]) -> None:
        """Write the inputs of a recipe."""
        for name, target in targets.items():
            if target.is_floating_point():
                first = _rolled(self._twice[recipe.first][name], target, recipe.rolled[0])
                second = _rolled(self._twice[recipe.second][name], target, recipe.rolled[1])
                torch.add(first, second, alpha=recipe.scale, out=target)
            else:
                target.copy_(self.tensors(recipe.first)[name])

    def answers(self, recipe: Recipe) -> dict[str, Tensor]:
        """The reference's results on the inputs of a recipe, in the dtype under test: output "", gradients by name."""
        inputs = {name: torch.empty_like(t) for name, t in self.tensors(0).items()}
        self.mix(recipe, inputs)
        vector = inputs.pop("", None)
        arguments = {name: inputs.get(name, value) for name, value in self.case.arguments.items()}
        if vector is None:
            with torch.no_grad():
                return {"": self._function(*arguments.values()).to(self.case.dtype)}  # a mask is stored as numbers
        leaves = {name: arguments[name].requires_grad_() for name in self.case.differentiable}
        named = dict(self._function.named_parameters()) if isinstance(self._function, torch.nn.Module) else {}
        leaves |= {role: named[role] for role in self.case.parameters}
        output = self._function(*arguments.values())
        gradients = torch.autograd.grad((output * vector).sum(), list(leaves.values()))
        return {"": output.detach(), **dict(zip(leaves, gradients, strict=True))}


def _longest(tensor: Tensor) -> int:
    """The dimension along which contents are rolled."""
    return max(range(tensor.dim()), key=lambda dim: tensor.shape[dim])


def _twice(tensor: Tensor) -> Tensor:
    """The tensor and itself once more: whatever it is rolled by is a part of that, without a copy."""
    return torch.cat([tensor, tensor], _longest(tensor)) if tensor.dim() else tensor


def _rolled(twice: Tensor, like: Tensor, share: float) -> Tensor:
    if not like.dim():
        return twice
    dim = _longest(like)
    return twice.narrow(dim, int(share * like.shape[dim]), like.shape[dim])


def _reference(kata: Kata, case: Case) -> Callable[..., Tensor]:
    """The reference as a function of the case's arguments."""
    function: Callable[..., Any] = getattr(load_reference(kata.reference), case.entry)
    if case.init is None:
        return function
    module: torch.nn.Module = function(*case.init.values()).to(case.dtype).eval()
    named = dict(module.named_parameters())
    with torch.no_grad():
        for role, value in case.parameters.items():
            named[role].copy_(value)
    return module


class Ring:
    """The places in one worker's arena, for one subject and mode. Rings of the same material lie at the same addresses."""

    def __init__(self, arena: Arena, material: Material, module: Module | None, rng: random.Random) -> None:
        self.material = material
        self._arena = arena
        self._module = module
        self._rng = rng
        self._recipes: dict[int, Recipe] = {}
        self.slots: list[Slot] = []
        case = material.case
        fixed = list(material.tensors(0).items())
        leaves = list(case.differentiable) if material.backward else []
        like = [material.tensors(0)[name] for name in leaves]
        fixed_bytes = sum(align(t.nbytes) for t in (*(t for _, t in fixed), *like))
        output_bytes = align(_bytes(material.output_shape, case.dtype))
        self.wanted = _parameter_shapes(case, module) if material.backward else {}
        # As many places whatever the parameters are like: then the inputs of all subjects lie at the same addresses.
        extra_bytes = sum(align(t.nbytes) for t in case.parameters.values()) if material.backward else 0
        total = fixed_bytes + output_bytes + extra_bytes
        if total > SIZE:
            raise DoesNotFit(total)
        self.places = max(1, min(material.places, MOST_BYTES // total))
        self._inputs: list[dict[str, int]] = []
        self._results: list[dict[str, int]] = []
        at = 0
        for _ in range(self.places):
            inputs, results = {}, {}
            for name, tensor in fixed:
                inputs[name], at = self._slot(tuple(tensor.shape), tensor.dtype, at)
            results[""], at = self._slot(material.output_shape, case.dtype, at)
            for name, tensor in zip(leaves, like, strict=True):
                results[name], at = self._slot(tuple(tensor.shape), tensor.dtype, at)
            self._inputs.append(inputs)
            self._results.append(results)
        for results in self._results:
            for name, shape in self.wanted.items():
                results[name], at = self._slot(shape, case.dtype, at)
        self._views = [arena.view(slot) for slot in self.slots]
        self.end = at

    def _slot(self, shape: tuple[int, ...], dtype: torch.dtype, at: int) -> tuple[int, int]:
        """A new slot at `at`: its number, and where the next one begins."""
        strides = torch.empty(shape, device="meta").stride()
        self.slots.append(Slot(dtype_name(dtype), shape, tuple(strides), at))
        return len(self.slots) - 1, align(at + self.slots[-1].nbytes)

    def request(self, plan: str, entry: str | None, settings: Sequence[Any]) -> dict[str, Any]:
        """The request that prepares this call in the worker."""
        case = self.material.case
        return {
            "op": "plan",
            "plan": plan,
            "entry": entry,
            "handle": None if self._module is None else self._module.handle,
            "set": list(settings),
            "parameters": list(self.wanted),
            "slots": [slot.to_json() for slot in self.slots],
            "backward": self.material.backward,
            "places": [
                {
                    "arguments": [
                        {"slot": inputs[name]} if name in inputs else {"value": value}
                        for name, value in case.arguments.items()
                    ],
                    "cotangent": inputs.get(""),
                    "leaves": [inputs[name] for name in case.differentiable] if self.material.backward else [],
                    "results": list(results.values()),
                }
                for inputs, results in zip(self._inputs, self._results, strict=True)
            ],
        }

    def refresh(self, order: Sequence[int]) -> list[int]:
        """Write new inputs into the places. Returns the numbers of the slots written."""
        written: list[int] = []
        for place in order:
            first, second = self._rng.sample(range(POOL), 2)
            scale = self._rng.choice((-1, 1)) * self._rng.uniform(0.5, 1.5)
            recipe = Recipe(first, second, scale, (self._rng.random(), self._rng.random()))
            self._recipes[place] = recipe
            self.material.mix(recipe, {name: self._views[i] for name, i in self._inputs[place].items()})
            written += self._inputs[place].values()
        return written

    def result_slots(self, place: int) -> list[int]:
        return list(self._results[place].values())

    def take(self, place: int) -> tuple[Recipe, dict[str, Tensor]]:
        """A private copy of what the call in `place` answered, and for which inputs."""
        return self._recipes[place], {name: self._views[i].clone() for name, i in self._results[place].items()}

    def wrong(self, recipe: Recipe, got: Mapping[str, Tensor]) -> str:
        """What is wrong with the answer; empty where nothing is."""
        expected = self.material.answers(recipe)
        factor = ROUNDING[self.material.case.dtype] * torch.finfo(self.material.case.dtype).eps
        most = max(float(value.abs().max()) for value in expected.values())
        placements = {} if self._module is None else self._module.placements
        for name, wanted in expected.items():
            place = placements.get(name)
            answer = got[name] if place is None else got[place.parameter]
            if place is not None and place.start is not None:
                answer = answer[place.start : place.stop]
            allowed = factor * (row_max(wanted.abs()).double() + GLOBAL_SHARE * most)
            if not bool(((answer.double() - wanted.double()).abs() <= allowed).all()):  # NaN is wrong
                return f"the gradient of {name}" if name else "the output"
        return ""


def _parameter_shapes(case: Case, module: Module | None) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters that hold the roles' tensors, fused ones as a whole."""
    shapes: dict[str, tuple[int, ...]] = {}
    for role, place in ({} if module is None else module.placements).items():
        shape = tuple(case.parameters[role].shape)
        if place.start is not None:
            rows = shapes.get(place.parameter, (0,))[0] + shape[0]
            shape = (rows, *shape[1:])
        shapes[place.parameter] = shape
    return shapes


def _bytes(shape: tuple[int, ...], dtype: torch.dtype) -> int:
    return torch.Size(shape).numel() * dtype.itemsize
