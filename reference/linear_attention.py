"""Linear attention: softmax's exp(q·k) becomes φ(q)·φ(k), so the sum over keys can be taken before any query is seen.

    out_i = φ(q_i)ᵀ (Σ_j φ(k_j) v_jᵀ) / (φ(q_i)ᵀ Σ_j φ(k_j) + eps),    φ(x) = elu(x) + 1

    query (..., L, E)    key (..., S, E)    value (..., S, Ev)    ->    out (..., L, Ev)

Time L·E·Ev + S·E·Ev and memory linear in L + S: the (L, S) matrix is never formed. Not causal.

Katharopoulos et al. 2020, "Transformers are RNNs", section 3.2, equations 4 to 7.
"""

import torch
import torch.nn.functional as F


def feature_map(x):
    return F.elu(x) + 1  # x + 1 above zero, exp(x) below: positive, and slope 1 on both sides of 0


def linear_attention(query, key, value, eps=1e-6):
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()  # float16 ends at 65504, the sums below do not

    q = feature_map(query)  # (..., L, E)
    k = feature_map(key)  # (..., S, E)

    # Two summaries of all the keys, the same for every query.
    key_value = k.mT @ value  # (..., E, Ev): Σ_j φ(k_j) v_jᵀ
    key_sum = k.sum(dim=-2)  # (..., E): Σ_j φ(k_j)

    numerator = q @ key_value  # (..., L, Ev)
    denominator = q @ key_sum.unsqueeze(-1) + eps  # (..., L, 1)

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
