"""What multi-head attention is timed on. Trusted side only."""

from grader.case import Case
from grader.roles import attention_projections

SIZE_NAME = "L = S"
B, D, H = 2, 128, 4
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")

# For growth and memory: sizes by name, as one meets them. The growing ones grow together.
REALISTIC = {"H": 8, "L": 4096, "S": 4096, "d": 64}
GROWING = ("L", "S")


def make(size, fill):
    """MultiHeadAttention(128, 4) without a mask: query, key and value (2, L, 128), three different tensors."""
    return make_case([fill(B, size, D) for _ in range(3)], D, H, fill)


def make_masked(size, fill):
    """The same with a mask (L, L)."""
    return make(size, fill).with_arguments(attn_mask=fill.mask(size, size))


OTHERS = {"with a mask": make_masked}


def grow(sizes, fill):
    """One sequence in a batch of one: query (1, L, H·d), key and value (1, S, H·d)."""
    H, L, S, d = (sizes[name] for name in "HLSd")
    return make_case([fill(1, length, H * d) for length in (L, S, S)], H * d, H, fill)


def make_case(tensors, d_model, num_heads, fill):
    parameters = {}
    for name in PROJECTIONS:
        parameters[f"{name}.weight"] = fill(d_model, d_model, scale=d_model**-0.5)
        parameters[f"{name}.bias"] = fill(d_model)
    arguments = dict(zip(("query", "key", "value"), tensors, strict=True))
    init = {"d_model": d_model, "num_heads": num_heads}
    return Case(
        "MultiHeadAttention", arguments, init, parameters, attention_projections, differentiable=tuple(arguments)
    )
