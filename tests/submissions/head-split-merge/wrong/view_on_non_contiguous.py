# verdict: fail
# mistake: view-on-non-contiguous
# fails: merge-places-features
"""Forgets contiguous() between transpose and view: RuntimeError as soon as there are two heads and two positions."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)
