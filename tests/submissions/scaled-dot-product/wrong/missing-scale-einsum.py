# verdict: fail
# mistake: missing-scale
# fails: matches-formula
"""Einsum with a hand-written softmax; the factor stands in a helper that nobody calls."""

import torch


def temperature(width):
    return width**-0.5


def stable_softmax(logits):
    peak = logits.max(dim=-1, keepdim=True).values
    unnormalised = torch.exp(logits - peak)
    return unnormalised / unnormalised.sum(dim=-1, keepdim=True)


def scaled_dot_product_attention(q, k, v, keep=None):
    logits = torch.einsum("...ie,...je->...ij", q, k)
    if keep is not None:
        logits = torch.where(keep, logits, torch.tensor(float("-inf"), dtype=q.dtype))
    return torch.einsum("...ij,...jv->...iv", stable_softmax(logits), v)
