# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Registers a hook to look at the gradients: raises where no input requires one."""

import math

import torch

seen = []


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    weights.register_hook(lambda grad: seen.append(grad.abs().max().item()))
    return weights @ value
