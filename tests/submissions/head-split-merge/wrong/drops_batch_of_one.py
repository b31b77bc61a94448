# verdict: fail
# mistake: unlisted
# fails: split-places-features
"""Squeezes dimension 0: a batch of one comes back as (H, T, d), which broadcasts and looks right."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2).squeeze(0)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
