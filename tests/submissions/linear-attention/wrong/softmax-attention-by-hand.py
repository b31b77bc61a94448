# verdict: fail
# mistake: softmax-attention
# fails: matches-formula
"""Scores, maximum, exp, sum: the attention of the paper before, with the signature of this one."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    scores = torch.einsum("...le,...se->...ls", query, key) * query.shape[-1] ** -0.5
    exps = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return (exps @ value) / exps.sum(dim=-1, keepdim=True)
