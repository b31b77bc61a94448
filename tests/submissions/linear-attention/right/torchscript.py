# verdict: pass
"""A scripted function with a typed default for eps."""

import torch
import torch.nn.functional as F


@torch.jit.script
def linear_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    query = F.elu(query) + 1.0
    key = F.elu(key) + 1.0
    kv = torch.matmul(key.transpose(-2, -1), value)
    z = torch.matmul(query, key.sum(-2).unsqueeze(-1)) + eps
    return torch.matmul(query, kv) / z
