# verdict: pass
# timing: too-slow
"""Born from the causal version: prefix sums over the keys, of which only the last one is read."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    query, key = F.elu(query) + 1, F.elu(key) + 1
    prefix = torch.cumsum(torch.einsum("...se,...sv->...sev", key, value), dim=-3)
    total = torch.cumsum(key, dim=-2)[..., -1:, :]
    state = prefix[..., -1, :, :]
    return query @ state / ((query * total).sum(dim=-1, keepdim=True) + eps)
