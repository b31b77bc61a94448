# verdict: pass
"""elu(x) + 1 is relu(x) + exp(min(x, 0)); clamp passes the slope 1 at exactly 0, where relu passes 0."""

import torch


class FeatureMap:
    def __call__(self, x):
        return torch.relu(x) + torch.exp(torch.clamp(x, max=0.0))


phi = FeatureMap()


def linear_attention(*tensors_and_eps):
    query, key, value, *rest = tensors_and_eps
    eps = rest[0] if rest else 1e-6
    query, key = phi(query), phi(key)
    norm = torch.matmul(query, key.sum(-2, keepdim=True).transpose(-1, -2)) + eps
    return torch.matmul(query, torch.matmul(key.transpose(-1, -2), value)) / norm
