# verdict: fail
# mistake: no-divisibility-check
# fails: indivisible-raises-value-error
"""Raises ValueError for more heads than features only; 5 features in 4 heads reach view, a RuntimeError."""

def split_heads(x, num_heads):
    B, T, D = x.shape
    if D // num_heads == 0:
        raise ValueError(f"{D} features are too few for {num_heads} heads")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
