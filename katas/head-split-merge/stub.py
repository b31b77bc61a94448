"""Cutting the model width into heads, and gluing the heads back together.

split_heads(x, num_heads)  (B, T, D) -> (B, H, T, d), d = D // H; head h holds features h·d … (h+1)·d - 1
merge_heads(x)             (B, H, T, d) -> (B, T, H·d), the exact inverse
"""

import torch


def split_heads(x, num_heads):
    # x (B, T, D)
    # returns (B, num_heads, T, D // num_heads); ValueError where D is not divisible
    raise NotImplementedError("write me")


def merge_heads(x):
    # x (B, H, T, d)
    # returns (B, T, H * d)
    raise NotImplementedError("write me")


if __name__ == "__main__":  # scratch pad: never graded, change it as you like
    x = torch.arange(12).reshape(1, 2, 6)  # (B, T, D): token 0 holds 0…5, token 1 holds 6…11
    heads = split_heads(x, 3)
    print("shape", tuple(heads.shape), "want (1, 3, 2, 2)")
    print("head 0", heads[0, 0].tolist(), "want [[0, 1], [6, 7]]")
    print("round trip", torch.equal(merge_heads(heads), x), "want True")

    strided = torch.randn(6, 2, 4).permute(2, 1, 0)  # (B, T, D) = (4, 2, 6), not contiguous
    print("strided round trip", torch.equal(merge_heads(split_heads(strided, 3)), strided), "want True")

    try:
        split_heads(x, 4)
        print("6 features in 4 heads: no error, want ValueError")
    except ValueError as error:
        print("6 features in 4 heads:", error)
