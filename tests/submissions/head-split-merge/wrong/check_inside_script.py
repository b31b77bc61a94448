# verdict: fail
# mistake: unlisted
# fails: indivisible-raises-value-error
"""Raises ValueError inside TorchScript, which turns it into torch.jit.Error."""

import torch
from torch import Tensor


@torch.jit.script
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.size(2) % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return x.reshape(x.size(0), x.size(1), num_heads, x.size(2) // num_heads).transpose(1, 2)


@torch.jit.script
def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).reshape(x.size(0), x.size(2), x.size(1) * x.size(3))
