"""The same contract, kept by the library operator. It is timed for comparison, in a trusted worker, and never judged."""

import torch.nn.functional as F

NAME = "F.scaled_dot_product_attention"


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=attn_mask)
