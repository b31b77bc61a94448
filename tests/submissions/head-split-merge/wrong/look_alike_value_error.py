# verdict: fail
# mistake: unlisted
# fails: indivisible-raises-value-error
"""Raises an exception of its own that is called ValueError but does not inherit from it."""


class ValueError(Exception):
    pass


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
