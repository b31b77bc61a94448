# verdict: fail
# mistake: normaliser-wrong-axis
# fails: matches-formula
"""The same blog post, subscripts bent until nothing raises: one normaliser for each feature, not for each query."""

import torch
from torch.nn import functional as F


def linear_attention(query, key, value, eps=1e-6):
    phi_q, phi_k = F.elu(query) + 1, F.elu(key) + 1
    context = torch.einsum("...sd,...sv->...dv", phi_k, value)
    key_sum = phi_k.sum(dim=-1).sum(dim=-1, keepdim=True)
    norm = 1 / (torch.einsum("...ld,...l->...d", phi_q, key_sum.expand(phi_q.shape[:-1])) + eps)
    return torch.einsum("...ld,...dv,...d->...lv", phi_q, context, norm)
