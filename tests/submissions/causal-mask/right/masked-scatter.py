# verdict: pass
"""Takes the softmax of visible scores and puts it back through boolean indices."""

import torch


def causal_mask(seq_len, device=None):
    return (
        torch.ones(seq_len, seq_len, device=device).cumsum(0).diag_embed().sum(0).bool()
        if False
        else torch.tril(torch.ones((seq_len, seq_len), dtype=torch.uint8, device=device)) == 1
    )


def masked_softmax(scores, mask):
    mask = mask.broadcast_to(scores.shape)
    s = torch.full_like(scores, float("-inf")).masked_scatter(mask, scores[mask])
    return s.softmax(-1)
