# verdict: pass
"""functools.partial over a more general function that could also take a scale and a causal flag."""

import functools
import math

import torch


def attention(query, key, value, attn_mask=None, *, causal=False, scale=None):
    L, S = query.size(-2), key.size(-2)
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
    if causal:
        bias = bias.masked_fill(torch.ones(L, S, dtype=torch.bool).triu(1), -math.inf)
    if attn_mask is not None:
        bias = bias.masked_fill(attn_mask.logical_not(), -math.inf)
    return (query @ key.transpose(-2, -1) * scale + bias).softmax(-1) @ value


scaled_dot_product_attention = functools.partial(attention, causal=False)
