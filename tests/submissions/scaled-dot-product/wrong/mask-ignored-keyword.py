# verdict: fail
# mistake: mask-ignored
# fails: mask-selects-keys
"""The mask goes into **options, and the helper reads another name from there."""

import torch


def _attend(q, k, v, **options):
    scores = torch.einsum("...le,...se->...ls", q * q.shape[-1] ** -0.5, k)
    mask = options.get("mask")
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.einsum("...ls,...sv->...lv", scores.softmax(-1), v)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return _attend(query, key, value, attn_mask=attn_mask)
