# verdict: fail
# mistake: batch-folded
# fails: split-places-features
"""Folds the heads into the batch, (B·H, T, d), ready for bmm, and leaves them there."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2).reshape(B * num_heads, T, D // num_heads)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
