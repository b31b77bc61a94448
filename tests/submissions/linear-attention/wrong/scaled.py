# verdict: fail
# mistake: scaled
# fails: matches-formula
"""Scales the query by 1/√E out of habit, before the feature map."""

import math

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q = F.elu(query / math.sqrt(query.size(-1))) + 1
    k = F.elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
