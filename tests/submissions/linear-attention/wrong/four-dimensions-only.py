# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions
"""Einsum with the letters b and h written out; matrices and single batches raise."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.einsum("bhsd,bhsv->bhdv", k, value)
    norm = torch.einsum("bhld,bhd->bhl", q, k.sum(dim=2)) + eps
    return torch.einsum("bhld,bhdv->bhlv", q, kv) / norm.unsqueeze(-1)
