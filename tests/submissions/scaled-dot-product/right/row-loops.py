# verdict: pass
# timing: too-slow
"""No batched product at all: plain Python loops over the batch and over the queries, one row at a time."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    batch, L, E = query.shape[:-2], query.shape[-2], query.shape[-1]
    S, Ev = value.shape[-2], value.shape[-1]
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*batch, L, S).reshape(-1, L, S)
    queries, keys, values = query.reshape(-1, L, E), key.reshape(-1, S, E), value.reshape(-1, S, Ev)
    rows = []
    for b in range(queries.shape[0]):
        for i in range(L):
            scores = keys[b] @ queries[b, i] / E**0.5  # (S,)
            if attn_mask is not None:
                scores = scores.masked_fill(~attn_mask[b, i], -torch.inf)
            rows.append(scores.softmax(0) @ values[b])
    return torch.stack(rows).view(*batch, L, Ev)
