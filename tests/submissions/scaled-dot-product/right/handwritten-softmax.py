# verdict: pass
"""Softmax written out by hand, with the row maximum taken off first; the mask becomes an additive bias."""

import torch


def stable_softmax(x):
    peak = x.max(dim=-1, keepdim=True).values
    e = torch.exp(x - peak)
    return e / e.sum(dim=-1, keepdim=True)


def mask_to_bias(mask, dtype):
    bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return bias.masked_fill(~mask, float("-inf"))


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT * (1.0 / query.shape[-1] ** 0.5)
    if attn_mask is not None:
        scores = scores + mask_to_bias(attn_mask, scores.dtype)
    return stable_softmax(scores) @ value
