# verdict: fail
# mistake: view-on-non-contiguous
# fails: non-contiguous-input
"""Flattens batch and time with view before the split, which works for contiguous input only."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    rows = x.view(B * T, D)
    return rows.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
