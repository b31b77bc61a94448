"""The weights as an einsum."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    weights = torch.einsum("...le,...se->...ls", F.elu(query) + 1, F.elu(key) + 1)
    return torch.einsum("...ls,...sv->...lv", weights, value) / (weights.sum(-1, keepdim=True) + eps)
