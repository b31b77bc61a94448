"""Stops after the view and returns (B, T, H, d): the heads must come before the positions."""

FIX = "swap positions and heads after the view: .transpose(1, 2)"
KILLED_BY = "split-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads)  # (B, T, H, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
