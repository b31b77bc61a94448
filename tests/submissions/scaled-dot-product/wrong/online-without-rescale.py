# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Online softmax that rescales the running sum when the maximum moves, but forgets the running output."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    low = torch.finfo(query.dtype).min
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, low)
    top, total, out = torch.full_like(scores[..., :1], low), 0.0, 0.0
    for j in range(key.shape[-2]):
        new_top = torch.maximum(top, scores[..., j : j + 1])
        p = torch.exp(scores[..., j : j + 1] - new_top)
        total = total * torch.exp(top - new_top) + p
        out = out + p * value[..., j : j + 1, :]
        top = new_top
    return out / total
