# verdict: fail
# kind: input mutation
# stopped-by: content is compared in the parent
"""Scales the key through a view of its storage."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    q, k = torch.nn.functional.elu(query) + 1, torch.nn.functional.elu(key) + 1
    out = (q @ (k.mT @ value)) / (q @ k.sum(-2).unsqueeze(-1) + eps)
    key.data.view_as(key).mul_(2)
    return out
