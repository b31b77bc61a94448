"""Running a kata's `properties.py` with pytest inside this process, closed to the user's configuration.

No conftest, ini file, plugin, PYTEST_ADDOPTS or cache of the user's is seen, and no folder is written. Results are collected
from the test functions themselves, never from pytest's text.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis.errors import Flaky

from grader import pytest_plugin
from grader.errors import WorkerLost
from grader.failure import PropertyFailed, latest_failure
from grader.laws import shrink_no_further
from grader.strategies import grading_dtypes
from grader.verdict import PropertyResult, Status, category_place

if TYPE_CHECKING:
    from grader.examiner import Examination

CLOSED = (
    *("-c", os.devnull, "--noconftest", "--import-mode=importlib", "--assert=plain", "--capture=no"),
    *("--override-ini=addopts=", "--continue-on-collection-errors"),
)
# Built-in plugins that a grade has no use for: each would be set up every time.
UNUSED = (
    *(
        "cacheprovider",
        "terminal",
        "doctest",
        "junitxml",
        "pastebin",
        "faulthandler",
        "logging",
        "warnings",
        "debugging",
    ),
    *("stepwise", "setuponly", "setupplan", "unittest", "legacypath", "recwarn", "monkeypatch", "tmpdir", "subtests"),
    *("threadexception", "unraisableexception"),
)


@dataclass(slots=True)
class Report:
    """What came of the properties in the order of the table: required ones, then stretch."""

    results: list[PropertyResult] = field(default_factory=list)
    lost: WorkerLost | None = None  # set where a required property lost the worker
    faults: list[str] = field(default_factory=list)  # failures of the grader outside any property


def run_properties(examination: Examination, only: Collection[str] = (), *, until_failure: bool = False) -> Report:
    """Run them all, or those in `only`. Raises KeyboardInterrupt where the user interrupts."""
    collector = _Collector(examination, only, until_failure)
    # The root decides the name under which pytest keeps the module: katas.<id>.properties.
    root = examination.kata.folder.parent.parent
    args = [*CLOSED, f"--rootdir={root}", f"--confcutdir={root}"]  # no folder above the pack is listed
    args += [*(f"-pno:{name}" for name in UNUSED), str(examination.kata.properties)]
    import torch

    dtypes = [getattr(torch, name) for name in examination.dtypes]
    noise = io.StringIO()
    with (
        _closed_environment(),
        grading_dtypes(dtypes),
        contextlib.redirect_stdout(noise),
        contextlib.redirect_stderr(noise),
    ):
        code = pytest.main(args, plugins=[pytest_plugin, collector])
    if collector.interrupted:
        raise KeyboardInterrupt
    report = collector.report
    ran = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
    if code not in ran and not report.faults:
        report.faults.append(f"pytest ended with {code!r} {noise.getvalue()[-500:]}".strip())
    missing = [id for id in collector.expected if id not in {r.id for r in report.results}]
    if missing or not collector.expected:
        report.faults.append(f"no result came for {', '.join(missing) or 'any property'}")
    return report


@contextlib.contextmanager
def _closed_environment() -> Iterator[None]:
    """Hide pytest's and hypothesis's environment, and write no bytecode beside the properties."""
    hidden = {n: os.environ.pop(n) for n in list(os.environ) if n.startswith(("PYTEST_", "HYPOTHESIS_"))}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    modules = set(sys.modules)
    try:
        yield
    finally:
        # Another pack may hold a kata of the same name: never leave the properties to be found by name again.
        for name in [n for n in sys.modules if n not in modules and n.split(".")[0] == "katas"]:
            del sys.modules[name]
        sys.dont_write_bytecode = bytecode
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update(hidden)


class _Collector:
    """A pytest plugin: hands out the examination and turns each test's outcome into a PropertyResult."""

    def __init__(self, examination: Examination, only: Collection[str], until_failure: bool) -> None:
        self.examination = examination
        self.only = only
        self.until_failure = until_failure
        self.report = Report()
        self.expected: list[str] = []
        self.interrupted = False
        self._over: WorkerLost | None = None
        self._ended_in = ""  # the property that lost the worker

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[pytest_plugin.EXAMINATION] = self.examination

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Whatever lies beside the properties is not even looked at: pytest would ask ten hooks about each file."""
        wanted = self.examination.kata.properties
        return None if collection_path == wanted or collection_path in wanted.parents else True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if not self.only or _id(item) in self.only]
        # In the table's order, so that the first failure, which alone is shrunk, is the one that is shown.
        items.sort(key=lambda item: (item.obj.law.stretch, category_place(item.obj.law.category)))
        self.expected = [_id(item) for item in items]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.report.faults.append(f"the properties do not load: {str(report.longrepr)[-2000:]}")

    def pytest_keyboard_interrupt(self) -> None:
        self.interrupted = True

    def pytest_internalerror(self, excrepr: object) -> None:
        self.report.faults.append(str(excrepr)[-2000:])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        """Once the worker is gone, the rest is skipped, which is never a pass."""
        shown = any(r.status is Status.FAILED and r.readable for r in self.report.results)
        if self.until_failure and any(r.status is Status.FAILED and r.required for r in self.report.results):
            self._add(item, Status.SKIPPED, "not examined: a required property has failed before")
            return True
        if self._over is None:
            if shown:
                shrink_no_further(item.obj)
            return None
        self._add(item, Status.SKIPPED, f"not examined: the code's process ended in {self._ended_in}")
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Note what came of it; pytest's own report would write out a traceback that nobody reads, for 50 ms a failure."""
        error = None if call.excinfo is None else call.excinfo.value
        assert call.when != "collect"
        self._note(item, call.when, error)
        outcome: Literal["passed", "failed", "skipped"] = "passed" if error is None else "failed"
        if isinstance(error, pytest.skip.Exception):
            outcome = "skipped"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    def _note(self, item: Any, when: str, error: BaseException | None) -> None:
        if when != "call":
            if error is not None and not isinstance(error, pytest.skip.Exception):
                self._add(item, Status.ERROR, f"{type(error).__name__}: {error}")
            return
        if error is None:
            self._add(item, Status.PASSED)
        elif isinstance(error, PropertyFailed):
            self._add(item, Status.FAILED, error.message, error)
        elif isinstance(error, Flaky):
            self._add(
                item, Status.FAILED, "the same input gives different answers from call to call", _find_failure(error)
            )
        elif isinstance(error, pytest.skip.Exception):
            self._add(item, Status.SKIPPED, str(error))
        elif isinstance(error, WorkerLost):
            self._lose(item, error)
        else:
            self._add(item, Status.ERROR, f"{type(error).__name__}: {error}"[:2000])

    def _lose(self, item: Any, lost: WorkerLost) -> None:
        """The worker died in this property. A required one ends the grade; a stretch one does not."""
        failure = latest_failure.get()
        self._over, self._ended_in = lost, _id(item)
        if lost.kind == "time-limit" and failure is not None:
            self._add(item, Status.FAILED, failure.message, failure)
        elif lost.kind == "time-limit":
            self._add(item, Status.SKIPPED, f"not examined to the end: {lost.message}")
        else:
            self._add(item, Status.FAILED, lost.message, self.examination.candidate.last_call_as_failure(lost.message))
        if not item.obj.law.stretch:
            self.report.lost = lost

    def _add(self, item: Any, status: Status, message: str = "", failure: PropertyFailed | None = None) -> None:
        latest_failure.set(None)
        self.report.results.append(
            PropertyResult(
                id=_id(item),
                description=" ".join((item.obj.__doc__ or "").split()),
                category=item.obj.law.category,
                required=not item.obj.law.stretch,
                status=status,
                message=message,
                counterexample=None if failure is None else failure.counterexample,
                exception=None if failure is None else failure.exception,
            )
        )


def _id(item: Any) -> str:
    return str(item.obj.__name__).removeprefix("test_").replace("_", "-")


def _find_failure(error: BaseException) -> PropertyFailed | None:
    """The candidate's failure inside an exception group."""
    if isinstance(error, PropertyFailed):
        return error
    for inner in getattr(error, "exceptions", ()):
        found = _find_failure(inner)
        if found is not None:
            return found
    return None
