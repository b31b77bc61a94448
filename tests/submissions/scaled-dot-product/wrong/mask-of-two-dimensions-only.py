# verdict: fail
# mistake: unlisted
# fails: mask-broadcasts
"""Looks the mask up row by row as (L, S); a mask with more or shorter dimensions is read wrongly."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    rows = []
    for i in range(query.shape[-2]):
        scores = query[..., i : i + 1, :] @ key.mT / math.sqrt(query.shape[-1])  # (..., 1, S)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask[i], float("-inf"))
        rows.append(scores.softmax(-1) @ value)
    return torch.cat(rows, dim=-2)
