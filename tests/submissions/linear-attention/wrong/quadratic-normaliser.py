# verdict: fail
# mistake: quadratic
# fails: linear-work-and-memory
"""The numerator is linear, the normaliser is taken from the full L x S matrix."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    query, key = F.elu(query) + 1, F.elu(key) + 1
    numerator = query @ (key.mT @ value)
    denominator = torch.einsum("...ld,...sd->...ls", query, key).sum(dim=-1, keepdim=True)
    return numerator / (denominator + eps)
