# verdict: fail
# mistake: softmax-feature-maps
# fails: matches-formula
"""The other linear attention: softmax over the features of q and over the positions of k."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    q = torch.softmax(query, dim=-1)
    k = torch.softmax(key, dim=-2)
    return q @ (k.transpose(-2, -1) @ value)
