"""What linear attention is timed on. Trusted side only."""

import math

from grader.case import Case

SIZE_NAME = "N = L = S"
B, H, E = 1, 4, 32

# For growth and memory: sizes by name, as one meets them. The growing ones grow together.
REALISTIC = {"H": 8, "L": 4096, "S": 4096, "E": 64}
GROWING = ("L", "S")
GROWTH_LIMIT = 1.2  # of the exponent of work and memory: linear


def make(size, fill):
    """Self-attention: query, key and value (1, 4, N, 32)."""
    arguments = {name: fill(B, H, size, E) for name in ("query", "key", "value")}
    return Case("linear_attention", arguments, differentiable=tuple(arguments))


def make_long(size, fill):
    """The same at N = 4096, whatever the size: quadratic code takes many times as long there, and cannot hide it."""
    return make(4096, fill)


# Growth is measured elsewhere, where code may know it and waste time on a short call. It must be quick at a long one here.
OTHERS = {"at N = 4096": make_long}
OTHER_LIMITS = {"at N = 4096": 20}  # right code that keeps a state for every position takes up to 16, quadratic code 34


def vary(rng, fill):
    """Draws all but the size: widths, batch dimensions, eps, how many more keys than queries there are, how the tensors lie in
    memory, which of them require a gradient. Returns the call at a size."""
    batch = rng.choice([(), (1,), (3,), (6,), (1, 2), (2, 2), (2, 5), (1, 1, 2)])
    widest = min(128, 256 // math.prod(batch))  # or a call of slow code takes seconds
    E, Ev, extra = rng.randint(17, widest), rng.randint(17, widest), rng.choice([0, rng.randint(1, 20)])
    options = rng.choice([{}, {"eps": 10 ** rng.uniform(-8, -3)}])
    transposed = rng.random() < 0.5
    differentiable = tuple(rng.sample(("query", "key", "value"), rng.randint(1, 3)))

    def filled(*shape):
        return fill(*shape).mT.contiguous().mT if transposed else fill(*shape)

    def call(size):
        S = size + extra
        arguments = {"query": filled(*batch, size, E), "key": filled(*batch, S, E), "value": filled(*batch, S, Ev)}
        return Case("linear_attention", arguments | options, differentiable=differentiable)

    return call


def grow(sizes, fill):
    """One sequence: query (H, L, E), key and value (H, S, E)."""
    H, L, S, E = (sizes[name] for name in "HLSE")
    arguments = {"query": fill(H, L, E), "key": fill(H, S, E), "value": fill(H, S, E)}
    return Case("linear_attention", arguments, differentiable=tuple(arguments))
