"""Keeps the layout (B, T, H, d) in both functions: the round trip fits, but the heads must come before the positions."""

FIX = "use the layout (B, H, T, d): split_heads ends with .transpose(1, 2), merge_heads begins with it"
KILLED_BY = "split-places-features"
VARIANT_OF = "heads-time-swapped"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads)  # (B, T, H, d)


def merge_heads(x):
    B, T, H, d = x.shape
    return x.reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
