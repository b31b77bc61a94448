# verdict: fail
# mistake: unlisted
# fails: masked-key-has-no-influence
"""Takes off the maximum of the visible scores, then exp, then torch.where: a large masked score makes 0 * inf on the way back."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is None:
        return torch.softmax(scores, dim=-1) @ value
    top = scores.masked_fill(~attn_mask, float("-inf")).amax(-1, keepdim=True).detach()
    exps = torch.where(attn_mask, torch.exp(scores - top), 0.0)
    return (exps / exps.sum(-1, keepdim=True)) @ value
