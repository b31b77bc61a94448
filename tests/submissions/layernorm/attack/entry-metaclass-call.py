# verdict: fail
# kind: odd entry symbols
# stopped-by: what a constructor returns must be a module
"""A class whose metaclass returns a function instead of an instance."""

import torch


class Meta(type):
    def __call__(cls, *args, **kwargs):
        return lambda x: x


class LayerNorm(metaclass=Meta):
    pass
