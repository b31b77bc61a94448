# verdict: fail
# mistake: normaliser-wrong-axis
# fails: any-batch-dimensions, matches-formula
"""After a blog post: sums the keys over axis 1, which are the heads, and contracts the length of the query away."""

import torch
from torch.nn import functional as F


def linear_attention(query, key, value, eps=1e-6):
    phi_q, phi_k = F.elu(query) + 1, F.elu(key) + 1
    context = torch.einsum("bhsd,bhsv->bhdv", phi_k, value)
    key_sum = phi_k.sum(dim=1)  # (B, S, E): the heads are gone
    norm = 1 / (torch.einsum("bhld,bhl->bhd", phi_q, key_sum) + eps)
    return torch.einsum("bhld,bhdv,bhd->bhlv", phi_q, context, norm)
