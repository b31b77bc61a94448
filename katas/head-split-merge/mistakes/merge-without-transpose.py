"""Reshapes (B, H, T, d) straight to (B, T, H·d), so that heads and positions run into each other."""

FIX = "bring the heads beside their features first: x.transpose(1, 2).reshape(B, T, H * d)"
KILLED_BY = "merge-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)  # the numbers still lie as (H, T, d)
