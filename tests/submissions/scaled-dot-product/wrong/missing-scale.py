# verdict: fail
# mistake: missing-scale
# fails: matches-formula
"""The division by the root of E is forgotten; on small widths the answer still looks plausible."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
