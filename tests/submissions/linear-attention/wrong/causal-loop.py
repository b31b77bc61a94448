# verdict: fail
# mistake: causal-version
# fails: matches-formula
"""A recurrent loop that reads out after each key; written for decoding, where L = S."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state, total, outs = 0.0, 0.0, []
    for t in range(query.shape[-2]):
        state = state + k[..., t, :, None] * value[..., t, None, :]
        total = total + k[..., t, :]
        norm = (q[..., t, :] * total).sum(-1, keepdim=True) + eps
        outs.append((q[..., t, :, None] * state).sum(-2) / norm)
    return torch.stack(outs, dim=-2)
