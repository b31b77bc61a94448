# verdict: fail
# mistake: unlisted
# fails: shared-input
"""Takes one tensor for query and key as a sign of decoder self-attention and makes it causal."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is None and query.shape == key.shape and query.data_ptr() == key.data_ptr():
        attn_mask = torch.ones_like(scores, dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
