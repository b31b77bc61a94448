"""What the masked softmax is timed on. Trusted side only."""

import torch

from grader.case import Case

SIZE_NAME = "L = S"
B, H = 2, 4

# For growth and memory: sizes by name, as one meets them. The growing ones grow together.
REALISTIC = {"H": 8, "L": 4096, "S": 4096}
GROWING = ("L", "S")


def make(size, fill):
    """masked_softmax(scores, mask) with scores (2, 4, L, L) and the causal mask (L, L)."""
    mask = torch.ones(size, size, dtype=torch.bool).tril()
    return Case("masked_softmax", {"scores": fill(B, H, size, size), "mask": mask}, differentiable=("scores",))


def make_mask(size, fill):
    """causal_mask(L)."""
    return Case("causal_mask", {"seq_len": size})


OTHERS = {"causal_mask": make_mask}


def grow(sizes, fill):
    """masked_softmax(scores, mask) with scores (H, L, S) and a mask (L, S)."""
    H, L, S = (sizes[name] for name in "HLS")
    mask = torch.ones(L, S, dtype=torch.bool).tril()
    return Case("masked_softmax", {"scores": fill(H, L, S), "mask": mask}, differentiable=("scores",))
