"""Takes log(sum(exp(scores))) without subtracting the maximum, so that large scores end in infinity."""

FIX = "use torch.softmax or torch.logsumexp, or subtract scores.amax(dim=-1, keepdim=True) before exp"
KILLED_BY = "large-scores-stay-finite"
VARIANT_OF = "naive-softmax-overflow"

import math

import torch


def softmax(scores, dim):
    log_sum = torch.log(torch.exp(scores).sum(dim, keepdim=True))
    return torch.exp(scores - log_sum)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
