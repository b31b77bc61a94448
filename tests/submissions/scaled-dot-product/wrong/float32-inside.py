# verdict: fail
# mistake: unlisted
# fails: matches-formula
# dtypes: float64
"""Computes in float32 and casts back, so that a float64 input gets a float32 answer in disguise."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    dtype = query.dtype
    q, k, v = (t.to(torch.float32) for t in (query, key, value))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return (scores.softmax(-1) @ v).to(dtype)
