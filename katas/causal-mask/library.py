"""The same contract, kept by the library operator. It is timed for comparison, in a trusted worker, and never judged."""

import torch

NAME = "torch.masked.softmax"


def masked_softmax(scores, mask):
    return torch.masked.softmax(scores, -1, mask=mask.expand_as(scores))
