# verdict: fail
# mistake: detached-weights
# fails: input-gradients
"""Builds the weights from .data to keep the graph small."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    with torch.no_grad():
        scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return torch.einsum("...ls,...sv->...lv", weights, value)
