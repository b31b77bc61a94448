# verdict: fail
# mistake: detached-weights
# fails: input-gradients
"""Detaches the weights to keep a copy for plotting and goes on with the detached ones."""

import math

import torch

last_weights = None


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    global last_weights
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    last_weights = weights = torch.softmax(scores, dim=-1).detach()
    return weights @ value
