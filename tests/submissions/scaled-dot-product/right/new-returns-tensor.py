# verdict: pass
# timing: too-slow
"""A class whose __new__ returns the answer, so that calling the class is calling a function."""

import torch


class scaled_dot_product_attention:  # noqa: N801
    def __new__(cls, query, key, value, attn_mask=None):
        scores = cls.score(query, key)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -1e9)
        return torch.softmax(scores, dim=-1).matmul(value)

    @staticmethod
    def score(query, key):
        # (..., L, 1, E) * (..., 1, S, E), summed over E
        return (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / query.shape[-1] ** 0.5
