# verdict: pass
# timing: too-slow
"""Flash-style: walks over blocks of keys and keeps a running maximum, a running sum and a running output."""

import math

import torch

BLOCK = 8


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    floor = torch.finfo(query.dtype).min  # finite, so that a fully masked block gives no inf - inf
    batch, L, S = query.shape[:-2], query.shape[-2], key.shape[-2]
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*batch, L, S)
    top = query.new_full((*batch, L, 1), floor)
    total = query.new_zeros((*batch, L, 1))
    out = query.new_zeros((*batch, L, value.shape[-1]))
    for start in range(0, S, BLOCK):
        block = slice(start, start + BLOCK)
        scores = query @ key[..., block, :].mT / math.sqrt(query.shape[-1])
        if attn_mask is not None:
            scores = torch.where(attn_mask[..., block], scores, floor)
        new_top = torch.maximum(top, scores.amax(-1, keepdim=True).detach())
        p = torch.exp(scores - new_top)
        shrink = torch.exp(top - new_top)
        total = total * shrink + p.sum(-1, keepdim=True)
        out = out * shrink + p @ value[..., block, :]
        top = new_top
    return out / total
