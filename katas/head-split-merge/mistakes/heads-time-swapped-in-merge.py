"""Takes (B, T, H, d) for granted in merge_heads, but the heads come before the positions: (B, H, T, d)."""

FIX = "swap heads and positions first: x.transpose(1, 2).reshape(B, T, H * d)"
KILLED_BY = "merge-places-features"
VARIANT_OF = "heads-time-swapped"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, T, H, d = x.shape
    return x.reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
