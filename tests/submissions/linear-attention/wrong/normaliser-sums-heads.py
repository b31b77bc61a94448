# verdict: fail
# mistake: normaliser-wrong-axis
# fails: any-batch-dimensions, matches-formula
"""key.sum(dim=1) is the sum over positions for (B, S, E), but the sum over heads for (B, H, S, E)."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = k.transpose(-2, -1) @ value
    k_sum = k.sum(dim=1) if k.dim() > 2 else k.sum(dim=0)
    if k.dim() == 4:
        k_sum = k_sum.mean(dim=1, keepdim=True)
    norm = (q * k_sum.unsqueeze(-2)).sum(dim=-1, keepdim=True) + eps
    return q @ state / norm
