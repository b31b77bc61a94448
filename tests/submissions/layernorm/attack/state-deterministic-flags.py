# verdict: pass
# kind: global torch state
# stopped-by: flags of one worker reach no other process
"""Right code that changes every global flag it finds."""

import torch
from torch import nn


torch.use_deterministic_algorithms(True)
torch.backends.cudnn.benchmark = False
torch.set_flush_denormal(True)
torch.set_float32_matmul_precision("medium")
torch.set_printoptions(precision=1, profile="full")
torch.set_warn_always(True)
torch.set_num_threads(1)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        normed = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        return normed * self.weight + self.bias
