"""Merges the heads from the end, so that the features of head 0 come last."""

FIX = "keep the order: the features of head 0 come first"
KILLED_BY = "merge-places-features"
VARIANT_OF = "heads-reversed"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.flip(1).transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
