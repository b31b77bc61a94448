# verdict: fail
# kind: loops and sleeps
# timing: yes
# stopped-by: one deadline for all workers of a grade
"""Waits while it is imported, when it is first constructed and when its module is first called; the rest is quick.

In the timed workers it slows the control, so that the examiner goes on to pairs of fresh workers, and takes about five times as
long as the reference, so that it asks three pairs in each mode.
"""

import sys
import time

import torch
from torch import nn

time.sleep(1.4)


def spin(seconds):
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        pass


class Timed:
    constructed = called = looked = False
    reference = {}


def look():
    frame = sys._getframe(1)
    while frame is not None:
        session = frame.f_locals.get("session")
        if session is not None and getattr(session, "plans", None):
            plan = next(iter(session.plans.values()))
            honest = type(plan).run

            def run(self, order):
                taken = honest(self, order)
                if any(n.startswith("control") and p is self for n, p in session.plans.items()):
                    spin(0.004)
                return taken

            if not Timed.looked:
                type(plan).run, Timed.looked = run, True
            return
        frame = frame.f_back


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        if not Timed.constructed:
            Timed.constructed = True
            time.sleep(1.4)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def formula(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() * self.weight + self.bias

    def forward(self, x):
        if not Timed.called:
            Timed.called = True
            time.sleep(1.4)
        if x.shape == (64, 2, 512):
            look()
            started = time.thread_time()
            out = self.formula(x)
            spin((time.thread_time() - started) * (9 if out.requires_grad else 4))
            return out
        return self.formula(x)
