# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Calls the operator under its aten name."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return torch.ops.aten.scaled_dot_product_attention.default(query, key, value, attn_mask)
