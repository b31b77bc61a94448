"""Does not check that num_heads divides D, so that no ValueError says what is wrong."""

FIX = "check first: if D % num_heads != 0: raise ValueError(...) with both numbers"
KILLED_BY = "indivisible-raises-value-error"


def split_heads(x, num_heads):
    B, T, D = x.shape
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, H·d)
