# verdict: fail
# mistake: heads-reversed
# fails: merge-places-features
"""The split is right, the merge concatenates the heads last first."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("features do not divide")
    return x.reshape(B, T, num_heads, -1).permute(0, 2, 1, 3)


def merge_heads(x):
    pieces = []
    for head in x.unbind(dim=1):
        pieces.insert(0, head)
    return torch.cat(pieces, dim=-1)
