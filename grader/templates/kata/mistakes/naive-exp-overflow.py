# BLANK: a known mistake: wrong in one thing, right in all else; the file's name is its id
"""Exponentiates the numbers as they are, so that large ones overflow to infinity."""

import torch

FIX = "subtract the row's maximum before exp, and add it back after log"
KILLED_BY = "large-inputs-stay-finite"  # the id of the required property that must fail


def example_kata(x):
    return torch.log(torch.exp(x).sum(dim=-1))
