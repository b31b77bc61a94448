# verdict: pass
"""Advanced indexing: an index tensor of shape (H, d) picks the features of each head."""

import torch


def split_heads(x, num_heads):
    features = torch.arange(x.shape[-1], device=x.device)
    if len(features) % num_heads:
        raise ValueError("d_model % num_heads must be 0")
    return x[:, :, features.view(num_heads, -1)].permute(0, 2, 1, 3)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    num_heads, size = x.shape[1], x.shape[3]
    feature = torch.arange(num_heads * size, device=x.device)
    return x[:, feature // size, :, feature % size].permute(1, 2, 0)  # separated indices come first: (D, B, T)
