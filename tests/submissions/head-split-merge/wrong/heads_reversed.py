# verdict: fail
# mistake: heads-reversed
# fails: split-places-features
"""Peels heads off the end of the features, so that head 0 holds the last ones; merges the same way round."""

import torch


def split_heads(x, num_heads):
    size, rest = divmod(x.shape[-1], num_heads)
    if rest:
        raise ValueError(f"{rest} features left over")
    heads = []
    for _ in range(num_heads):
        x, head = x[..., : x.shape[-1] - size], x[..., x.shape[-1] - size :]
        heads.append(head)
    return torch.stack(heads, dim=1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in reversed(range(x.shape[1]))], dim=-1)
