# verdict: pass
# timing: too-slow
"""Online softmax: a loop over the keys that keeps a running maximum and a running denominator."""

import torch


def causal_mask(seq_len, device=None):
    return torch.stack([torch.arange(seq_len, device=device) <= i for i in range(seq_len)])


def masked_softmax(scores, mask):
    filled = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    running_max, total = filled[..., 0].detach(), torch.ones_like(filled[..., 0])
    total = total * torch.exp(filled[..., 0] - running_max)
    for j in range(1, scores.shape[-1]):
        new_max = torch.maximum(running_max, filled[..., j].detach())
        total = total * torch.exp(running_max - new_max) + torch.exp(filled[..., j] - new_max)
        running_max = new_max
    return torch.exp(filled - running_max[..., None]) / total[..., None]
