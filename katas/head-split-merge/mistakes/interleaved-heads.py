"""Cuts the features as (d, H), so that a head gets every H-th feature instead of d neighbouring ones."""

FIX = "cut the features as (num_heads, d), in this order: head h holds the features h·d … (h+1)·d - 1"
KILLED_BY = "split-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)  # (B, T, d, H) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
