# verdict: fail
# mistake: merge-order-swapped
# fails: merge-places-features
"""Lays the features out as (d, H): the last two axes go into the reshape in the wrong order."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)
