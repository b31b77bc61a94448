"""Merges with d before H, so that the features of the heads alternate instead of standing side by side."""

FIX = "put the heads before their features: x.transpose(1, 2) is (B, T, H, d), then reshape(B, T, H * d)"
KILLED_BY = "merge-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, d * H)  # (B, T, d, H) -> (B, T, d·H)
