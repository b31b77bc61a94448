# verdict: pass
"""Walks the batch in a Python loop and updates each state with addmm."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    E, Ev = key.shape[-1], value.shape[-1]
    outs = []
    flat = (t.reshape(-1, *t.shape[-2:]) for t in (query, key, value))
    for q, k, v in zip(*flat, strict=True):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        state = torch.addmm(q.new_zeros(E, Ev), k.T, v)
        norm = torch.mv(q, k.sum(0)) + eps
        outs.append(torch.mm(q, state) / norm[:, None])
    return torch.stack(outs).reshape(*query.shape[:-1], Ev)
