"""Calls view where the numbers need not lie in that order in memory, in both functions: it raises RuntimeError."""

FIX = "use reshape, or .contiguous() before view"
KILLED_BY = "merge-places-features"
VARIANT_OF = "view-on-non-contiguous"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return (
        x.view(B * T, num_heads, -1).view(B, T, num_heads, D // num_heads).transpose(1, 2)
    )  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
