# verdict: pass
# timing: too-slow
"""Loops over the batch and the queries, with all heads of one query at a time and a softmax by hand."""

import torch
from torch import nn


def softmax(x):
    e = torch.exp(x - x.max(dim=1, keepdim=True)[0])
    return e / e.sum(dim=1, keepdim=True)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError("d_model is no multiple of num_heads")
        self.h, self.d = num_heads, d_model // num_heads
        self.q_linear = nn.Linear(d_model, d_model)
        self.k_linear = nn.Linear(d_model, d_model)
        self.v_linear = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        B, L, S = query.shape[0], query.shape[1], key.shape[1]
        if attn_mask is not None:
            attn_mask = attn_mask.broadcast_to(B, self.h, L, S)
        answers = []
        for b in range(B):
            keys = self.k_linear(key[b]).view(S, self.h, self.d).transpose(0, 1)  # (H, S, d)
            values = self.v_linear(value[b]).view(S, self.h, self.d).transpose(0, 1)
            rows = []
            for i in range(L):
                q = self.q_linear(query[b, i]).view(self.h, 1, self.d)
                scores = (keys * q).sum(-1) / self.d**0.5  # (H, S)
                if attn_mask is not None:
                    scores = scores.masked_fill(~attn_mask[b, :, i], -torch.inf)
                rows.append((softmax(scores).unsqueeze(-1) * values).sum(1).flatten())
            answers.append(torch.stack(rows))
        return self.out(torch.stack(answers))
