"""Views x straight as (B, H, T, d), so that a head gets a stretch of the sequence, and raises where x is not contiguous."""

FIX = "cut the features first, then swap: x.view(B, T, num_heads, d).transpose(1, 2)"
KILLED_BY = "split-places-features"
VARIANT_OF = "view-without-transpose"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, num_heads, T, D // num_heads)  # (B, H, T, d), but the numbers still lie as (T, H, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
