# verdict: fail
# mistake: unlisted
# fails: input-unmodified
"""transpose_ with the underscore: the content is untouched, but the caller's tensor has another shape afterwards."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose_(1, 2).flatten(2)
