"""Folds the heads into the batch and returns (B·H, T, d): the heads need a dimension of their own."""

FIX = "keep four dimensions: return (B, num_heads, T, d)"
KILLED_BY = "split-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    heads = x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, H, T, d)
    return heads.reshape(B * num_heads, T, D // num_heads)  # (B·H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
