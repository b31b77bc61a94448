# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Reaches the library operator by a name put together at run time."""

import torch.nn.functional as F

_op = getattr(F, "_".join(["scaled", "dot", "product", "attention"]))


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return _op(query, key, value, attn_mask)
