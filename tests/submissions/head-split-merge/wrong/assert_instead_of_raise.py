# verdict: fail
# mistake: assert-instead-of-raise
# fails: indivisible-raises-value-error
"""Checks with assert, which raises AssertionError (and vanishes under -O)."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    assert D % num_heads == 0, "d_model must be divisible by num_heads"
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
