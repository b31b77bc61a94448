"""A case: one call of an entry symbol with everything that determines its answer.

Built by a kata's strategies, run on both sides: by the candidate (`candidate.py`, in the worker) and by the reference
(`oracle.py`, here, in float64). Frozen; the tensors in it are never written to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
from torch import Tensor

Arrival = Literal["contiguous", "scattered", "expanded"]


@dataclass(frozen=True, slots=True)
class FoundParameter:
    """A registered parameter of the candidate's module, freshly constructed."""

    name: str
    value: Tensor
    requires_grad: bool


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a role's tensor lives in the candidate's module: a parameter, or rows `start:stop` of a fused one."""

    parameter: str
    start: int | None = None
    stop: int | None = None


# Maps a freshly constructed module's parameters to the roles that the reference names; raises RoleError.
RoleFinder = Callable[[Sequence[FoundParameter], Mapping[str, Tensor]], dict[str, Placement]]


@dataclass(frozen=True, slots=True)
class Case:
    """One call.

    Attributes:
        entry: the entry symbol, `"layernorm.LayerNorm"` without the module.
        arguments: names (for display) and values, in the contract's positional order. The same tensor object under two
            names is passed as one tensor (`f(x, x, x)`).
        init: constructor arguments where the entry is a module, else None.
        parameters: the module's parameters by role; given to the reference as they are and to the candidate by `roles`.
        differentiable: names of arguments that get a gradient.
        seed: of the cotangent and of the noise that measures the tolerance.
        arrival: how the cotangent lies in memory: contiguous, with other strides, or one number expanded, as `sum()` gives.
    """

    entry: str
    arguments: Mapping[str, Any]
    init: Mapping[str, Any] | None = None
    parameters: Mapping[str, Tensor] = field(default_factory=dict)
    roles: RoleFinder | None = None
    differentiable: tuple[str, ...] = ()
    seed: int = 0
    arrival: Arrival = "contiguous"

    @property
    def tensors(self) -> dict[str, Tensor]:
        return {name: value for name, value in self.arguments.items() if isinstance(value, Tensor)}

    @property
    def dtype(self) -> torch.dtype:
        """The floating dtype of the first floating argument: the answer must have it too."""
        return next((t.dtype for t in self.tensors.values() if t.is_floating_point()), torch.float32)

    @property
    def leaves(self) -> dict[str, Tensor]:
        """Differentiable tensors by name, one entry for an object that is passed more than once."""
        distinct: dict[int, tuple[list[str], Tensor]] = {}
        for name in self.differentiable:
            tensor = self.arguments[name]
            distinct.setdefault(id(tensor), ([], tensor))[0].append(name)
        return {" = ".join(names): tensor for names, tensor in distinct.values()}

    def with_arguments(self, **changes: Any) -> Case:
        """The same call with some arguments replaced."""
        return replace(self, arguments={**self.arguments, **changes})

    def in_dtype(self, dtype: torch.dtype) -> Case:
        """The same call with every floating tensor, argument or parameter, in `dtype`; one object stays one object."""
        converted: dict[int, Any] = {}

        def convert(value: Any) -> Any:
            if isinstance(value, Tensor) and value.is_floating_point():
                return converted.setdefault(id(value), value.to(dtype))
            return value

        arguments = {name: convert(value) for name, value in self.arguments.items()}
        parameters = {role: convert(value) for role, value in self.parameters.items()}
        return replace(self, arguments=arguments, parameters=parameters)

    def describe(self) -> str:
        """The call as a person would write it: `LayerNorm(3, eps=0.1)(x)`."""
        shown = ", ".join(name if isinstance(v, Tensor) else _text(v) for name, v in self._shown_arguments())
        if self.init is None:
            return f"{self.entry}({shown})"
        init = ", ".join(_text(v) if i == 0 else f"{name}={_text(v)}" for i, (name, v) in enumerate(self.init.items()))
        return f"{self.entry}({init})({shown})"

    def _shown_arguments(self) -> list[tuple[str, Any]]:
        items = list(self.arguments.items())
        first: dict[int, str] = {}
        shown = []
        for name, value in items:
            if isinstance(value, Tensor):
                name = first.setdefault(id(value), name)
            shown.append((name, value))
        return shown


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and math.isfinite(value) else repr(value)
