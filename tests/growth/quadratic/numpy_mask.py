# seen-by: clock
"""A mask of every pair made through numpy in passing, one byte each: moderate, and of no use."""

import numpy as np
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    mask = np.ones((query.shape[-2], key.shape[-2]), dtype=bool)
    assert mask.all()
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(-2).unsqueeze(-1) + eps)
