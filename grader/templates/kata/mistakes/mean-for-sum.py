# BLANK: another known mistake
"""Takes the mean of the exponentials where the formula has their sum: the output is too small by log D."""

import torch

FIX = "write sum in place of mean"
KILLED_BY = "matches-formula"


def example_kata(x):
    top = x.amax(dim=-1, keepdim=True)  # (..., 1)
    return torch.log(torch.exp(x - top).mean(dim=-1)) + top.squeeze(-1)
