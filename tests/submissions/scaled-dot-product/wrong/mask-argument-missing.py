# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""Takes three arguments: the mask was for the next lesson."""

import math

import torch


def scaled_dot_product_attention(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.size(-1)), dim=-1) @ v
