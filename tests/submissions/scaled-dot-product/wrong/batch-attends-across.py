# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions
"""Flattens the batch into the sequence: every element also attends to the keys of the others."""


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    *batch, L, E = query.shape
    S, Ev = value.shape[-2:]
    q, k, v = query.reshape(-1, E), key.reshape(-1, E), value.reshape(-1, Ev)
    scores = q @ k.T / E**0.5
    if attn_mask is not None:
        rows = attn_mask.expand(*batch, L, S).reshape(-1, S)
        scores = scores.masked_fill(~rows.repeat(1, k.shape[0] // S), float("-inf"))
    return (scores.softmax(-1) @ v).view(*batch, L, Ev)
