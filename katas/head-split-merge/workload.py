"""What splitting and merging heads is timed on: merging, since splitting only rewrites strides. Trusted side only."""

from grader.case import Case

SIZE_NAME = "T"
B, H, D = 2, 8, 64  # D: the width of one head

# For growth and memory: sizes by name, as one meets them. The growing ones grow together.
REALISTIC = {"B": 8, "H": 8, "T": 4096, "d": 64}
GROWING = ("T",)


def make(size, fill):
    """merge_heads(x) on x (2, 8, T, 64)."""
    return Case("merge_heads", {"x": fill(B, H, size, D)}, differentiable=("x",))


def grow(sizes, fill):
    """merge_heads(x) on x (B, H, T, d)."""
    return Case("merge_heads", {"x": fill(*(sizes[name] for name in "BHTd"))}, differentiable=("x",))
