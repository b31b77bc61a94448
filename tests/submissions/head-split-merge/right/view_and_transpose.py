# verdict: pass
"""The blackboard version: view, transpose, contiguous, view. Chinese comments, prints, __main__."""

import torch


def split_heads(x, n_head):
    B, T, D = x.shape
    if D % n_head != 0:
        raise ValueError(f"d_model={D} 不能被 n_head={n_head} 整除")
    print("split", tuple(x.shape), "->", (B, n_head, T, D // n_head))
    return x.view(B, T, n_head, D // n_head).transpose(1, 2)  # 先拆最后一维,再交换序列维和头维


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).contiguous().view(B, T, H * d)  # 转置后内存不连续,必须先 contiguous


if __name__ == "__main__":
    x = torch.randn(2, 5, 12)
    assert torch.equal(merge_heads(split_heads(x, 3)), x)
