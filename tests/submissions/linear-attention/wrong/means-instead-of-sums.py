# verdict: fail
# mistake: unlisted
# fails: eps-keeps-its-place
"""Takes means over the keys above and below; the S cancels, but beside it eps counts S times."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = k.mT @ value / key.shape[-2]
    norm = torch.matmul(q, k.mean(dim=-2).unsqueeze(-1))
    return q @ state / (norm + eps)
