# verdict: fail
# kind: odd entry symbols
# stopped-by: values and work are taken from the same kind of call
"""A callable object whose signature and name lie, and which answers with zeros."""

import torch


class Face:
    __name__ = "linear_attention"
    __signature__ = None

    def __call__(self, *args, **kwargs):
        query, value = args[0], args[2]
        return torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype)

    def __getattr__(self, name):
        return self

    def __eq__(self, other):
        return True

    __hash__ = None


linear_attention = Face()
