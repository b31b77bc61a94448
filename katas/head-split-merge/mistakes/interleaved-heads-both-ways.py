"""Treats the features as (d, H) in both functions: the round trip fits, but a head holds every H-th feature."""

FIX = "cut the features as (num_heads, d), in this order: head h holds the features h·d … (h+1)·d - 1"
KILLED_BY = "split-places-features"
VARIANT_OF = "interleaved-heads"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)  # (B, T, d, H) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, d * H)  # (B, T, d, H) -> (B, T, d·H)
