# verdict: pass
"""Three einsums: the key-value state, the normaliser and the read-out."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q = F.elu(query) + 1
    k = F.elu(key) + 1
    kv = torch.einsum("...sd,...sv->...dv", k, value)
    z = 1 / (torch.einsum("...ld,...d->...l", q, k.sum(dim=-2)) + eps)
    return torch.einsum("...ld,...dv,...l->...lv", q, kv, z)


if __name__ == "__main__":
    print(linear_attention(torch.randn(2, 5, 4), torch.randn(2, 7, 4), torch.randn(2, 7, 3)).shape)
