# verdict: fail
# mistake: no-feature-map
# fails: matches-formula
"""Reassociates the product without any feature map: the normaliser may be negative or near zero."""


def linear_attention(query, key, value, eps=1e-6):
    state = key.transpose(-2, -1) @ value
    norm = query @ key.sum(dim=-2).unsqueeze(-1)
    return query @ state / (norm + eps)
