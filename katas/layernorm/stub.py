"""Layer normalisation over the last dimension: weight · (x - mean) / √(variance + eps) + bias.

x (..., D) -> (..., D). Biased variance (divide by D), eps inside the square root.
Two parameters of shape (D,): weight starts at ones, bias starts at zeros.
"""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5):
        super().__init__()
        # two registered parameters of shape (D,), and eps for later
        raise NotImplementedError("write me")

    def forward(self, x):
        # x (..., D)
        # returns (..., D)
        raise NotImplementedError("write me")


if __name__ == "__main__":  # scratch pad: never graded, change it as you like
    torch.manual_seed(0)
    x = 3 + 2 * torch.randn(2, 5, 8)  # (B, T, D)
    norm = LayerNorm(8)
    print({name: tuple(parameter.shape) for name, parameter in norm.named_parameters()}, "want two of (8,)")

    y = norm(x)
    print("shape", tuple(y.shape), "want (2, 5, 8)")
    print("mean", y.mean(dim=-1)[0].tolist(), "want zeros")
    print("mean square", (y**2).mean(dim=-1)[0].tolist(), "want ones, or a hair less because of eps")

    print("constant row", norm(torch.full((1, 8), 7.0)).tolist(), "want zeros")
    far = x.double() + 1e4
    drift = (norm(far.float()) - norm.double()(far)).abs().max().item()
    print("float32 error with a mean of 1e4", drift, "want about 1e-3 or less")
