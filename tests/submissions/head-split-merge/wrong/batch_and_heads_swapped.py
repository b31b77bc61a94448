# verdict: fail
# mistake: batch-and-heads-swapped
# fails: split-places-features
"""Unfolds (B·H, T, d) as (H, B, ...): the same thing while there is one sequence in the batch."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    folded = x.transpose(0, 1).reshape(T, B * num_heads, D // num_heads)
    return folded.view(T, num_heads, B, D // num_heads).permute(2, 1, 0, 3)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
