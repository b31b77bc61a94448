# verdict: pass
"""Splits the queries into blocks to bound memory, prints a line of debugging, and joins the blocks."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    blocks, size = [], 16
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*attn_mask.shape[:-2], query.shape[-2], key.shape[-2])
        print("masked", tuple(attn_mask.shape))
    for start in range(0, query.shape[-2], size):
        scores = torch.matmul(query[..., start : start + size, :], key.mT)
        scores *= query.shape[-1] ** -0.5
        if attn_mask is not None:
            scores.masked_fill_(~attn_mask[..., start : start + size, :], -torch.inf)
        blocks.append(scores.softmax(-1) @ value)
    return torch.cat(blocks, dim=-2)
