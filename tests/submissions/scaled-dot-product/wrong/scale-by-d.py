# verdict: fail
# mistake: scale-by-d
# fails: matches-formula
"""Divides by E itself: the root was in the formula and got lost on the way to the code."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    d_k = query.size(-1)
    scores = torch.einsum("...le,...se->...ls", query, key) / d_k
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.einsum("...ls,...sv->...lv", scores.softmax(-1), value)
