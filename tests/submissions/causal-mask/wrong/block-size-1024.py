# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Cuts out of a triangle of block_size 1024, as nanoGPT registers one."""

import torch

TRI = torch.ones(1024, 1024).tril().bool()


def causal_mask(seq_len, device=None):
    return TRI[:seq_len, :seq_len].to(device or "cpu", copy=True)


def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)
