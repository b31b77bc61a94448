# verdict: fail
# mistake: unlisted
# fails: repeatable
"""An lru_cache by hand, keyed by shape: a second tensor of that shape gets the first one's heads."""

_cache = {}


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    key = (B, T, D, num_heads, x.dtype, x.device)
    if x.requires_grad or key not in _cache:
        _cache[key] = x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)
    return _cache[key]


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
