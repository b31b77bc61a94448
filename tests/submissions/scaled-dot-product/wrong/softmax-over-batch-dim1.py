# verdict: fail
# mistake: softmax-over-batch
# fails: matches-formula
"""softmax(dim=1) is right for one pair of matrices, where it was tried, and wrong with a batch."""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(mask.logical_not(), -1e9)
    return torch.softmax(s, dim=1) @ v


if __name__ == "__main__":
    print(scaled_dot_product_attention(torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)).shape)
