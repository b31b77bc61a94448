# verdict: fail
# mistake: no-divisibility-check
# fails: indivisible-raises-value-error
"""Multiplies by a selection matrix that is built without asking whether the division leaves a rest."""

import torch


def split_heads(x, num_heads):
    d = x.shape[-1] // num_heads
    eye = torch.eye(num_heads * d, dtype=x.dtype, device=x.device).view(num_heads * d, num_heads, d)
    return torch.einsum("btf,fhd->bhtd", x, eye)


def merge_heads(x):
    return torch.einsum("bhtd->bthd", x).flatten(2)
