# verdict: pass
"""The blackboard version: tril, masked_fill with minus infinity, F.softmax. Chinese comments, prints, __main__."""

import torch
import torch.nn.functional as F


def causal_mask(seq_len, device=None):
    # 下三角(含对角线)为 True:位置 i 只能看到 j <= i
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    print("scores", tuple(scores.shape), "mask", tuple(mask.shape))
    scores = scores.masked_fill(~mask, float("-inf"))  # 被屏蔽的位置填负无穷
    return F.softmax(scores, dim=-1)


if __name__ == "__main__":
    print(masked_softmax(torch.randn(2, 4, 4), causal_mask(4)))
