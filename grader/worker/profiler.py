"""The third recorder: torch's own profiler, over all threads.

It sees what the two modes miss: composite operators called below Python (`aten::rms_norm` in TorchScript), calls from helper
threads, calls with the modes switched off. It costs about 0.7 ms a call, so it watches some calls only. Uses the profiler's
C interface, because `torch.profiler` imports half of the compiler (1 s).
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from typing import Any

import torch

autograd: Any = torch.autograd  # its profiler functions are there, but not exported to type checkers

FIRST_MARK, LAST_MARK = "aten::zeros", "aten::eye"


class Tampered(Exception):
    """The profile is not whole: the candidate's code switched the profiler off, or on again."""


@functools.cache
def available() -> bool:
    """Whether this build of torch has the profiler's interface as it is used here; tried once, in the zygote."""
    try:
        with watch() as names:
            torch.ones(1)
    except (AttributeError, TypeError, RuntimeError, Tampered):
        return False
    return "aten::ones" in names


@contextlib.contextmanager
def watch() -> Iterator[set[str]]:
    """Collect the names of all operators that run, from any thread. Raises Tampered at the end if the record has a hole."""
    names: set[str] = set()
    activities = {autograd.ProfilerActivity.CPU}
    every_thread = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
    config = autograd.ProfilerConfig(
        autograd.ProfilerState.KINETO, False, False, False, False, False, every_thread, "kata"
    )
    with _silent_stderr():
        autograd._prepare_profiler(config, activities)
        autograd._enable_profiler(config, activities)
    torch.zeros(0)
    try:
        yield names
    finally:
        torch.eye(0)
        try:
            with _silent_stderr():
                result = autograd._disable_profiler()
        except RuntimeError as error:
            raise Tampered(str(error)) from None
        names.update(event.name() for event in result.events())
    if not {FIRST_MARK, LAST_MARK} <= names:
        raise Tampered("the record has a hole")


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    """Some builds write a line at each start and stop, which would look like the candidate's output."""
    kept = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)
