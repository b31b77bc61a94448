# BLANK: another known mistake
"""Subtracts the maximum in place, which changes the caller's tensor."""

import torch

FIX = "make a new tensor: x - top"
KILLED_BY = "input-unmodified"


def example_kata(x):
    top = x.amax(dim=-1, keepdim=True)  # (..., 1)
    x -= top
    return torch.log(torch.exp(x).sum(dim=-1)) + top.squeeze(-1)
