# verdict: fail
# mistake: unlisted
# fails: repeatable
"""F.dropout without training=False drops weights at every call, for a function has no eval mode."""

import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.1):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = F.dropout(torch.softmax(scores, dim=-1), p=dropout_p)
    return weights @ value
