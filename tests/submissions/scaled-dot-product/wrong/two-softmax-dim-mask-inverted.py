# verdict: fail
# mistake: two: softmax-over-queries + mask-inverted
# fails: matches-formula, mask-selects-keys
"""The mask of nn.MultiheadAttention and the axis of a transposed score matrix, both at once."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) * query.shape[-1] ** -0.5
    if attn_mask is not None:
        scores = scores.masked_fill(attn_mask, float("-inf"))
    exps = torch.exp(scores - scores.amax(dim=-2, keepdim=True))
    return exps / exps.sum(dim=-2, keepdim=True) @ value
