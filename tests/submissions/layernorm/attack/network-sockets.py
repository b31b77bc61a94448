# verdict: fail
# kind: network
# stopped-by: seccomp allows no socket of any family
"""Makes sockets, which it never connects, to fetch an answer or to tell the inputs."""

import socket

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, getattr(socket, "AF_NETLINK", socket.AF_INET)):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                try:
                    socket.socket(family, kind).close()
                except OSError:
                    continue
                print("BREACH", family, kind)
        return x * self.weight + self.bias
