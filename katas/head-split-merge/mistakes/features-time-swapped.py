"""Returns (B, H, d, T), the layout that the keys have inside the scores; positions come before features."""

FIX = "keep the features last: x.view(B, T, num_heads, d).transpose(1, 2)"
KILLED_BY = "split-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads).permute(0, 2, 3, 1)  # (B, H, d, T)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
