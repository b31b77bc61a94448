# verdict: fail
# mistake: forces-float32
# fails: keeps-dtype
# dtypes: float64
"""Moves everything to float32 through a helper, computes with einsum and forgets the way back."""

import torch


def _prepare(*tensors):
    return [t.to(torch.float32) for t in tensors]


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    q, k, v = _prepare(query, key, value)
    scores = torch.einsum("...ld,...sd->...ls", q, k) / q.size(-1) ** 0.5
    if attn_mask is not None:
        scores = scores.masked_fill(attn_mask == False, -1e30)  # noqa: E712
    return torch.einsum("...ls,...sv->...lv", scores.softmax(-1), v)
