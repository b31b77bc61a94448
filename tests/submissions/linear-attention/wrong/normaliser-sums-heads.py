# verdict: fail
# mistake: normaliser-wrong-axis
# fails: any-batch-dimensions, matches-formula
"""key.sum(dim=1) is the sum over positions for (B, S, E), but the sum over heads for (B, H, S, E)."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = k.transpose(-2, -1) @ value
    norm = (q * k.sum(dim=1, keepdim=True)).sum(dim=-1, keepdim=True) + eps
    return q @ state / norm
