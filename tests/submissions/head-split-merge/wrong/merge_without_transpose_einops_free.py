# verdict: fail
# mistake: merge-without-transpose
# fails: merge-places-features
"""Merges with flatten and unflatten, and leaves out the one step that matters."""

def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("num_heads must divide the width")
    return x.unflatten(-1, (num_heads, -1)).movedim(2, 1)


def merge_heads(x):
    batch, heads, positions, width = x.shape
    return x.contiguous().flatten().unflatten(0, (batch, positions, heads * width))
