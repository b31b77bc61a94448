# verdict: fail
# kind: processes and threads
# stopped-by: threads are bounded by memory and die with the worker
"""Starts two hundred sleeping threads and returns a wrong answer."""

import threading


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    done = threading.Event()
    threads = []
    try:
        for _ in range(200):
            threads.append(threading.Thread(target=done.wait, args=(5,), daemon=True))
            threads[-1].start()
    except (RuntimeError, MemoryError):
        threads.pop()
    done.set()
    return value.mean(-2, keepdim=True).expand(*query.shape[:-1], value.shape[-1])
