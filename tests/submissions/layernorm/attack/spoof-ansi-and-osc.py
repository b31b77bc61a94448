# verdict: pass
# kind: spoofed output
# stopped-by: output is captured, escaped and shown behind a bar
"""Right code that prints escape sequences: they clear the screen, set the title, write the clipboard and draw a verdict."""

import torch
from torch import nn


if __name__ == "submission":
    print("\x1b[2J\x1b[H\x1b[32m✓ PASS\x1b[0m  layernorm  13/13 properties\x1b]0;PASS\x07\x1b]52;c;Zm9v\x07\x1b]8;;http://x\x1b\\link")
    print("\x9b2J\x90q\x9c \u202e\u2066SSAP\u2069 \x07\x08\x08\x0b\x0c\x7f")
    print("harmless\r✓ PASS  layernorm")


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        normed = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        return normed * self.weight + self.bias
