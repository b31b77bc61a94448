"""Two summaries by matrix products."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(-2).unsqueeze(-1) + eps)
