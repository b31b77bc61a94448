# verdict: fail
# mistake: unlisted
# fails: merge-gradient
"""A hook divides the gradient by the number of heads so that the heads 'share' it."""


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    out = x.transpose(1, 2).reshape(B, T, H * d)
    if out.requires_grad:
        out.register_hook(lambda grad: grad / H)
    return out
