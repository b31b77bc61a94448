"""The weights by a softmax of their logarithm."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    scores = ((F.elu(query) + 1) @ (F.elu(key) + 1).mT).log()
    return scores.softmax(-1) @ value
