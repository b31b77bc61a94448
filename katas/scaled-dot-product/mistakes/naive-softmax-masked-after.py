"""Takes exp of the scores without subtracting the maximum, so that large scores end in inf / inf = NaN."""

FIX = "fill the scores with -inf where the mask is False, then use torch.softmax"
KILLED_BY = "large-scores-stay-finite"
VARIANT_OF = "naive-softmax-overflow"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.exp(scores)  # (..., L, S)
    else:
        weights = torch.exp(scores) * attn_mask  # (..., L, S)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value  # (..., L, Ev)
