"""Views straight to the target shape in both functions: the round trip fits, but the heads hold other features."""

FIX = "cut the features first, then swap: x.view(B, T, num_heads, d).transpose(1, 2), and the reverse to merge"
KILLED_BY = "split-places-features"
VARIANT_OF = "view-without-transpose"


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")
    return x.view(B, num_heads, T, D // num_heads)  # (B, H, T, d), but the numbers still lie as (T, H, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.view(B, T, H * d)  # the numbers still lie as (H, T, d)
