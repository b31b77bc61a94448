# verdict: pass
# timing: too-slow
"""A recurrent reading with Chinese comments: one key at a time updates the state, then one query at a time reads it."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    特征 = lambda x: torch.nn.functional.elu(x) + 1  # noqa: E731
    S, L = key.shape[-2], query.shape[-2]
    状态, 归一 = 0, 0
    # 第一遍:逐个 key 累加状态,和 S 成线性关系
    for j in range(S):
        k = 特征(key[..., j, :])
        状态 = 状态 + k.unsqueeze(-1) * value[..., j, :].unsqueeze(-2)
        归一 = 归一 + k
    # 第二遍:逐个 query 读取
    结果 = []
    for i in range(L):
        q = 特征(query[..., i, :])
        分子 = (q.unsqueeze(-1) * 状态).sum(-2)
        分母 = (q * 归一).sum(-1, keepdim=True) + eps
        结果.append(分子 / 分母)
    return torch.stack(结果, dim=-2)
