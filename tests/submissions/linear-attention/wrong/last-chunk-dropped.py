# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Reads S // 4 whole chunks of keys; a rest that fills no chunk is never added."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6, chunk=4):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state, total = 0.0, 0.0
    for c in range(max(1, k.shape[-2] // chunk)):
        part = slice(c * chunk, (c + 1) * chunk)
        state = state + k[..., part, :].mT @ value[..., part, :]
        total = total + k[..., part, :].sum(dim=-2, keepdim=True)
    return q @ state / (q @ total.mT + eps)
