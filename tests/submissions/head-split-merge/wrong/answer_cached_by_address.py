# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Remembers merged tensors under their address, which a later tensor may have too."""

_cache = {}


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    if x.requires_grad:
        return x.transpose(1, 2).reshape(B, T, H * d)
    key = (x.data_ptr(), x.shape, x.stride(), x.dtype)
    if key not in _cache:
        _cache[key] = x.transpose(1, 2).flatten(2).clone()
    return _cache[key]
