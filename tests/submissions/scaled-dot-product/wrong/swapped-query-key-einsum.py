# verdict: fail
# mistake: swapped-query-key
# fails: matches-formula
"""The output letters of the einsum stand the wrong way round."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.einsum("...le,...se->...sl", query, key) * query.shape[-1] ** -0.5
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -1e9)
    peak = scores.amax(-1, keepdim=True)
    exp = torch.exp(scores - peak)
    return torch.matmul(exp / exp.sum(-1, keepdim=True), value)
