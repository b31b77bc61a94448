# verdict: fail
# kind: loops and sleeps
# timing: yes
# stopped-by: time that passes without computing counts, unless other processes had the processor
"""Uses no processor time to speak of beyond what is needed, but sleeps in every call on a large input."""

from time import sleep

import torch
from torch import nn



def quick(x, weight, bias, eps):
    work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    centred = work - work.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return (weight * (centred / torch.sqrt(variance + eps)) + bias).to(x.dtype)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        if x.numel() >= 30000:
            sleep(0.005)
        return quick(x, self.weight, self.bias, self.eps)
