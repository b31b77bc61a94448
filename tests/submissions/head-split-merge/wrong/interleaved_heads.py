# verdict: fail
# mistake: interleaved-heads
# fails: split-places-features
"""Splits the features as (d, H): feature f goes to head f mod H. The merge undoes it, so the round trip is right."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, d * H)
