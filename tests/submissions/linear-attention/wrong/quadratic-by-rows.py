# verdict: fail
# mistake: quadratic
# fails: linear-work-and-memory
"""No L x S matrix, but each query in the loop visits every key again: quadratic work."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    query, key = F.elu(query) + 1, F.elu(key) + 1
    rows = []
    for i in range(query.shape[-2]):
        weights = (key * query[..., i : i + 1, :]).sum(-1, keepdim=True)  # (..., S, 1)
        rows.append((weights * value).sum(-2) / (weights.sum(-2) + eps))
    return torch.stack(rows, dim=-2)
