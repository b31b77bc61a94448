"""Linear attention with the feature map φ(x) = elu(x) + 1, not causal.

out_i = φ(q_i)ᵀ (Σ_j φ(k_j) v_jᵀ) / (φ(q_i)ᵀ Σ_j φ(k_j) + eps)
query (..., L, E), key (..., S, E), value (..., S, Ev) -> (..., L, Ev); time and memory linear in L and S.
"""

import time

import torch


def linear_attention(query, key, value, eps=1e-6):
    # query (..., L, E)   key (..., S, E)   value (..., S, Ev)
    # returns (..., L, Ev)
    raise NotImplementedError("write me")


if __name__ == "__main__":  # scratch pad: never graded, change it as you like
    torch.manual_seed(0)
    query = torch.randn(2, 4, 8)  # (B, L, E)
    key = torch.randn(2, 5, 8)  # (B, S, E)
    value = torch.randn(2, 5, 3)  # (B, S, Ev)

    out = linear_attention(query, key, value)
    print("shape", tuple(out.shape), "want (2, 4, 3)")

    ones = linear_attention(query, key, torch.ones(2, 5, 3))
    print("average of ones", ones[0, 0].tolist(), "want ones: the weights sum to one")

    order = torch.randperm(5)
    shuffled = linear_attention(query, key[:, order], value[:, order])
    print("effect of shuffling the keys", (shuffled - out).abs().max().item(), "want about 0")
    print("finite at ±200", linear_attention(query.sign() * 200, key.sign() * 200, value).isfinite().all().item())

    for length in (2048, 4096, 8192):
        x = torch.randn(length, 16)
        start = time.perf_counter()
        linear_attention(x, x, x)
        print(f"length {length}: {1e3 * (time.perf_counter() - start):.1f} ms, doubling should about double it")
