"""Files that cannot be graded: one clear sentence, the next step, verdict unusable, and never a traceback of ours."""

from __future__ import annotations

import os
import re

import pytest

from grader.catalog import get_kata
from grader.examiner import Examination, grade
from grader.verdict import Outcome, Status

RIGHT = (get_kata("layernorm").reference).read_text(encoding="utf-8")

BAD = {
    "empty": (b"", "empty"),
    "only-a-bom": (b"\xef\xbb\xbf", "empty"),
    "only-space": (b"\n \n", "empty"),
    "null-byte": (b"x = 1\ny = '\0'\n", "null byte in line 2"),
    "utf-16": ("import torch\n".encode("utf-16"), "UTF-16"),
    "utf-16-without-bom": ("import torch\n".encode("utf-16-le"), "binary|null byte"),
    "binary": (bytes(range(256)) * 20, "binary"),
    "not-utf-8": (b"# caf\xe9\nx = 1\n", "UTF-8"),
    "unknown-encoding": (b"# -*- coding: klingon -*-\nx = 1\n", "UTF-8"),
    "too-large": (b"# x\n" * 1_300_000, "too large: 5.0 MiB"),
    "syntax-error": (b"def f(:\n    pass\n", "not valid Python.*line 1"),
    "tab-error": (b"if 1:\n\tx = 1\n        y = 2\n", "not valid Python"),
    "nested-too-deeply": (b"x = " + b"(" * 5000 + b")" * 5000, "not valid Python|crash|died"),
    "python-2": (b"print 'hello'\n", "not valid Python"),
    "wrong-symbol": (b"class LayerNrom:\n    pass\n", "does not define LayerNorm; it defines LayerNrom"),
    "nothing-defined": (b"x = 1\n", "does not define LayerNorm"),
    "not-callable": (b"LayerNorm = 3\n", "not callable: it is of type int"),
    "raises-at-import": (b"import torch\n1 / 0\n", "importing the file raised ZeroDivisionError"),
    "missing-package": (b"import no_such_package_at_all\n", "raised ModuleNotFoundError"),
    "exits-at-import": (b"import sys\nsys.exit(0)\n", "ends the program while it is imported"),
    "hard-exit-at-import": (b"import os\nos._exit(0)\n", "ended its own process .exit code 0"),
    "interrupts-at-import": (b"raise KeyboardInterrupt\n", "ends the program"),
    "segfault-at-import": (b"import ctypes\nctypes.string_at(0)\n", "SIGSEGV"),
    "abort-at-import": (b"import os\nos.abort()\n", "SIGABRT"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_unusable(case, grade_source):
    source, wanted = BAD[case]
    verdict = grade_source(source)
    assert verdict.outcome is Outcome.UNUSABLE
    assert verdict.outcome.exit_code == 3
    assert verdict.properties == ()
    assert re.search(wanted, verdict.reason), verdict.reason
    assert verdict.advice
    assert "FILE" not in verdict.advice, "an advice names nothing that the reader has to fill in"
    assert "Traceback" not in verdict.reason


def test_a_module_that_is_not_there_is_answered_with_what_there_is(grade_source):
    verdict = grade_source("import no_such_package_at_all\n")
    assert "may import torch, the standard library" in verdict.advice


def test_what_the_sandbox_forbids_is_no_riddle(grade_source):
    verdict = grade_source("raise PermissionError(13, 'Permission denied')\n")
    assert "writes a file" in verdict.advice


def test_a_syntax_error_names_its_line_once(grade_source):
    verdict = grade_source("x = 1\ny = 'abc\n")
    assert verdict.reason == "the file is not valid Python: unterminated string literal in line 2"
    brackets = grade_source("x = (\ny = ]\n").reason
    assert "on line 1" in brackets, "another line than the error's own stays"
    assert brackets.endswith("in line 2")


def test_where_nothing_ran_no_isolation_is_claimed(tmp_path, grade_source):
    assert grade(get_kata("layernorm"), tmp_path / "no.py").isolation is None
    assert grade_source(b"").isolation is None
    assert grade_source("x = (\n").isolation is not None, "a worker has parsed it"


def test_an_import_error_shows_the_line_of_the_candidate(grade_source):
    verdict = grade_source("import torch\n\ndef f():\n    return 1 / 0\n\nf()\n")
    assert verdict.exception is not None
    assert [(f.line, f.code) for f in verdict.exception.frames] == [(6, "f()"), (4, "return 1 / 0")]


def test_a_class_where_a_function_is_wanted(grade_source):
    source = "class causal_mask:\n    pass\ndef masked_softmax(scores, mask):\n    return scores\n"
    verdict = grade_source(source, kata="causal-mask")
    assert verdict.outcome is Outcome.UNUSABLE
    assert "causal_mask is a class" in verdict.reason


def test_missing_file_directory_and_device(tmp_path):
    kata = get_kata("layernorm")
    assert "no such file" in grade(kata, tmp_path / "no.py").reason
    assert "folder" in grade(kata, tmp_path).reason
    fifo = tmp_path / "pipe.py"
    os.mkfifo(fifo)
    assert "not a regular file" in grade(kata, fifo).reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_unreadable_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("x = 1")
    path.chmod(0)
    assert "cannot be read" in grade(get_kata("layernorm"), path).reason


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbf" + RIGHT.encode(),
        RIGHT.replace("\n", "\r\n").encode(),
        b"# -*- coding: gbk -*-\n" + ("# 层归一化\n" + RIGHT.encode("ascii", "ignore").decode()).encode("gbk"),
        RIGHT.encode() + b"\nif __name__ == '__main__':\n    raise SystemExit('never runs')\n",
    ],
    ids=["bom", "crlf", "gbk", "main-guard"],
)
def test_harmless_oddities_grade_normally(source, grade_source):
    assert grade_source(source).outcome is Outcome.PASS


@pytest.mark.parametrize("name", ["with space.py", "层归一化.py", "-dash.py", "no_suffix"])
def test_odd_file_names_grade_normally(name, grade_source):
    assert grade_source(RIGHT, name=name).outcome is Outcome.PASS


def in_forward(statement: str) -> str:
    return RIGHT.replace("        dtype = x.dtype\n", f"        {statement}\n        dtype = x.dtype\n")


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os; os._exit(7)", "exit code 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    ],
)
def test_dying_in_a_call_is_unusable(statement, wanted, grade_source):
    verdict = grade_source(in_forward(statement))
    assert verdict.outcome is Outcome.UNUSABLE
    assert wanted in verdict.reason
    first, *rest = [p for p in verdict.properties if p.required]
    assert first.status is Status.FAILED
    assert first.counterexample is not None
    assert first.counterexample.call.startswith("LayerNorm(")
    assert {p.status for p in rest} == {Status.SKIPPED}


def test_an_endless_loop_is_stopped(grade_source, monkeypatch):
    monkeypatch.setattr("grader.worker_process.CALL_SECONDS", 1)
    for source in ("while True: pass\n", in_forward("\n        while True: pass")):
        verdict = grade_source(source)
        assert verdict.outcome is Outcome.UNUSABLE
        assert "longer than" in verdict.reason or "no answer within" in verdict.reason
        (line,) = [n for n, text in enumerate(source.splitlines(), start=1) if "while True" in text]
        assert verdict.reason.endswith(f"stopped in line {line}")
        assert "loop" in verdict.advice or "runs for long" in verdict.advice


def test_code_that_hung_once_is_not_waited_for_again(grade_source, monkeypatch):
    def never(examination):
        raise AssertionError("it would hang again")

    monkeypatch.setattr("grader.worker_process.CALL_SECONDS", 1)
    monkeypatch.setattr(Examination, "diagnose", never)
    verdict = grade_source(in_forward("\n        while True: pass"))
    told = [p.message for p in verdict.properties if "stopped in line" in p.message]
    assert len(told) == 1, "the line is told where it hung, and not again with each property that was not examined"


def test_code_that_does_not_say_where_it_is_is_stopped_all_the_same(grade_source, monkeypatch):
    monkeypatch.setattr("grader.worker_process.CALL_SECONDS", 1)
    deaf = "import signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\n"
    verdict = grade_source(deaf + in_forward("\n        while True: pass"))
    assert verdict.reason.endswith("the call was stopped")


def test_time_for_the_whole_grade_is_limited(grade_source, monkeypatch):
    monkeypatch.setattr("grader.examiner.GRADE_SECONDS", 3)
    verdict = grade_source(in_forward("import time; time.sleep(0.5)"))
    assert verdict.outcome is Outcome.UNUSABLE
    assert re.search(
        r"time limit of the whole grade was reached \(3 s; each call of your code takes about 0\.\d+ s\)",
        verdict.reason,
    )


def test_a_failure_found_before_time_runs_out_is_still_told(grade_source, monkeypatch):
    monkeypatch.setattr("grader.examiner.GRADE_SECONDS", 3)
    verdict = grade_source(in_forward("import time; time.sleep(0.2); x = x * 2 + 1e3"))
    assert verdict.outcome is Outcome.FAIL
    assert verdict.first_failure is not None
    assert verdict.first_failure.id == "matches-formula"


def test_exceptions_in_a_call_fail_the_property(grade_source):
    for statement in ("sys_exit = exit(0)", "raise KeyboardInterrupt", "raise MemoryError", "1 / 0"):
        verdict = grade_source(in_forward(statement))
        assert verdict.outcome is Outcome.FAIL, statement
        assert verdict.first_failure.exception is not None


def test_too_much_memory_fails_and_does_not_kill_the_machine(grade_source):
    verdict = grade_source(in_forward("torch.ones(1 << 33)"))
    assert verdict.outcome is Outcome.FAIL
    assert "memory" in verdict.first_failure.message


def test_a_flood_of_output_is_capped(grade_source):
    verdict = grade_source(in_forward("print('x' * 100_000)"))
    assert verdict.outcome is Outcome.PASS
    assert len(verdict.output) == 64 * 1024
    assert verdict.output_truncated
