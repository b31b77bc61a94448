# verdict: fail
# mistake: heads-time-swapped
# fails: split-places-features
"""Uses the (B, T, H, d) layout in both functions: the round trip works, the layout is not the one asked for."""


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} is not a multiple of {num_heads}")
    return x.unflatten(-1, (num_heads, -1))


def merge_heads(x):
    return x.flatten(-2)
