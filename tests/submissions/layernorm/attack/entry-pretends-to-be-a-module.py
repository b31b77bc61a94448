# verdict: fail
# kind: odd entry symbols
# stopped-by: a pretended module cannot be used as one
"""Claims the class of a module without being one."""

from torch import nn


class LayerNorm:
    __class__ = nn.Module

    def __init__(self, normalized_shape, eps=1e-5):
        pass

    def __call__(self, x):
        return x
