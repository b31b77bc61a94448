# verdict: fail
# mistake: scale-by-d
# fails: matches-formula
"""Walks over the queries one by one and takes the mean of the products where the sum over the root was meant."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    L, S = query.shape[-2], key.shape[-2]
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*query.shape[:-2], L, S)
    rows = []
    for i in range(L):
        scores = (query[..., i : i + 1, :] * key).mean(dim=-1)
        if attn_mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~attn_mask[..., i, :], -1e9)
        weights = scores.softmax(dim=-1)
        rows.append((weights.unsqueeze(-1) * value).sum(dim=-2))
    return torch.stack(rows, dim=-2)
