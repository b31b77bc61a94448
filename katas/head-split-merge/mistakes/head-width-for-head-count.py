"""Takes num_heads for the width of a head, so that there are D // num_heads heads of num_heads features."""

FIX = "make num_heads heads of d = D // num_heads features: view(B, T, num_heads, d)"
KILLED_BY = "split-places-features"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, T, D // num_heads, num_heads).transpose(1, 2)  # (B, D // num_heads, T, num_heads)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
