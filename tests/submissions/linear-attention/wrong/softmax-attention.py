# verdict: fail
# mistake: softmax-attention
# fails: matches-formula
"""Ordinary softmax attention under the name of the linear one."""

import math

import torch


def linear_attention(query, key, value, eps=1e-6):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return torch.softmax(scores, dim=-1) @ value
