# verdict: pass
"""Only matmul: (Q Kᵀ) V regrouped as Q (Kᵀ V), with the key sum kept as a row."""

from torch.nn.functional import elu


def linear_attention(q, k, v, eps=1e-6):
    q, k = elu(q) + 1.0, elu(k) + 1.0
    state = k.mT @ v  # (..., E, Ev)
    total = k.sum(dim=-2, keepdim=True)  # (..., 1, E)
    return (q @ state) / (q @ total.mT + eps)
