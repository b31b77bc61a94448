# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Cuts out of a triangle of block_size 256, as nanoGPT registers one of 1024."""

import torch

TRI = torch.ones(256, 256).tril().bool()


def causal_mask(seq_len, device=None):
    return TRI[:seq_len, :seq_len].to(device or "cpu", copy=True)


def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)
