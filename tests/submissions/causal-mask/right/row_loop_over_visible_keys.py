# verdict: pass
# timing: too-slow
"""Row by row: picks out the visible scores, takes their softmax and writes it into a row of zeros."""

import torch


def causal_mask(seq_len, device=None):
    rows = [[j <= i for j in range(seq_len)] for i in range(seq_len)]
    return torch.tensor(rows, dtype=torch.bool, device=device)


def masked_softmax(scores, mask):
    num_keys = scores.shape[-1]
    rows = []
    for row, visible in zip(scores.reshape(-1, num_keys), mask.expand_as(scores).reshape(-1, num_keys), strict=True):
        picked = row[visible]
        exps = torch.exp(picked - picked.max())
        weights = torch.zeros_like(row)
        weights[visible] = exps / exps.sum()
        rows.append(weights)
    return torch.stack(rows).view(scores.shape)
