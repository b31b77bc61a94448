"""Scaled dot-product attention: softmax(Q Kᵀ / √E) V.

query (..., L, E), key (..., S, E), value (..., S, Ev) -> (..., L, Ev)
attn_mask: bool, broadcastable to (..., L, S); True = this query may attend to this key.
"""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    # query (..., L, E)   key (..., S, E)   value (..., S, Ev)   attn_mask (..., L, S) bool or None
    # returns (..., L, Ev)
    raise NotImplementedError("write me")


if __name__ == "__main__":  # scratch pad: never graded, change it as you like
    torch.manual_seed(0)
    query = torch.randn(2, 4, 8)  # (B, L, E)
    key = torch.randn(2, 5, 8)  # (B, S, E)
    value = torch.randn(2, 5, 3)  # (B, S, Ev)
    mask = torch.ones(4, 5, dtype=torch.bool)
    mask[:, -1] = False  # nobody may see the last key

    out = scaled_dot_product_attention(query, key, value)
    print("shape", tuple(out.shape), "want (2, 4, 3)")

    shouting = value.clone()
    shouting[:, -1] = 1e6
    quiet = scaled_dot_product_attention(query, key, value, mask)
    loud = scaled_dot_product_attention(query, key, shouting, mask)
    print("influence of the masked key", (quiet - loud).abs().max().item(), "want 0")

    big = scaled_dot_product_attention(query * 1e3, key * 10, value)
    print("finite with large scores", big.isfinite().all().item(), "want True")
