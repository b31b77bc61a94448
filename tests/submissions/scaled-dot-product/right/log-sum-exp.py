# verdict: pass
"""The weights are taken in log space: exp(score - logsumexp of its row)."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    log_weights = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
    return log_weights.exp() @ value
