# seen-by: clock
"""Through numpy, row by row."""

import numpy as np
import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    a, b, v = (t.detach().numpy() for t in (q, k, value))
    out = np.empty((*a.shape[:-1], v.shape[-1]), dtype=a.dtype)
    for i in range(a.shape[-2]):
        weights = b @ a[..., i, :, None]  # (..., S, 1)
        out[..., i, :] = (weights * v).sum(-2) / (weights.sum(-2) + eps)
    linear = q @ (k.mT @ value) / (q @ k.sum(-2).unsqueeze(-1) + eps)  # for the gradient
    return linear + (torch.from_numpy(out) - linear).detach()
