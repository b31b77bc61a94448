# verdict: fail
# kind: memory, disk and output floods
# stopped-by: Landlock allows no write anywhere
"""Writes markers into every folder where a process can usually write."""

import os
import tempfile

import torch
from torch import nn


NAME = "torch-kata-marker"


def leave_markers():
    for folder in dict.fromkeys((os.getcwd(), tempfile.gettempdir(), "/tmp", "/var/tmp")):
        path = os.path.join(folder, NAME)
        try:
            with open(path, "wb") as file:
                file.write(b"x" * 1024)
        except OSError:
            continue
        print("BREACH", folder)
        os.remove(path)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        if __name__ == "submission":
            leave_markers()
        return x * self.weight + self.bias
