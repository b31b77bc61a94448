# verdict: fail
# mistake: unlisted
# fails: merge-places-features
"""Takes the longer of the two middle dimensions for the positions, whichever comes first: wrong with more heads than positions."""

def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} features do not divide into {num_heads} heads")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    if x.shape[1] <= x.shape[2]:  # (B, H, T, d) -> (B, T, H, d); a sequence is longer than its heads are many
        x = x.transpose(1, 2)
    return x.flatten(2)
