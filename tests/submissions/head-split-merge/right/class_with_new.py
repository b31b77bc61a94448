# verdict: pass
"""split_heads is a class whose __new__ returns the tensor, merge_heads the bound method of a frozen dataclass."""

from dataclasses import dataclass


class split_heads:
    def __new__(cls, x, num_heads):
        size, rest = divmod(x.shape[-1], num_heads)
        if rest:
            raise ValueError(f"{x.shape[-1]} = {size} * {num_heads} + {rest}")
        return x.view(x.shape[0], x.shape[1], num_heads, size).permute(0, 2, 1, 3)


@dataclass(frozen=True)
class Merger:
    head_axis: int = 1

    def merge(self, x):
        return x.transpose(self.head_axis, 2).flatten(2)


merge_heads = Merger().merge
