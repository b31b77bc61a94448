"""Cuts batch and heads apart in the wrong order, so that with two sequences or more they are mixed up."""

FIX = "leave the batch dimension alone: x.view(B, T, num_heads, d).transpose(1, 2)"
KILLED_BY = "split-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    heads = x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, H, T, d)
    return heads.reshape(num_heads, B, T, D // num_heads).transpose(0, 1)  # (B, H, T, d), but the numbers lie as (B, H)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
