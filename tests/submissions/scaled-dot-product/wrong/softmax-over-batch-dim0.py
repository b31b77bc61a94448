# verdict: fail
# mistake: softmax-over-batch
# fails: matches-formula
"""softmax(dim=0): normalises over whatever comes first, which is the batch."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    if attn_mask is not None:
        scores = torch.where(attn_mask, scores, -1e9)
    return torch.matmul(torch.softmax(scores, 0), value)
