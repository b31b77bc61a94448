# verdict: fail
# mistake: two: elu-without-one + no-normaliser
# fails: matches-formula
"""A bare elu, and nothing to divide by."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    memory = torch.einsum("...se,...sv->...ev", F.elu(key), value)
    return torch.einsum("...le,...ev->...lv", F.elu(query), memory)
