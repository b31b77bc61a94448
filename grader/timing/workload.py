"""A kata's workload: the inputs that its code is timed on, at any size. Loads `katas/<id>/workload.py`; trusted side only."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

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
        others: further calls by what is shown for them: other entry symbols, arguments that the timed call leaves out ("with a
            mask"), another size ("at N = 4096"). Each is timed forward only.
        other_limits: how many times the reference such a call is too slow, where that is not what the kata says.
        stores_count: whether the time to store the results counts too, on both sides: for code that does little but copy. It
            always counts for `others`, which are decided coarsely.
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
    others: Mapping[str, Callable[[int, Filler], Case]] = field(default_factory=dict)
    other_limits: Mapping[str, float] = field(default_factory=dict)
    stores_count: bool = False

    def case(self, size: int, *, other: str = "", seed: int = 0, dtype: torch.dtype = torch.float32) -> Case:
        """The timed call at `size`, or one of the others, with inputs of ordinary size that are always the same for a seed."""
        return (self.others[other] if other else self.make)(size, Filler(seed, dtype))


def load_workload(kata: Kata) -> Workload:
    """The workload of a kata that has a `bench`. Raises GraderError where its file does not load."""
    try:
        module = load_reference(kata.workload)
        made = Workload(
            module.make,
            module.SIZE_NAME,
            others=getattr(module, "OTHERS", {}),
            other_limits=getattr(module, "OTHER_LIMITS", {}),
            stores_count=getattr(module, "STORES_COUNT", False),
        )
        if not hasattr(module, "grow"):
            return made
        return replace(
            made,
            grow=module.grow,
            realistic=module.REALISTIC,
            growing=module.GROWING,
            growth_limit=getattr(module, "GROWTH_LIMIT", None),
            vary=getattr(module, "vary", None),
        )
    except Exception as error:  # code of a pack, which may be anyone's
        what = f"the workload of {kata.id} does not load: {type(error).__name__}: {error}"
        raise GraderError(what, f"kata dev check {kata.folder}") from error
