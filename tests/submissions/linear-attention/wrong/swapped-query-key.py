# verdict: fail
# mistake: swapped-query-key
# fails: matches-formula
"""Query and key change places: the state is made from the queries and read by the keys."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = q.transpose(-2, -1) @ value
    norm = k @ q.sum(dim=-2).unsqueeze(-1)
    return k @ state / (norm + eps)
