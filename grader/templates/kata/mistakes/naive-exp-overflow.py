# BLANK: one wrong solution a file, right in everything else; the file's name is the mistake's id
"""Exponentiates the numbers as they are, so that large ones overflow to infinity."""

import torch

FIX = "subtract the row's maximum before exp, and add it back after log"
KILLED_BY = "large-inputs-stay-finite"  # the id of the required property that must fail


def example_kata(x):
    return torch.log(torch.exp(x).sum(dim=-1))
