# BLANK: the readable solution, whose docstring gives formula, shapes and source
"""The logarithm of a sum of exponentials over the last dimension, without overflow.

    y = log(Σ exp(x)) = m + log(Σ exp(x - m)),    m = max(x)

    x (..., D)    ->    y (...)

Blanchard, Higham and Higham 2021, "Accurately computing the log-sum-exp and softmax functions", section 1.
"""

import torch


def example_kata(x):
    top = x.amax(dim=-1, keepdim=True)  # (..., 1)
    # After the shift the largest exponential is 1: nothing overflows, and the sum is at least 1.
    total = torch.exp(x - top).sum(dim=-1)  # (...)
    return torch.log(total) + top.squeeze(-1)  # (...)
