"""What the LayerNorm is timed on. Trusted side only."""

from grader.case import Case
from grader.roles import by_starting_values

SIZE_NAME = "L"
D = 512

# For growth and memory: sizes by name, as one meets them. The growing ones grow together.
REALISTIC = {"B": 8, "L": 4096, "D": 512}
GROWING = ("L",)


def make(size, fill):
    """LayerNorm(512)(x) on two sequences of `size` tokens, the tokens first: x (L, 2, 512). A loop over x has `size` steps."""
    parameters = {"weight": fill(D), "bias": fill(D)}
    roles = by_starting_values(weight=1.0, bias=0.0)
    return Case("LayerNorm", {"x": fill(size, 2, D)}, {"normalized_shape": D}, parameters, roles, differentiable=("x",))


def grow(sizes, fill):
    """LayerNorm(D)(x) on x (B, L, D)."""
    B, L, D = (sizes[name] for name in "BLD")
    roles = by_starting_values(weight=1.0, bias=0.0)
    parameters = {"weight": fill(D), "bias": fill(D)}
    return Case("LayerNorm", {"x": fill(B, L, D)}, {"normalized_shape": D}, parameters, roles, differentiable=("x",))
