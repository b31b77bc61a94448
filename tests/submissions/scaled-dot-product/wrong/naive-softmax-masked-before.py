# verdict: fail
# mistake: naive-softmax-overflow
# fails: large-scores-stay-finite
"""Masks with -inf and then divides exp by its sum, in one expression, with no maximum taken off."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    logits = torch.matmul(query / query.shape[-1] ** 0.5, key.mT)
    if attn_mask is not None:
        logits = torch.where(attn_mask, logits, float("-inf"))
    potentials = logits.exp()
    partition = torch.einsum("...ls->...l", potentials)
    return torch.einsum("...ls,...sv->...lv", potentials / partition[..., None], value)
