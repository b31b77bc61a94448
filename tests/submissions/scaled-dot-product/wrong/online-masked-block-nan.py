# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""Online softmax that starts at -inf: a query whose first keys are all masked gets exp(-inf + inf), NaN."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    top, total, out = torch.full_like(scores[..., :1], -math.inf), 0.0, 0.0
    for j in range(key.shape[-2]):
        s = scores[..., j : j + 1]
        new_top = torch.maximum(top, s)
        shrink, p = torch.exp(top - new_top), torch.exp(s - new_top)
        total = total * shrink + p
        out = out * shrink + p * value[..., j : j + 1, :]
        top = new_top
    return out / total
