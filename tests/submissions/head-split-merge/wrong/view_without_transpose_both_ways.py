# verdict: fail
# mistake: view-without-transpose
# fails: split-places-features, merge-places-features
"""Views straight to the target shape in both directions, so the round trip looks fine."""


def split_heads(x, num_heads):
    batch, length, width = x.shape
    if width % num_heads:
        raise ValueError("num_heads must divide d_model")
    return x.contiguous().view(batch, num_heads, length, width // num_heads)


def merge_heads(x):
    batch, num_heads, length, size = x.shape
    return x.contiguous().view(batch, length, num_heads * size)
