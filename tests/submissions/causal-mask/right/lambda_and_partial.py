# verdict: pass
"""A lambda for the mask and a functools.partial for the softmax."""

from functools import partial

import torch


def _softmax(dim, fill, scores, mask):
    return torch.nn.functional.softmax(torch.where(mask, scores, scores.new_tensor(fill)), dim)


causal_mask = lambda n, device=None: torch.ones(n, n, device=device).tril().bool()  # noqa: E731
masked_softmax = partial(_softmax, -1, float("-inf"))
