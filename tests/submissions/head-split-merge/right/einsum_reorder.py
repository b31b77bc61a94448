# verdict: pass
"""einsum as a transpose with named axes."""

import torch


def split_heads(x, h):
    if x.shape[-1] % h != 0:
        raise ValueError("not divisible")
    return torch.einsum("bthd->bhtd", x.reshape(x.shape[0], x.shape[1], h, x.shape[2] // h))


def merge_heads(x):
    return torch.einsum("bhtd->bthd", x).reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
