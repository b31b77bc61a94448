# verdict: pass
"""Written for one pair of matrices and lifted with one torch.vmap for each batch dimension."""

import torch


def attend(query, key, value, keep):
    scores = torch.where(keep, query @ key.T / query.shape[-1] ** 0.5, -torch.inf)
    return torch.softmax(scores, dim=-1) @ value


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    *batch, L, _ = query.shape
    S = key.shape[-2]
    if attn_mask is None:
        attn_mask = torch.ones(L, S, dtype=torch.bool, device=query.device)
    f = attend
    for _ in batch:
        f = torch.vmap(f)
    return f(query, key, value, attn_mask.expand(*batch, L, S))
