# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Takes the width from query.size(1), which is the length once there is a batch dimension."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(1))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
