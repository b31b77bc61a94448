# verdict: fail
# kind: caching and detection of the examination
# timing: yes
# stopped-by: forward and backward pass are timed together too
"""Is quick forward; the backward pass does its work many times over."""

import torch
import torch.nn.functional as F


class Slowly(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        for _ in range(1500):
            gradient = gradient * 1.0
        return gradient


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    q, k, value = Slowly.apply(q), Slowly.apply(k), Slowly.apply(value)
    numerator = q @ (k.mT @ value)
    return numerator / (q @ k.sum(dim=-2).unsqueeze(-1) + eps)
