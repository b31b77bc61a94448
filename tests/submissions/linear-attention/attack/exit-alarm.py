# verdict: unusable
# kind: exits, signals and hooks at the end
# stopped-by: a worker that dies of a signal is unusable
"""Kills itself by a timer."""

import signal
import time


def linear_attention(query, key, value, eps=1e-6):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(1)
    return value
