# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Decorated with no_grad, left over from an inference script: nothing gets a gradient."""

import math

import torch


@torch.no_grad()
def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
