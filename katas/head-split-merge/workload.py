"""What splitting and merging heads is timed on: merging, forward and backward, and splitting. Trusted side only."""

from grader.case import Case

SIZE_NAME = "T"
B, H, D = 2, 4, 64  # D: the width of one head
# A merge is a copy, and so is storing what it gave: without the store next to nothing would be left of it, and that is noise.
STORES_COUNT = True

# For growth and memory: sizes by name, as one meets them. The growing ones grow together.
REALISTIC = {"B": 8, "H": 8, "T": 4096, "d": 64}
GROWING = ("T",)


def make(size, fill):
    """merge_heads(x) on x (2, 4, T, 64)."""
    return Case("merge_heads", {"x": fill(B, H, size, D)}, differentiable=("x",))


def make_split(size, fill):
    """split_heads(x, 4) on a small x (1, T/2, 128): a view costs nothing, so loops must not drown in storing its content."""
    return Case("split_heads", {"x": fill(1, size // 2, H * D // 2), "num_heads": H})


OTHERS = {"split_heads": make_split}


def grow(sizes, fill):
    """merge_heads(x) on x (B, H, T, d)."""
    return Case("merge_heads", {"x": fill(*(sizes[name] for name in "BHTd"))}, differentiable=("x",))
