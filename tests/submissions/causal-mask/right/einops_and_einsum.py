# verdict: pass
"""einops brings the keys to the front (torch where it is missing), einsum sums them; the answer is non-contiguous."""

import torch

try:
    from einops import rearrange
except ImportError:
    rearrange = None


def causal_mask(seq_len, device=None):
    steps = torch.arange(seq_len, device=device)
    if rearrange is None:
        return steps[:, None] >= steps[None, :]
    return rearrange(steps, "i -> i 1") >= rearrange(steps, "j -> 1 j")


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    first = scores.movedim(-1, 0) if rearrange is None else rearrange(scores, "... s -> s ...")
    exps = torch.exp(first - first.amax(0))
    return torch.einsum("s...,...->...s", exps, 1 / torch.einsum("s...->...", exps))
