# verdict: fail
# mistake: multiply-by-sqrt-d
# fails: matches-formula
"""Puts the scale on the key, with the sign of the exponent lost."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scaled_key = key * key.shape[-1] ** 0.5
    scores = torch.einsum("...le,...se->...ls", query, scaled_key)
    bias = torch.zeros_like(scores)
    if attn_mask is not None:
        bias = bias.masked_fill(attn_mask.logical_not(), torch.finfo(scores.dtype).min)
    log_weights = torch.log_softmax(scores + bias, dim=-1)
    return log_weights.exp() @ value
