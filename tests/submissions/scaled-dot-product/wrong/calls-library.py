# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Calls the very operator that the kata asks for."""

import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=attn_mask)
