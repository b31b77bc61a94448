"""What a call holds, in words: the shape of its largest tensor read as a product of the sizes that have names.

Inputs of different prime sizes give the shapes away: 131 · 127 elements can only be an L×S matrix. So the bytes at realistic
sizes are worked out exactly, from a call that takes a millisecond. Pure functions; nothing here calls anybody's code.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

GROWING_PRIMES = (131, 127, 113)
FIXED_PRIMES = (5, 7, 11, 13, 17)  # 2 and 3 are left to the code's own factors
LARGEST_FACTOR = 64  # more is no factor that somebody wrote, such as the length of a chunk, but a size that has no name
SPOKEN_WITH_AN = "AEFHILMNORSX8"

Shapes = Iterable[tuple[Sequence[int], int]]  # with bytes


def distinct_sizes(realistic: Mapping[str, int], growing: Collection[str]) -> dict[str, int]:
    """A prime for every name, large ones for those that grow; 1 for what is 1 in practice."""
    large, small = iter(GROWING_PRIMES), iter(FIXED_PRIMES)
    return {n: 1 if usual == 1 else next(large if n in growing else small) for n, usual in realistic.items()}


def describe_largest(made: Shapes, given: Shapes, sizes: Mapping[str, int], realistic: Mapping[str, int]) -> str:
    """The tensor of `made` that is largest at realistic sizes: "holds an H×L×S tensor: 512 MB at H = 8, L = S = 4096".

    `given` are the inputs: what is no larger than one of them is no burden. Empty where no shape is a product of the sizes.
    """
    holdings = [h for shape, nbytes in made if (h := _read(shape, nbytes, sizes, realistic)) is not None]
    inputs = [h.nbytes for shape, nbytes in given if (h := _read(shape, nbytes, sizes, realistic)) is not None]
    if not holdings:
        return ""
    largest = max(holdings, key=lambda h: (h.rough, h.nbytes == h.rough))
    amount = f"{format_bytes(largest.nbytes)}{_where(largest, realistic)}"
    if largest.nbytes <= max(inputs, default=0):
        return f"holds nothing larger than its inputs: {largest.name}, {amount}"
    kind = "matrix" if len(largest.parts) == 2 else "tensor"
    return f"holds {'an' if largest.name.lstrip('(')[0] in SPOKEN_WITH_AN else 'a'} {largest.name} {kind}: {amount}"


def find_matrix(made: Shapes, sizes: Mapping[str, int], realistic: Mapping[str, int], growing: Collection[str]) -> str:
    """The name of a tensor of `made` that has two of the growing sizes, such as "H×L×S"; empty where none has."""
    for shape, nbytes in made:
        holding = _read(shape, nbytes, sizes, realistic)
        if holding is not None and sum(any(name in growing for name in part) for part in holding.parts) > 1:
            return holding.name
    return ""


def format_bytes(nbytes: int) -> str:
    """In units of 1024, as `64 MB`."""
    power = min(int(math.log2(max(nbytes, 1)) // 10), 4)
    return f"{nbytes / 1024**power:.3g} {('bytes', 'KB', 'MB', 'GB', 'TB')[power]}"


@dataclass(frozen=True, slots=True)
class _Holding:
    """A tensor as a product: of a factor and parts, each part a sum of names ("S", "1") such as S or S + 1."""

    factor: int
    parts: tuple[tuple[str, ...], ...]
    nbytes: int  # at realistic sizes
    rough: int  # the same with S for S + 1: prefixes of every length come by in a loop

    @property
    def name(self) -> str:
        parts = [" + ".join(part) if len(part) == 1 else f"({' + '.join(part)})" for part in self.parts]
        return "×".join([*([str(self.factor)] if self.factor > 1 or not parts else []), *parts])


def _read(shape: Sequence[int], nbytes: int, sizes: Mapping[str, int], realistic: Mapping[str, int]) -> _Holding | None:
    elements = math.prod(shape)
    factor, parts = 1, []
    for extent in shape if elements else ():
        left, product = _factorise(extent, sizes)
        if left > LARGEST_FACTOR:
            total = _as_sum(extent, sizes)
            if total is None:
                return None
            left, product = 1, [total]
        factor *= left
        parts += product
    if not elements:
        return None
    unit = nbytes // elements * factor
    exact, rough = (
        unit * math.prod(sum(one if name == "1" else realistic[name] for name in part) for part in parts)
        for one in (1, 0)
    )
    return _Holding(factor, tuple(parts), exact, rough)


def _factorise(extent: int, sizes: Mapping[str, int]) -> tuple[int, list[tuple[str, ...]]]:
    """What is left of the number, and the names of the sizes that divide it."""
    product: list[tuple[str, ...]] = []
    for name, size in sizes.items():
        while size > 1 and extent % size == 0:
            extent //= size
            product.append((name,))
    return extent, product


def _as_sum(extent: int, sizes: Mapping[str, int]) -> tuple[str, ...] | None:
    """Two names whose sizes add up to the number, or one and 1."""
    pairs = itertools.combinations_with_replacement([*sizes.items(), ("1", 1)], 2)
    return next(((a, b) for (a, one), (b, two) in pairs if one + two == extent), None)


def _where(holding: _Holding, realistic: Mapping[str, int]) -> str:
    """` at H = 8, L = S = 4096`: the sizes that the amount is told for."""
    names: dict[int, list[str]] = defaultdict(list)
    for name in dict.fromkeys(itertools.chain(*holding.parts)):
        if name in realistic:
            names[realistic[name]].append(name)
    told = ", ".join(" = ".join([*alike, str(size)]) for size, alike in names.items())
    return f" at {told}" if told else ""
