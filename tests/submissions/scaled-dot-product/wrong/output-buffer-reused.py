# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Keeps one output buffer for each shape: the next call overwrites the answer of the last one."""

import math

import torch

_buffers = {}


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if torch.is_grad_enabled() and (weights.requires_grad or value.requires_grad):
        return weights @ value
    shape = (*query.shape[:-1], value.shape[-1])
    if (shape, value.dtype) not in _buffers:
        _buffers[shape, value.dtype] = value.new_empty(shape)
    return torch.matmul(weights, value, out=_buffers[shape, value.dtype])
