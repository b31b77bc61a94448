# verdict: pass
"""Makes every outer product k vᵀ, an (S, E, Ev) tensor, and sums it over S: more memory, but linear in S."""

import torch
from torch import nn


def linear_attention(query, key, value, eps=1e-6):
    elu = nn.ELU()
    query, key = elu(query) + 1, elu(key) + 1
    outer = key[..., :, :, None] * value[..., :, None, :]  # (..., S, E, Ev)
    state, total = outer.sum(dim=-3), key.sum(dim=-2)
    above = torch.einsum("...le,...ev->...lv", query, state)
    below = torch.einsum("...le,...e->...l", query, total) + eps
    return above / below[..., None]
