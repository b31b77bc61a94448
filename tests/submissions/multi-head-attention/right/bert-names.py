# verdict: pass
"""query, key, value and out, with the BERT idiom of permuting and a log-space softmax."""

import torch
from torch import nn


class IndivisibleError(ValueError):
    """Raised where the heads do not divide the width."""


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        if hidden_size % num_attention_heads != 0:
            raise IndivisibleError(hidden_size, num_attention_heads)
        self.shape = (num_attention_heads, hidden_size // num_attention_heads)
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, hidden_size)

    def transpose_for_scores(self, x):
        return x.view(x.size()[:-1] + self.shape).permute(0, 2, 1, 3)

    def forward(self, from_states, key_states, value_states, attention_mask=None):
        q = self.transpose_for_scores(self.query(from_states))
        k = self.transpose_for_scores(self.key(key_states))
        v = self.transpose_for_scores(self.value(value_states))
        scores = torch.matmul(q, k.transpose(-1, -2)) * self.shape[1] ** -0.5
        if attention_mask is not None:
            scores = scores.masked_fill(~attention_mask, float("-inf"))
        probabilities = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
        context = torch.matmul(probabilities, v).permute(0, 2, 1, 3).contiguous()
        return self.out(context.view(context.size()[:-2] + (-1,)))
