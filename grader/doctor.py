"""`kata doctor`: plain `key: value` lines about this machine, made for pasting into a bug report.

Every probe may fail without ending the others. Never prints a secret: of the environment only a short list of names,
and the home folder as ~. Imports torch, as no other command but a grade does.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from grader import catalog
from grader.errors import KataError
from grader.journal import events as journal
from grader.journal.file import can_begin
from grader.output import Look
from grader.render.text import amount, printable

PACKAGES = ("pytest", "hypothesis", "click", "rich", "platformdirs", "numpy", "einops")
VARIABLES = (
    "KATA_HOME", "KATA_PATH", "KATA_DEBUG", "NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LANG", "LC_ALL", "PYTHONPATH",
    "PYTHONIOENCODING", "PYTEST_ADDOPTS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
)  # fmt: skip


def examine(look: Look, packs: Sequence[Path] = (), broken: Mapping[Path, str] | None = None) -> tuple[list[str], bool]:
    """The report's lines, and whether everything that a grade needs is there.

    `packs` are katas from elsewhere, `broken` those that are left out, and why.
    """
    lines: list[str] = []
    healthy = True
    probes: tuple[tuple[str, Callable[[], Iterator[tuple[str, str]]]], ...] = (
        ("python", _python),
        ("torch", _torch),
        ("packages", _packages),
        ("isolation", _isolation),
        ("katas", lambda: _katas(packs, broken or {})),
        ("journal", _journal),
        ("terminal", lambda: _terminal(look)),
        ("environment", lambda: _environment(os.environ)),
    )
    for name, probe in probes:
        try:
            lines += [f"{key}: {printable(_short(value))}" for key, value in probe()]
        except Exception as error:  # a bug report must come out whatever is broken
            healthy = healthy and name not in ("torch", "isolation", "katas")
            message = error.message if isinstance(error, KataError) else f"{type(error).__name__}: {error}"
            lines.append(f"{name}: FAILED, {printable(_short(message))}")
    return lines, healthy


def _short(text: str) -> str:
    user = os.path.expanduser("~")
    return text.replace(user, "~") if len(user) > 1 and user != "/" else text


def _python() -> Iterator[tuple[str, str]]:
    yield "torch-kata", version()
    yield "python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "executable", sys.executable
    yield "platform", platform.platform()
    yield "cpus", str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())


def version(distribution: str = "torch-kata") -> str:
    """The installed version of a distribution, or words that say there is none."""
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


def _torch() -> Iterator[tuple[str, str]]:
    import torch

    yield "torch", torch.__version__
    if torch.cuda.is_available():
        yield "cuda", f"{torch.cuda.get_device_name(0)}, CUDA {torch.version.cuda}"
    else:
        yield "cuda", "not available"
    yield "mps", "available" if torch.backends.mps.is_available() else "not available"
    yield "threads", f"{torch.get_num_threads()} in torch by default"


def _packages() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        yield name, version(name)


def _isolation() -> Iterator[tuple[str, str]]:
    from grader.worker_process import measure_isolation

    reached = measure_isolation()
    yield "isolation", reached.level
    yield "isolation layers", ", ".join(reached.layers) or "none"
    yield "isolation missing", ", ".join(reached.missing) or "nothing"


def _katas(packs: Sequence[Path], broken: Mapping[Path, str]) -> Iterator[tuple[str, str]]:
    katas = catalog.find_katas(packs)
    for root in (catalog.content_root(), *packs):
        count = sum(kata.folder.parent.parent == root for kata in katas.values())
        yield "katas", f"{count} in {root / 'katas'}"
    for pack, fault in broken.items():
        yield "katas left out", f"{pack}: {fault}"


def _journal() -> Iterator[tuple[str, str]]:
    troubles: list[str] = []
    record = journal.Journal(journal.home(), warn=troubles.append)
    known = record.path.exists()
    events = record.count()
    begun = amount(events, "event") if known else "not begun"
    writable = "writable" if (record.is_writable() if known else can_begin(record.path.parent)) else "not writable"
    record.close()
    yield "journal", f"{record.path} ({begun}, {writable})"
    for trouble in troubles:
        yield "journal trouble", trouble
    yield "config", "no configuration file is read; only the environment below"


def _terminal(look: Look) -> Iterator[tuple[str, str]]:
    kind = "terminal" if look.terminal else "pipe"
    encoding = getattr(sys.stdout, "encoding", "unknown")
    yield "stdout", f"{kind}, {look.width} columns, {encoding}, colour {look.color}, unicode {look.unicode}"


def _environment(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in VARIABLES:
        if name in environ:
            yield name, environ[name] or "(empty)"
