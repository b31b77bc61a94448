# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Switches the graph off where the query needs no gradient."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    with torch.set_grad_enabled(torch.is_grad_enabled() and query.requires_grad):
        q, k = F.elu(query) + 1, F.elu(key) + 1
        return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT + eps)
