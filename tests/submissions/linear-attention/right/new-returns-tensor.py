# verdict: pass
"""A class used as a function: __new__ returns the answer, made column by column of the value."""

import torch


class linear_attention:  # noqa: N801
    def __new__(cls, query, key, value, eps=1e-6):
        q, k = cls.phi(query), cls.phi(key)
        numerator = torch.stack([(q * column).sum(-1) for column in cls.columns(k, value)], dim=-1)
        return numerator / ((q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True) + eps)

    @staticmethod
    def phi(x):
        negative = x.masked_fill(x > 0, 0.0)
        return torch.exp(negative) + x.masked_fill(x <= 0, 0.0)

    @staticmethod
    def columns(k, value):
        for v in range(value.shape[-1]):
            yield (k * value[..., v : v + 1]).sum(-2, keepdim=True)  # (..., 1, E)
