# verdict: fail
# kind: spoofed output
# stopped-by: undecodable text is shown as its escape
"""Raises and prints text that no encoding can write."""

import os


def split_heads(x, num_heads):
    os.write(1, bytes(range(256)) * 4)
    raise RuntimeError("\ud800\udfff\x00 \u2028 \N{RIGHT-TO-LEFT OVERRIDE}" + "\ud800" * 3000)


def merge_heads(x):
    return split_heads(x, 1)
