# verdict: fail
# mistake: unlisted
# fails: repeatable
"""A shorter way for inference, taken where gradients are switched off, does not know of the mask."""

import math

import torch


def _infer(query, key, value):
    return torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1) @ value


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    if not torch.is_grad_enabled():
        return _infer(query, key, value)
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
