# verdict: pass
"""The blackboard version with Chinese comments, other names and a scratch pad under __main__."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))  # 缩放参数,初始为 1
        self.beta = nn.Parameter(torch.zeros(d_model))  # 平移参数,初始为 0
        self.eps = eps

    def forward(self, hidden):
        mu = hidden.mean(-1, keepdim=True)  # 每个位置自己的均值
        sigma2 = hidden.var(-1, unbiased=False, keepdim=True)  # 有偏方差:除以 D
        return self.gamma * (hidden - mu) / torch.sqrt(sigma2 + self.eps) + self.beta


if __name__ == "__main__":
    x = torch.randn(2, 5, 16)
    print(torch.allclose(LayerNorm(16)(x), nn.functional.layer_norm(x, (16,)), atol=1e-5))
