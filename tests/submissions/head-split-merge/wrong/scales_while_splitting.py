# verdict: fail
# mistake: unlisted
# fails: split-places-features
"""Folds the 1/sqrt(d) of the attention scores into the split."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    d = D // num_heads
    return x.view(B, T, num_heads, d).transpose(1, 2) * d**-0.5


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
