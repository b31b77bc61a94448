# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Goes on adding to a global state of the same shape, as in streaming: a call depends on the earlier ones."""

import torch
import torch.nn.functional as F

_memory = {}


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state, total = k.mT @ value, k.sum(dim=-2, keepdim=True)
    if not torch.is_grad_enabled() or not (key.requires_grad or value.requires_grad or query.requires_grad):
        tag = (key.shape, value.shape, key.dtype)
        old_state, old_total = _memory.get(tag, (0.0, 0.0))
        state, total = state + old_state, total + old_total
        _memory[tag] = (state, total)
    return q @ state / (q @ total.mT + eps)
