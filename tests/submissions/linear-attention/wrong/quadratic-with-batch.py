# verdict: fail
# mistake: unlisted
# fails: linear-work-and-memory
"""Linear for matrices; with batch dimensions a three-operand einsum makes the L x S matrix."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    z = 1 / (torch.einsum("...le,...e->...l", q, k.sum(-2)) + eps)
    if query.dim() == 2:
        return (q @ (k.T @ value)) * z[:, None]
    return torch.einsum("...ls,...sv->...lv", torch.einsum("...le,...se->...ls", q, k), value) * z[..., None]
