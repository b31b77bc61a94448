# verdict: fail
# mistake: unlisted
# fails: merge-places-features
"""Merges to the 512 features of the example in the notes."""

D_MODEL = 512


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose(1, 2).reshape(x.shape[0], -1, D_MODEL)
