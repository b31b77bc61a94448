# verdict: fail
# mistake: unlisted
# fails: merge-places-features
"""merge_heads uses the sizes that the last split_heads left in a global: right after a split, wrong on its own."""

_last = {"num_heads": 8, "size": 64}


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    _last.update(num_heads=num_heads, size=D // num_heads)
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    x = x.transpose(1, 2)  # (B, T, H, d)
    return x.reshape(x.shape[0], -1, _last["num_heads"] * _last["size"])
