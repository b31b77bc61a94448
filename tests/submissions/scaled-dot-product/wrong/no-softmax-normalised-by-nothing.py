# verdict: fail
# mistake: no-softmax
# fails: matches-formula
"""Kernel attention with the identity as kernel: masked products times values, nothing turns them into weights."""

import torch


def kernel(q, k):
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    similarity = kernel(query, key) / query.shape[-1] ** 0.5
    if attn_mask is not None:
        similarity = similarity * attn_mask
    return similarity @ value
