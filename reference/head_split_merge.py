"""Cutting the model width into heads, and gluing the heads back together.

    split[b, h, t, i] = x[b, t, h·d + i]        head h owns the neighbouring features h·d … (h+1)·d - 1
    merge[b, t, h·d + i] = x[b, h, t, i]        the exact inverse

    split_heads: (B, T, D) -> (B, H, T, d) with d = D / H        merge_heads: (B, H, T, d) -> (B, T, H·d)

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2: head_1 … head_h and their concatenation.
"""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"cannot split {D} features into {num_heads} equal heads")

    # Cutting one dimension in two and swapping dimensions only rewrites strides: a view, whatever the layout of x.
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d); reshape copies where it has to
