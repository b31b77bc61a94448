# verdict: pass
"""unflatten and flatten instead of view, with type annotations."""

from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.size(-1)
    if width % num_heads:
        raise ValueError(f"the width {width} is no multiple of {num_heads}")
    return x.unflatten(-1, (num_heads, width // num_heads)).movedim(-2, 1)


def merge_heads(x: Tensor) -> Tensor:
    return x.movedim(1, -2).flatten(start_dim=-2)
