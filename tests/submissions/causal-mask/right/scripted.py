# verdict: pass
"""The softmax is compiled with torch.jit.script; the mask function takes *args."""

import torch
from torch import Tensor


def causal_mask(*args):
    n, device = (*args, None)[:2]
    return torch.ones((n, n), dtype=torch.bool, device=device).tril_()


@torch.jit.script
def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    filled = scores.masked_fill(torch.logical_not(mask), -float("inf"))
    exps = torch.exp(filled - torch.amax(filled, dim=[-1], keepdim=True))
    return exps / torch.sum(exps, dim=[-1], keepdim=True)
