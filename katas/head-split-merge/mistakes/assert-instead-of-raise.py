"""Checks with assert, which raises AssertionError instead of ValueError and vanishes under python -O."""

FIX = "write if D % num_heads != 0: raise ValueError(...) instead of assert"
KILLED_BY = "indivisible-raises-value-error"


def split_heads(x, num_heads):
    B, T, D = x.shape
    assert D % num_heads == 0, f"cannot split {D} features into {num_heads} equal heads"
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
