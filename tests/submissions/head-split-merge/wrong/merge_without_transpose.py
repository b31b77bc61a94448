# verdict: fail
# mistake: merge-without-transpose
# fails: merge-places-features
"""Reshapes (B, H, T, d) to (B, T, D) without bringing the heads beside their features first."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)
