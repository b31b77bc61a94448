# verdict: pass
"""Tensor.unfold with step = size: windows that do not overlap are the heads."""


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads > 0:
        raise ValueError(f"cannot cut {x.shape[-1]} features into {num_heads} equal heads")
    size = x.shape[-1] // num_heads
    return x.unfold(-1, size, size).swapaxes(1, 2)


def merge_heads(x):
    return x.swapdims(1, 2).reshape(*x.swapdims(1, 2).shape[:2], -1)
