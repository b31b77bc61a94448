"""Folds batch and positions with view before it splits, which raises RuntimeError unless x lies contiguous in memory."""

FIX = "use reshape, or call view(B, T, num_heads, d), which leaves batch and positions alone"
KILLED_BY = "non-contiguous-input"
VARIANT_OF = "view-on-non-contiguous"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B * T, num_heads, -1).view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
