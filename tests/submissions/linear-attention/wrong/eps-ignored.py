# verdict: fail
# mistake: eps-ignored
# fails: eps-keeps-its-place
"""Writes 1e-6 into the formula and never looks at the argument."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + 1e-6)
