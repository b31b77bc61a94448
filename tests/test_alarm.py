"""The dispatcher's alarm: it rings for a forbidden operator by whatever road it is reached, and for nothing else."""

from __future__ import annotations

import textwrap

import pytest

from grader.catalog import get_kata
from grader.verdict import Outcome
from grader.worker_process import Worker

ROADS = {
    "the function": "F.layer_norm(x, (3,))",
    "the module": "torch.nn.LayerNorm(3)(x)",
    "the aten operator": "torch.ops.aten.native_layer_norm(x, [3], None, None, 1e-5)",
    "its out variant": "torch.ops.aten.native_layer_norm.out(x, [3], None, None, 1e-5, out0=o(), out1=o(), out2=o())",
    "a thread": "t = threading.Thread(target=F.layer_norm, args=(x, (3,))); t.start(); t.join()",
    "modes off": "off(F.layer_norm, x, (3,))",
    "vmap": "torch.func.vmap(lambda row: F.layer_norm(row, (3,)))(x)",
    "no_grad": "torch.no_grad()(F.layer_norm)(x, (3,))",
    "inference mode": "torch.inference_mode()(F.layer_norm)(x, (3,))",
    "a backward pass": "F.layer_norm(x.requires_grad_(), (3,)).sum().backward()",
    "group norm": "F.group_norm(x, 1)",
    "batch norm": "F.batch_norm(x, torch.zeros(3), torch.ones(3))",
    "rms norm": "off(F.rms_norm, x, (3,))",
}
QUIET = {
    "statistics": "torch.var_mean(x, -1, correction=0)",
    "softmax": "x.softmax(-1)",
    "linear": "torch.nn.Linear(3, 3)(x).sum().backward()",
    "cosine": "F.normalize(x) @ x.mT",
}


def alarms(statement: str) -> list[str]:
    source = textwrap.dedent(f"""
        import threading, torch, torch.nn.functional as F
        from torch.utils._python_dispatch import _disable_current_modes
        x = torch.randn(2, 3)
        def o(): return torch.empty(0)
        def off(function, *arguments):
            with torch._C.DisableTorchFunction(), _disable_current_modes():
                return function(*arguments)
        {statement}
    """)
    with Worker(source.encode()) as worker:
        forbidden = list(get_kata("layernorm").forbidden)
        reply = worker.request({"op": "load", "path": worker.path, "forbidden": forbidden, "entries": []})
        assert reply.error is None, reply.error
        assert set(worker.alarms()) <= set(forbidden)
        return worker.alarms()


@pytest.mark.parametrize("road", ROADS)
def test_it_rings(road):
    assert alarms(ROADS[road])


@pytest.mark.parametrize("what", QUIET)
def test_it_is_silent(what):
    assert alarms(QUIET[what]) == []


def test_a_comparison_with_the_library_at_import_is_no_call(grade_source):
    check = "\nx = torch.randn(2, 3)\nassert torch.allclose(LayerNorm(3)(x), nn.functional.layer_norm(x, (3,)), atol=1e-5)\n"
    right = get_kata("layernorm").reference.read_text(encoding="utf-8")
    assert grade_source(right + check, only=["matches-formula"]).outcome is Outcome.PASS


def test_the_registrations_cannot_be_found():
    source = """
        import gc
        gc.unfreeze()
        functions = [t for t in gc.get_objects() if type(t).__name__ == "function"]
        ours = [t.__name__ for t in functions if t.__code__.co_filename.endswith("alarm.py")]
        assert "install" in ours, "the search finds nothing at all"
        assert not set(ours) & {"ring", "kernel", "composite"}, ours
    """
    with Worker(textwrap.dedent(source).encode()) as worker:
        forbidden = list(get_kata("layernorm").forbidden)
        reply = worker.request({"op": "load", "path": worker.path, "forbidden": forbidden, "entries": []})
    assert reply.error is None, reply.error
