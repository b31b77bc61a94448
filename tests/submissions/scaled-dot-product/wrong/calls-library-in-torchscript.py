# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Hides the library call in a scripted function."""

from typing import Optional

import torch
import torch.nn.functional as F


@torch.jit.script
def _core(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, m: Optional[torch.Tensor]) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, m)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return _core(query, key, value, attn_mask)
