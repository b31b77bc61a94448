# verdict: fail
# mistake: unlisted
# fails: split-places-features
"""Refuses heads of odd size, as code with rotary embeddings has to, though nobody asked for that."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0 or (D // num_heads) % 2 != 0:
        raise ValueError("d_model must be divisible by num_heads into heads of even size")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
