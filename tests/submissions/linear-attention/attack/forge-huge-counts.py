# verdict: fail
# kind: forged results on inherited descriptors
# timing: yes
# stopped-by: a count of 2⁶² or more is none
"""Right linear attention that replaces what the meter has counted by a number of 400 digits, which is no float."""

import sys

import torch.nn.functional as F


def forge():
    frame = sys._getframe(1)
    while frame is not None:
        for value in list(frame.f_locals.values()):
            meter = getattr(getattr(value, "recorder", value), "meter", None)
            if meter is not None and hasattr(meter, "totals"):
                names = ("operators", "work", "own", "flops", "largest", "peak")
                meter.totals = lambda: {name: 10**400 if name != "operators" else 9 for name in names} | {"shapes": []}
        frame = frame.f_back


def linear_attention(query, key, value, eps=1e-6):
    forge()
    query, key = F.elu(query) + 1, F.elu(key) + 1
    state = key.transpose(-2, -1) @ value
    normaliser = query @ key.sum(-2, keepdim=True).transpose(-2, -1) + eps
    return query @ state / normaliser
