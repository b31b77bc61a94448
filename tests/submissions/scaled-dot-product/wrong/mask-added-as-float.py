# verdict: fail
# mistake: mask-added-as-number
# fails: mask-selects-keys
"""Converts the mask to the scores' dtype and adds it, as one may with a mask of zeros and minus infinities."""

import torch


def _combine(scores, mask):
    additive = mask.to(dtype=scores.dtype, device=scores.device)
    return torch.add(scores, additive)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    width = torch.tensor(query.shape[-1], dtype=query.dtype)
    scores = torch.div(query @ key.transpose(-2, -1), torch.sqrt(width))
    if attn_mask is not None:
        scores = _combine(scores, attn_mask)
    scores = scores - scores.amax(dim=-1, keepdim=True)
    numerator = scores.exp()
    return (numerator @ value) / numerator.sum(dim=-1, keepdim=True)
