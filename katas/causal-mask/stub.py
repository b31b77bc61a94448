"""The causal mask, and a softmax that obeys a mask.

causal_mask(seq_len, device=None) -> bool (T, T), True where key j <= query i
masked_softmax(scores, mask)      -> weights like scores (..., L, S), exactly 0 where mask is False
"""

import torch


def causal_mask(seq_len, device=None):
    # returns (seq_len, seq_len) bool on device
    raise NotImplementedError("write me")


def masked_softmax(scores, mask):
    # scores (..., L, S)   mask bool, broadcastable to scores; True = visible
    # returns (..., L, S), softmax over the last dimension
    raise NotImplementedError("write me")


if __name__ == "__main__":  # scratch pad: never graded, change it as you like
    torch.manual_seed(0)
    mask = causal_mask(4)
    print(mask.int(), mask.dtype)

    scores = torch.randn(2, 4, 4)  # (B, L, S)
    weights = masked_softmax(scores, mask)
    print(weights[0])
    print("row sums", weights.sum(dim=-1)[0].tolist(), "want ones")

    louder = scores + 100 * (~mask)  # shout in the future
    print("influence of the future", (masked_softmax(louder, mask) - weights).abs().max().item(), "want 0")
    print("finite with large scores", masked_softmax(scores * 1e4, mask).isfinite().all().item(), "want True")
