"""A case's arguments in the arena: which tensor object lies where, and which objects a second call can use again.

Nothing is sent from here, and nothing is read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from grader.case import Case
from grader.worker.arena import Arena, Slot, align


@dataclass(frozen=True, slots=True)
class Written:
    """Where a case's arguments are."""

    slots: tuple[Slot, ...]  # one for each tensor object
    arguments: tuple[dict[str, Any], ...]  # in positional order: which slot, or the value
    index: Mapping[int, int]  # which slot an object has, by its id
    end: int


def write_arguments(arena: Arena, case: Case, at: int) -> Written:
    """Write the case's tensors from `at` on, each object once."""
    slots: list[Slot] = []
    index: dict[int, int] = {}
    arguments: list[dict[str, Any]] = []
    for value in case.arguments.values():
        if not isinstance(value, Tensor):
            arguments.append({"value": value})
            continue
        if id(value) not in index:
            index[id(value)] = len(slots)
            slots.append(arena.write(value, at))
            at = align(at + slots[-1].nbytes)
        arguments.append({"slot": index[id(value)]})
    return Written(tuple(slots), tuple(arguments), index, at)


def find_reusable(first: Case, written: Written, second: Case, again: Written) -> dict[int, int]:
    """Slots of the second case with that slot of the first whose object can take up the contents: same name, same form."""
    into: dict[int, int] = {}
    for name, new in second.tensors.items():
        old = first.tensors.get(name)
        if old is None or (old.dtype, old.shape, old.stride()) != (new.dtype, new.shape, new.stride()):
            continue
        target = written.index[id(old)]
        if 0 not in old.stride() and target not in into.values():
            into.setdefault(again.index[id(new)], target)
    return into
