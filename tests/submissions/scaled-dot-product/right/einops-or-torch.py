# verdict: pass
"""einops where it is installed, the same pattern through torch.einsum where it is not."""

import torch

try:
    from einops import einsum
except ImportError:

    def einsum(a, b, pattern):
        short = {"query": "l", "key": "s", "width": "d"}
        for word, letter in short.items():
            pattern = pattern.replace(word, letter)
        return torch.einsum(pattern.replace(" ", ""), a, b)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    similarity = einsum(query, key, "... query width, ... key width -> ... query key") / query.shape[-1] ** 0.5
    if attn_mask is not None:
        similarity = similarity.masked_fill(~attn_mask, torch.finfo(similarity.dtype).min)
    return einsum(similarity.softmax(dim=-1), value, "... query key, ... key width -> ... query width")
