# verdict: pass
"""w_q, w_k, w_v, w_o with dropout, Chinese comments and another order of helper steps."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head, dropout=0.1):
        super().__init__()
        # 维度必须能被头数整除
        if d_model % n_head:
            raise ValueError("d_model 必须能被头数整除")
        self.d_model, self.n_head = d_model, n_head
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def 拆头(self, x):
        # (批, 长, 维) -> (批, 头, 长, 维/头)
        return x.unflatten(2, (self.n_head, -1)).transpose(1, 2)

    def forward(self, q, k, v, mask=None):
        q, k, v = self.拆头(self.w_q(q)), self.拆头(self.w_k(k)), self.拆头(self.w_v(v))
        分数 = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.size(-1))
        if mask is not None:
            # False 的地方不能看
            分数 = 分数.masked_fill(mask == 0, -1e9)
        权重 = self.dropout(torch.softmax(分数, dim=-1))
        # 合并所有头,再做一次线性变换
        return self.w_o((权重 @ v).transpose(1, 2).flatten(2))
