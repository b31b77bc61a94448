# verdict: fail
# mistake: unlisted
# fails: large-inputs-stay-finite
# dtypes: float32
"""Chooses the branch by multiplying with 0 or 1: 0 times exp(200) is 0 times infinity in float32."""

import torch


def phi(x):
    positive = (x > 0).to(x.dtype)
    return positive * (x + 1) + (1 - positive) * torch.exp(x)


def linear_attention(query, key, value, eps=1e-6):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
