# verdict: fail
# mistake: multiply-by-sqrt-d
# fails: matches-formula
"""Multiplies by the root of E, as one does with embeddings, where it should divide."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scale = query.shape[-1] ** 0.5
    scores = (query * scale) @ key.mT
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) @ value
