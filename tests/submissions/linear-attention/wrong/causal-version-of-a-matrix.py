# verdict: fail
# mistake: causal-version
# fails: matches-formula
"""The quadratic form with a lower triangle, as in a decoder."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    similarity = torch.einsum("...le,...se->...ls", q, k)
    past = torch.ones(similarity.shape[-2:], dtype=torch.bool, device=query.device).tril()
    similarity = similarity.masked_fill(~past, 0.0)
    return similarity @ value / (similarity.sum(-1, keepdim=True) + eps)
