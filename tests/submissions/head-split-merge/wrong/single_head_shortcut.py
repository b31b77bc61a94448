# verdict: fail
# mistake: unlisted
# fails: split-places-features
"""Returns x as it is when there is one head: the head dimension is missing."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if num_heads == 1:
        return x
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
