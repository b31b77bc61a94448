# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Tiles of 32 keys with a running sum; behind the last full tile the rest is forgotten. Up to 32 keys nothing is amiss."""

import math

import torch

TILE = 32


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    S = key.shape[-2]
    top = scores.amax(-1, keepdim=True).detach()
    total, out = 0.0, 0.0
    for i in range(max(S // TILE, 1)):
        tile = slice(i * TILE, (i + 1) * TILE)
        p = torch.exp(scores[..., tile] - top)
        total = total + p.sum(-1, keepdim=True)
        out = out + p @ value[..., tile, :]
    return out / total
