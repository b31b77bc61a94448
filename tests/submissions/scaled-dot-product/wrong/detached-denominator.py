# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Detaches the softmax denominator together with the maximum; only the maximum may be detached."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    e = torch.exp(scores - scores.amax(-1, keepdim=True).detach())
    return e / e.sum(-1, keepdim=True).detach() @ value
