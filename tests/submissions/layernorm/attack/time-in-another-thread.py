# verdict: fail
# kind: processes and threads
# timing: yes
# stopped-by: the clock is the process's: it counts every thread
"""Does many times the work, in a thread of its own, while the main thread waits."""

import threading

import torch
from torch import nn



def quick(x, weight, bias, eps):
    work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    centred = work - work.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return (weight * (centred / torch.sqrt(variance + eps)) + bias).to(x.dtype)


def slow(x, weight, bias, eps):
    for _ in range(24):
        answer = quick(x, weight, bias, eps)
    return answer


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        box = []
        thread = threading.Thread(target=lambda: box.append(slow(x, self.weight, self.bias, self.eps)))
        thread.start()
        thread.join()
        return box[0]
