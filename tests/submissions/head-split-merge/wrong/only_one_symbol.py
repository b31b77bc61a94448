# verdict: unusable
# mistake: unlisted
"""Defines split_heads and forgets merge_heads."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def combine_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
