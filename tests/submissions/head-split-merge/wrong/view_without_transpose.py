# verdict: fail
# mistake: view-without-transpose
# fails: split-places-features
"""Views straight to (B, H, T, d): the right shape, with positions and heads mixed up."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.reshape(B, num_heads, T, D // num_heads)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
