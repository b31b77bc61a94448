# verdict: fail
# mistake: naive-softmax-overflow
# fails: large-scores-stay-finite
"""Softmax by the formula: exp of a large score is infinite and the quotient is NaN."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    exps = torch.exp(scores)
    if attn_mask is not None:
        exps = exps * attn_mask
    return (exps / exps.sum(-1, keepdim=True)) @ value
