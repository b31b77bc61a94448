# verdict: pass
"""Einsum with Chinese comments, typed arguments of other names and the scale folded into the query."""

import torch
from torch import Tensor


def scaled_dot_product_attention(Q: Tensor, K: Tensor, V: Tensor, 掩码: Tensor | None = None) -> Tensor:
    # 先缩放 query,可以避免点积过大
    Q = Q * Q.shape[-1] ** -0.5
    # 打分:每个 query 对每个 key
    分数 = torch.einsum("...ld,...sd->...ls", Q, K)
    if 掩码 is not None:
        # True 表示可以看到,False 的位置填 dtype 的最小值
        分数 = torch.where(掩码, 分数, torch.finfo(分数.dtype).min)
    权重 = torch.softmax(分数, dim=-1)
    # 按权重对 value 求和
    return torch.einsum("...ls,...sv->...lv", 权重, V)
