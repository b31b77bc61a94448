# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Without a gradient it merges into one buffer for each shape, so the next call changes the last answer."""

_buffers = {}


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    if x.requires_grad:
        return x.transpose(1, 2).reshape(B, T, H * d)
    key = (B, T, H, d, x.dtype, x.device)
    buffer = _buffers.setdefault(key, x.new_empty(B, T, H, d))
    return buffer.copy_(x.transpose(1, 2)).view(B, T, H * d)
