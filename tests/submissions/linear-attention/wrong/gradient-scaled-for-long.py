# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""A hook divides the gradient of the keys by their number where there are more than 64."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    if key.shape[-2] > 64 and k.requires_grad:
        k.register_hook(lambda g: g / key.shape[-2])
    return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT + eps)
