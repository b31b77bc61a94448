# BLANK: the contract, empty bodies that raise, and a scratch pad, which is never graded
"""The logarithm of a sum of exponentials over the last dimension, without overflow.

example_kata(x)    x (..., D) -> (...)
"""

import torch


def example_kata(x):
    # x (..., D)
    # returns (...)
    raise NotImplementedError("write me")


if __name__ == "__main__":  # scratch pad: never graded, change it as you like
    torch.manual_seed(0)
    x = torch.randn(2, 5)  # (B, D)
    print("shape", tuple(example_kata(x).shape), "want (2,)")
    print("of D zeros", example_kata(torch.zeros(5)).item(), "want log 5 = 1.609...")
    print("of large numbers", example_kata(x + 1e4).tolist(), "want about 10001")
