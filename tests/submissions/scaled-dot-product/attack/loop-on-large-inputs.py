# verdict: unusable
# kind: loops and sleeps
# stopped-by: the parent's wall clock
"""Loops as soon as the sequence is longer than one."""

import time


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    end = time.monotonic() + 30
    while key.shape[-2] > 1 and time.monotonic() < end:
        pass
    return value.mean(-2, keepdim=True).expand(*query.shape[:-1], value.shape[-1])
