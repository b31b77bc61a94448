# verdict: fail
# mistake: detached-weights
# fails: input-gradients
"""Computes the weights under no_grad to save memory: only the value gets a gradient."""

import math

import torch


@torch.no_grad()
def attention_weights(query, key, attn_mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores.masked_fill_(~attn_mask, -torch.inf)
    return scores.softmax(-1)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return attention_weights(query, key, attn_mask) @ value
