# verdict: fail
# mistake: relu-feature-map
# fails: matches-formula
"""Clamps at zero in place of elu plus one, and carries the normaliser as a last column of the values."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    q, k = query.clamp(min=0), key.clamp(min=0)
    ones = torch.ones_like(value[..., :1])
    mixed = q @ (k.transpose(-2, -1) @ torch.cat([value, ones], dim=-1))
    return mixed[..., :-1] / (mixed[..., -1:] + eps)
