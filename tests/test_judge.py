"""From what was seen to the sentence that says why: what is one call is told as one."""

from __future__ import annotations

from grader.judge import once_each
from grader.verdict import ForbiddenCall

CALLED = ForbiddenCall("torch.nn.functional.layer_norm", "recorder", 15)


def test_a_call_that_is_seen_again_further_down_is_one_call() -> None:
    again = [ForbiddenCall(f"aten::{name}", "recorder") for name in ("layer_norm", "native_layer_norm_backward")]
    assert once_each([CALLED, *again]) == [CALLED]
    assert once_each(again) == again, "where no line is known at all, each is all there is"


def test_another_operator_is_another_call() -> None:
    other = ForbiddenCall("aten::softmax", "recorder")
    second = ForbiddenCall("torch.nn.functional.layer_norm", "recorder", 20)
    assert once_each([CALLED, other, second]) == [CALLED, other, second]
