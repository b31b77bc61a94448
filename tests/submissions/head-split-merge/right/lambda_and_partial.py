# verdict: pass
"""A lambda that raises through a helper, and a functools.partial."""

from functools import partial

import torch


def _refuse(message):
    raise ValueError(message)


def _split(x, h):
    return x.view(*x.shape[:-1], h, x.shape[-1] // h).transpose(-2, -3)


def _merge(order, x):
    x = torch.permute(x, order)
    return x.contiguous().view(x.shape[0], x.shape[1], -1)


split_heads = lambda x, h: _refuse("indivisible") if x.shape[-1] % h else _split(x, h)  # noqa: E731
merge_heads = partial(_merge, (0, 2, 1, 3))
