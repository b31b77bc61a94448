# verdict: pass
"""Appends a column of ones to the values: numerator and normaliser come out of the same product."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    phi_q = F.elu(query).add(1)
    phi_k = F.elu(key).add(1)
    extended = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    out = phi_q @ (phi_k.mT @ extended)
    return out[..., :-1] / (out[..., -1:] + eps)
