# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Switches the graph off where the query needs no gradient; key and value may still need theirs."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    with torch.set_grad_enabled(torch.is_grad_enabled() and query.requires_grad):
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        return scores.softmax(-1) @ value
