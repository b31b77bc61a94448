"""The sum over the keys as the zeroth coefficient of a Fourier transform."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    outer = k[..., :, None] * value[..., None, :]
    state = torch.fft.fft(outer, dim=-3)[..., 0, :, :].real
    return q @ state / (q @ torch.fft.fft(k, dim=-2)[..., 0, :, None].real + eps)
