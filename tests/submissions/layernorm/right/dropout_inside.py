# verdict: pass
"""A dropout after the normalisation: does nothing in eval mode. Announces itself on stdout."""

import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5, p=0.1):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(d_model))
        self.b_2 = nn.Parameter(torch.zeros(d_model))
        self.eps = eps
        self.dropout = nn.Dropout(p)
        print(f"LayerNorm over {d_model} features, eps={eps}")

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = torch.mean((x - mean) ** 2, dim=-1, keepdim=True)
        print("x", tuple(x.shape), "->", tuple(var.shape))
        return self.dropout(self.a_2 * ((x - mean) / (var + self.eps) ** 0.5) + self.b_2)
