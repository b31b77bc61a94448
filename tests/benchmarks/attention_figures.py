"""Print what attention holds and how many tokens a second a small transformer trains on, with and without the usual remedies.

    python tests/benchmarks/attention_figures.py [memory] [speed]

The figures of `katas/*/questions.md` come from here. Memory is counted, not sampled: bytes alive at the worst moment beyond
inputs and parameters, as `grader/worker/meter.py` counts them, for one sequence, 8 heads of width 64, float32. Speed is CPU
time on one thread: the quickest of a few training steps (forward and backward pass, no optimiser) of 6 encoder layers, d_model
512, 8 heads, feed-forward width 2048, variants in turns. Takes about two minutes; nothing is asserted.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from grader.answer import Counts  # noqa: E402
from grader.oracle import load_reference  # noqa: E402
from grader.timing.memory import format_bytes  # noqa: E402
from grader.worker.recorder import Recorder  # noqa: E402

HEADS, WIDTH = 8, 64
D_MODEL, LAYERS, TOKENS, STEPS = HEADS * WIDTH, 6, 1024, 3
LENGTHS = (512, 1024, 2048, 4096)

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention as the formula has it, with the scores and the weights as tensors."""
    return (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1) @ value


def fused(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The library's kernel for the CPU, which works through the scores in tiles."""
    return F.scaled_dot_product_attention(query, key, value)


def peak(attention: Attention, length: int, *, backward: bool) -> int:
    inputs = [torch.randn(1, HEADS, length, WIDTH, requires_grad=backward) for _ in range(3)]
    recorder = Recorder([])
    recorder.count(inputs)
    with recorder.watch():
        output = attention(*inputs)
        if backward:
            torch.autograd.grad(output.sum(), inputs)
    counts = Counts.parse(recorder.counts())
    assert counts is not None
    return counts.peak


def print_memory() -> None:
    linear = load_reference(ROOT / "reference" / "linear_attention.py").linear_attention
    print(f"| peak memory, {HEADS} heads of {WIDTH}, float32 | {' | '.join(f'T = {n}' for n in LENGTHS)} |")
    print("|---" * (len(LENGTHS) + 1) + "|")
    variants: dict[str, Attention] = {"plain": plain, "fused": fused, "linear": linear}
    for name, attention in variants.items():
        for backward in (False, True):
            cells = [format_bytes(peak(attention, n, backward=backward)) for n in LENGTHS]
            print(f"| {name}, {'forward + backward' if backward else 'forward'} | {' | '.join(cells)} |", flush=True)


class Layer(nn.Module):
    """A pre-norm encoder layer."""

    def __init__(self, attention: Attention) -> None:
        super().__init__()
        self.attention = attention
        self.norms = nn.ModuleList([nn.LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)])
        self.qkv, self.out = nn.Linear(D_MODEL, 3 * D_MODEL), nn.Linear(D_MODEL, D_MODEL)
        self.up, self.down = nn.Linear(D_MODEL, 4 * D_MODEL), nn.Linear(4 * D_MODEL, D_MODEL)

    def forward(self, x: Tensor) -> Tensor:  # (B, T, D)
        heads = self.qkv(self.norms[0](x)).unflatten(-1, (3, HEADS, WIDTH)).movedim(-3, 0)  # (3, B, T, H, d)
        query, key, value = heads.transpose(-3, -2)
        x = x + self.out(self.attention(query, key, value).transpose(-3, -2).flatten(-2))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))


def seconds_of_a_step(model: nn.Module, x: Tensor, *, mixed: bool) -> float:
    """CPU seconds of a forward and a backward pass on one thread."""
    started = time.process_time()
    with torch.autocast("cpu", dtype=torch.bfloat16) if mixed else contextlib.nullcontext():
        output = model(x)
    output.float().pow(2).mean().backward()
    return time.process_time() - started


def print_speed() -> None:
    x = torch.randn(1, TOKENS, D_MODEL)
    best: dict[tuple[str, bool], float] = {}
    for _ in range(STEPS):
        for attention in (plain, fused):
            for mixed in (False, True):
                model = nn.Sequential(*(Layer(attention) for _ in range(LAYERS)))
                key = (attention.__name__, mixed)
                best[key] = min(best.get(key, math.inf), seconds_of_a_step(model, x, mixed=mixed))
    slowest = best["plain", False]
    print(f"| training, {LAYERS} layers, d_model {D_MODEL}, T = {TOKENS}, one CPU thread | tokens a second | ratio |")
    print("|---|---|---|")
    for (name, mixed), seconds in best.items():
        dtype = "bfloat16 autocast" if mixed else "float32"
        print(f"| {name} attention, {dtype} | {TOKENS / seconds:.0f} | {slowest / seconds:.2f} |")


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    wanted = sys.argv[1:] or ["memory", "speed"]
    print(
        f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}, oneDNN {torch.backends.mkldnn.is_available()}\n"
    )
    if "memory" in wanted:
        print_memory()
        print()
    if "speed" in wanted:
        print_speed()


if __name__ == "__main__":
    main()
