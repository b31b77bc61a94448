# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Online softmax over tiles of 128 keys; the running output is not rescaled when the maximum moves."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scale = 1 / math.sqrt(query.shape[-1])
    S = key.shape[-2]
    top = denominator = total = None
    for s in range(0, S, 128):
        scores = query @ key[..., s : s + 128, :].mT * scale
        if attn_mask is not None:
            m = attn_mask if attn_mask.shape[-1] == 1 else attn_mask[..., s : s + 128]
            scores = scores.masked_fill(~m, -1e9)
        here = scores.amax(-1, keepdim=True)
        new = here if top is None else torch.maximum(top, here)
        e = (scores - new).exp()
        if top is None:
            denominator, total = e.sum(-1, keepdim=True), e @ value[..., s : s + 128, :]
        else:
            denominator = denominator * (top - new).exp() + e.sum(-1, keepdim=True)
            total = total + e @ value[..., s : s + 128, :]
        top = new
    return total / denominator
