"""A kata's workload: the inputs that its code is timed on, at any size. Loads `katas/<id>/workload.py`; trusted side only."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch

from grader.case import Case
from grader.catalog import Kata
from grader.errors import GraderError
from grader.oracle import load_reference
from grader.strategies import Filler


@dataclass(frozen=True, slots=True)
class Workload:
    """What the file defines.

    Attributes:
        make: the timed call at a size.
        size_name: what a size is: "L = S".
        grow: the call with every size chosen by name, for growth and memory; None where the file has none.
        realistic: those sizes, as one meets them in practice.
        growing: the names of those that grow, together.
        vary: chooses by chance all that does not grow, and returns the call at a size: what is linear must be so in every form.
        growth_limit: the largest exponent of work and memory that is let pass; None where growth is only shown.
    """

    make: Callable[[int, Filler], Case]
    size_name: str
    grow: Callable[[Mapping[str, int], Filler], Case] | None = None
    realistic: Mapping[str, int] = field(default_factory=dict)
    growing: tuple[str, ...] = ()
    growth_limit: float | None = None
    vary: Callable[[random.Random, Filler], Callable[[int], Case]] | None = None

    def case(self, size: int, *, seed: int = 0, dtype: torch.dtype = torch.float32) -> Case:
        """The timed call at `size`, with inputs of ordinary size that are always the same for a seed."""
        return self.make(size, Filler(seed, dtype))


def load_workload(kata: Kata) -> Workload:
    """The workload of a kata that has a `bench`. Raises GraderError where its file does not load."""
    try:
        module = load_reference(kata.workload)
        if not hasattr(module, "grow"):
            return Workload(module.make, module.SIZE_NAME)
        limit, vary = getattr(module, "GROWTH_LIMIT", None), getattr(module, "vary", None)
        return Workload(module.make, module.SIZE_NAME, module.grow, module.REALISTIC, module.GROWING, limit, vary)
    except Exception as error:  # code of a pack, which may be anyone's
        what = f"the workload of {kata.id} does not load: {type(error).__name__}: {error}"
        raise GraderError(what, f"kata dev check {kata.folder}") from error
