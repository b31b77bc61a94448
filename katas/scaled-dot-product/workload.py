"""What scaled dot-product attention is timed on. Trusted side only."""

from grader.case import Case

SIZE_NAME = "L = S"
B, H, E = 2, 4, 64

# For growth and memory: sizes by name, as one meets them. The growing ones grow together.
REALISTIC = {"H": 8, "L": 4096, "S": 4096, "E": 64}
GROWING = ("L", "S")


def make(size, fill):
    """Self-attention without a mask: query, key and value (2, 4, L, 64)."""
    arguments = {name: fill(B, H, size, E) for name in ("query", "key", "value")}
    return Case("scaled_dot_product_attention", arguments, differentiable=tuple(arguments))


def make_masked(size, fill):
    """The same with a mask (L, L)."""
    return make(size, fill).with_arguments(attn_mask=fill.mask(size, size))


OTHERS = {"with a mask": make_masked}


def grow(sizes, fill):
    """One sequence, without a mask: query (H, L, E), key and value (H, S, E)."""
    H, L, S, E = (sizes[name] for name in "HLSE")
    arguments = {"query": fill(H, L, E), "key": fill(H, S, E), "value": fill(H, S, E)}
    return Case("scaled_dot_product_attention", arguments, differentiable=tuple(arguments))
