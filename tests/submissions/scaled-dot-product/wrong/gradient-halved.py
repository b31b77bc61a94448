# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""A hook against exploding gradients was left on the output and halves every gradient."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    out = torch.softmax(scores, dim=-1) @ value
    if out.requires_grad:
        out.register_hook(lambda grad: grad * 0.5)
    return out
