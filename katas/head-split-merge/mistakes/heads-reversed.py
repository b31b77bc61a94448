"""Numbers the heads from the end, so that head 0 holds the last features."""

FIX = "keep the order: head 0 holds the features 0 … d - 1"
KILLED_BY = "split-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2).flip(1)  # (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
