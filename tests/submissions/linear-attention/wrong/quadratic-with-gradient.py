# verdict: fail
# mistake: quadratic
# fails: linear-work-and-memory
"""Linear for inference only: where a gradient is wanted it falls back to the L x S matrix that is easy to differentiate."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    if query.requires_grad or key.requires_grad or value.requires_grad:
        weights = q @ k.mT
        return weights @ value / (weights.sum(dim=-1, keepdim=True) + eps)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
