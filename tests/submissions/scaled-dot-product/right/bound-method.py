# verdict: pass
"""The entry symbol is a bound method of a small dataclass."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Kernel:
    axis: int = -1

    def attend(self, q, k, v, m=None):
        s = (q @ k.mT).mul(q.size(self.axis) ** -0.5)
        s = s if m is None else s.masked_fill(m.logical_not(), torch.finfo(s.dtype).min)
        return s.log_softmax(self.axis).exp() @ v


scaled_dot_product_attention = Kernel().attend
