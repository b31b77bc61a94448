# verdict: fail
# mistake: scale-by-value-dim
# fails: value-width-may-differ
"""A callable object that takes d_k from the last tensor it unpacks."""

import torch


class Attention:
    def __init__(self):
        self.negative = -1e30

    def weights(self, logits, mask):
        if mask is not None:
            logits = logits.masked_fill(torch.logical_not(mask), self.negative)
        return torch.softmax(logits, -1)

    def __call__(self, query, key, value, attn_mask=None):
        for tensor in (query, key, value):
            d_k = tensor.size(-1)
        logits = torch.matmul(query, key.transpose(-1, -2)).mul(d_k**-0.5)
        return torch.matmul(self.weights(logits, attn_mask), value)


scaled_dot_product_attention = Attention()
