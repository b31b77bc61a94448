# verdict: fail
# mistake: two: missing-scale + mask-after-softmax
# fails: matches-formula, mask-selects-keys
"""A first draft: products, softmax, then the mask on the weights; no scale anywhere."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    weights = torch.einsum("...le,...se->...ls", query, key).softmax(dim=-1)
    if attn_mask is not None:
        weights = torch.where(attn_mask, weights, 0.0)
    return torch.einsum("...ls,...sv->...lv", weights, value)
