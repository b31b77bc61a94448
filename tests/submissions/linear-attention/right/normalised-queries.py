# verdict: pass
"""Divides the query features by the normaliser first; CELU with alpha 1 is the same function as ELU."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    phi_q, phi_k = F.celu(query) + 1, F.celu(key) + 1
    z = torch.matmul(phi_q, phi_k.sum(dim=-2).unsqueeze(-1)) + eps  # (..., L, 1)
    return (phi_q / z) @ (phi_k.transpose(-2, -1) @ value)
