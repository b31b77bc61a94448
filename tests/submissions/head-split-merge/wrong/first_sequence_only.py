# verdict: fail
# mistake: unlisted
# fails: split-places-features
"""Splits the first sequence and expands it over the batch."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    heads = x[0].unflatten(-1, (num_heads, D // num_heads)).transpose(0, 1)  # (H, T, d)
    return heads.expand(B, num_heads, T, D // num_heads)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
