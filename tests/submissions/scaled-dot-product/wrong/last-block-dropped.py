# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Walks over S // 2 blocks of keys; an odd last key is left out."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    S, block = key.shape[-2], 2
    pieces = []
    for b in range(max(1, S // block)):
        pieces.append(query @ key[..., b * block : (b + 1) * block, :].mT)
    scores = torch.cat(pieces, dim=-1) / math.sqrt(query.shape[-1])
    used = scores.shape[-1]
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask.expand(*attn_mask.shape[:-1], S)[..., :used], -1e9)
    return torch.softmax(scores, dim=-1) @ value[..., :used, :]
