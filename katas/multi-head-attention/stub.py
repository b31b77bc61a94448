"""Multi-head attention: num_heads scaled dot-product attentions side by side, then an output projection.

query (B, L, D), key (B, S, D), value (B, S, D) -> (B, L, D)
attn_mask: bool, broadcastable to (B, num_heads, L, S); True = this query may attend to this key.
Four nn.Linear(d_model, d_model): q_proj, k_proj, v_proj, out_proj. ValueError where d_model is not divisible.
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        # check the sizes, keep num_heads, make q_proj, k_proj, v_proj, out_proj
        raise NotImplementedError("write me")

    def forward(self, query, key, value, attn_mask=None):
        # query (B, L, D)   key (B, S, D)   value (B, S, D)   attn_mask (B, H, L, S) bool or None
        # returns (B, L, D)
        raise NotImplementedError("write me")


if __name__ == "__main__":  # scratch pad: never graded, change it as you like
    torch.manual_seed(0)
    attention = MultiHeadAttention(d_model=8, num_heads=2).eval()
    print(sorted(name for name, _ in attention.named_parameters()))

    query = torch.randn(3, 4, 8)  # (B, L, D)
    memory = torch.randn(3, 5, 8)  # (B, S, D)
    print("cross-attention", tuple(attention(query, memory, memory).shape), "want (3, 4, 8)")

    x = torch.randn(3, 4, 8)
    future = x.clone()
    future[:, -1] += 1.0
    mask = torch.ones(4, 4, dtype=torch.bool).tril()  # (L, S), causal
    free = (attention(x, x, x) - attention(future, future, future))[:, 0].abs().max().item()
    causal = (attention(x, x, x, mask) - attention(future, future, future, mask))[:, 0].abs().max().item()
    print("influence of the last token on the first:", free, "want more than 0;", causal, "with a causal mask, want 0")

    try:
        MultiHeadAttention(d_model=10, num_heads=3)
        print("10 features in 3 heads: no error, want ValueError")
    except ValueError as error:
        print("10 features in 3 heads:", error)
