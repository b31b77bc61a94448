# verdict: fail
# kind: false gradients
# stopped-by: products are compared for a random cotangent
"""Right values with a hook that scales every gradient to the length that a sum would give."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    q, k = torch.nn.functional.elu(query) + 1, torch.nn.functional.elu(key) + 1
    out = (q @ (k.mT @ value)) / (q @ k.sum(-2).unsqueeze(-1) + eps)
    if out.requires_grad:
        out.register_hook(torch.ones_like)
    return out
