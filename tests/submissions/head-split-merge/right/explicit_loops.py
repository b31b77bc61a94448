# verdict: pass
# timing: too-slow
"""Loops over heads and features and fills a new tensor, one assignment each."""


def split_heads(x, num_heads):
    batch, length, width = x.shape
    size = width // num_heads
    if size * num_heads != width:
        raise ValueError("d_model must be divisible by num_heads")
    out = x.new_empty(batch, num_heads, length, size)
    for h in range(num_heads):
        for i in range(size):
            out[:, h, :, i] = x[:, :, h * size + i]
    return out


def merge_heads(x):
    batch, num_heads, length, size = x.shape
    out = x.new_zeros(batch, length, num_heads * size)
    for h in range(num_heads):
        out[:, :, h * size : (h + 1) * size] = x[:, h]
    return out
