# verdict: pass
"""Names F.scaled_dot_product_attention in text, in a helper that never runs and under __main__; never calls it."""

import math

import torch
import torch.nn.functional as F


def _library_answer(query, key, value, attn_mask=None):
    return F.scaled_dot_product_attention(query, key, value, attn_mask)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    # should agree with torch.nn.functional.scaled_dot_product_attention
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    exps = torch.exp(scores - scores.amax(dim=-1, keepdim=True).detach())
    return exps @ value / (exps.sum(dim=-1, keepdim=True) + 1e-12)


if __name__ == "__main__":
    x = torch.randn(3, 5, 7)
    print(torch.allclose(scaled_dot_product_attention(x, x, x), _library_answer(x, x, x), atol=1e-6))
