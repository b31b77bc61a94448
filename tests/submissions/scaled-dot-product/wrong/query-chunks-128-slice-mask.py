# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Chunks of 128 queries; the mask is sliced although its query dimension may be 1."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    out = []
    for s in range(0, query.shape[-2], 128):
        scores = query[..., s : s + 128, :] @ key.mT / math.sqrt(query.shape[-1])
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask[..., s : s + 128, :], float("-inf"))
        out.append(scores.softmax(-1) @ value)
    return torch.cat(out, -2)
