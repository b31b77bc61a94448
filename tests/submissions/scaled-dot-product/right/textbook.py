# verdict: pass
"""The textbook answer: matmul, divide by the root of E, fill with minus infinity, softmax, matmul."""

import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if attn_mask is not None:
        scores = scores.masked_fill(attn_mask == 0, float("-inf"))
    return torch.matmul(F.softmax(scores, dim=-1), value)


if __name__ == "__main__":
    q, k, v = torch.randn(2, 4, 8), torch.randn(2, 6, 8), torch.randn(2, 6, 3)
    print(scaled_dot_product_attention(q, k, v).shape)
