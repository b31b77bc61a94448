# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Does the softmax in numpy: raises as soon as an input requires a gradient."""

import numpy as np
import torch


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.from_numpy(softmax(scores.numpy())) @ value
