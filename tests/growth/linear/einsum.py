"""Every product is an einsum."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = torch.einsum("...se,...sv->...ev", k, value)
    norm = torch.einsum("...le,...se->...l", q, k.sum(-2, keepdim=True))
    return torch.einsum("...le,...ev->...lv", q, state) / (norm + eps)[..., None]
