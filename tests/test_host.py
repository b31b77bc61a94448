"""The worker process: clean, limited, under a deadline, and gone without a trace afterwards."""

from __future__ import annotations

import mmap
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from grader import host
from grader.errors import GraderError, WorkerLost
from grader.host import prestart
from grader.worker.arena import SIZE, create_file
from grader.worker_process import Worker, keep_ready


def load(worker: Worker, entry: str = "f"):
    message = {"op": "load", "path": worker.path, "forbidden": [], "entries": [{"name": entry, "kind": "function"}]}
    return worker.request(message)


def run(source: str) -> str:
    """Load a file that prints something, and return what it printed."""
    with Worker(source.encode()) as worker:
        reply = load(worker)
        assert reply.error is None, reply.error
        worker.close()
        return bytes(worker.output.kept).decode()


def test_the_worker_sees_no_secret_environment(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    printed = run("import os\nprint(sorted(os.environ))\nprint(open('/proc/self/environ').read())")
    assert "PATH" in printed
    assert "MY_TOKEN" not in printed
    assert "KATA_HOME" not in printed


def test_the_worker_is_single_threaded():
    assert run("import torch, os\nprint(torch.get_num_threads(), len(os.listdir('/proc/self/task')))").split() == [
        "1",
        "1",
    ]


def test_the_worker_has_no_grader_reference_or_property_in_memory_or_on_its_path():
    printed = run(
        "import sys\n"
        "print([n for n in sys.modules if n.split('.')[0] in ('grader', 'katas', 'reference', 'pytest', 'hypothesis')])\n"
        "for name in ('katas', 'reference'):\n"
        "    try:\n        __import__(name)\n        print('found', name)\n"
        "    except ImportError:\n        pass\n"
    )
    assert printed.strip() == "[]"


def test_the_worker_starts_in_a_private_empty_folder():
    printed = run("import os, tempfile\nprint(os.listdir('.'), os.getcwd() == tempfile.gettempdir())")
    assert printed.strip() == "['submission.py'] True"


def test_stdin_is_empty_and_both_outputs_are_captured():
    printed = run("import sys\nprint(repr(sys.stdin.read()))\nprint('oops', file=sys.stderr)")
    assert sorted(printed.split()) == ["''", "oops"]


def test_only_the_descriptors_of_the_protocol_are_open():
    printed = run("import os\nprint(sorted(int(n) for n in os.listdir('/proc/self/fd')))")
    assert len(printed.split(",")) <= 7, printed  # three standard ones, stream, arena, alarm, the listing itself


def test_closing_leaves_no_process_and_no_folder():
    worker = Worker(b"")
    pid, folder = worker._pid, worker.folder
    assert Path(folder).is_dir()
    worker.close()
    worker.close()  # twice is once
    assert not Path(folder).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("source", "kind", "wanted"),
    [
        ("import os; os._exit(3)", "crash", "exit code 3"),
        ("import ctypes; ctypes.string_at(0)", "crash", "SIGSEGV"),
        ("while True: pass", "timeout", "no answer within"),
        (
            "import os\nfor fd in range(3, 50):\n    try: os.write(fd, b'\\xff' * 64)\n    except OSError: pass",
            "protocol",
            "not understood",
        ),
        ("import os\nos.closerange(3, 50)\nwhile True: pass", "crash", "died|ended"),
    ],
    ids=["exit", "segfault", "loop", "garbage-on-the-stream", "closed-stream"],
)
def test_a_lost_worker_is_told_by_its_kind(source, kind, wanted, monkeypatch):
    monkeypatch.setattr("grader.worker_process.CALL_SECONDS", 1)
    with Worker(source.encode()) as worker:
        with pytest.raises(WorkerLost, match=wanted) as lost:
            worker.request(
                {"op": "load", "path": worker.path, "forbidden": [], "entries": [{"name": "f", "kind": "function"}]},
                seconds=1,
            )
        assert lost.value.kind == kind
        with pytest.raises(WorkerLost):
            load(worker)


def test_a_flood_of_output_does_not_block_and_is_capped():
    with Worker(b"import os\nfor _ in range(200): os.write(1, b'x' * 65536)\ndef f(): pass") as worker:
        assert load(worker).error is None
        worker.close()
        assert len(worker.output.kept) == 64 * 1024
        assert worker.output.truncated


def test_memory_is_limited():
    with Worker(b"x = bytearray(8 << 30)") as worker:
        error = load(worker).error
    assert error is not None
    assert error["type"] == "MemoryError"


def test_a_zygote_that_died_is_replaced():
    zygote = prestart()
    zygote._process.kill()
    zygote._process.wait()
    with Worker(b"def f(): pass") as worker:
        assert load(worker).error is None
    assert prestart() is not zygote


def test_a_missing_torch_is_told(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    from grader.host import Zygote

    with pytest.raises(GraderError, match="torch is not installed"):
        Zygote()


@pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="the end of a process that is no child is waited for by pidfd"
)
def test_a_killed_grader_leaves_no_process_and_no_folder():
    source = (
        "import os, sys\nfrom grader import host\nfrom grader.worker_process import Worker\nworker = Worker(b'x = 1')\n"
        "print(host.prestart()._process.pid, worker._pid, worker.folder, flush=True)\nos.kill(os.getpid(), 9)\n"
    )
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=120, env=environ)
    assert done.returncode == -9, done.stderr
    zygote, worker, folder = done.stdout.split()
    for pid in (int(zygote), int(worker)):
        try:
            end = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            assert select.select([end], [], [], 60)[0], f"process {pid} lives on"
        finally:
            os.close(end)
    assert not Path(folder).exists()


def drop_spare() -> None:
    zygote = host.prestart()
    if zygote.spare is not None:
        zygote.spare.close()
        zygote.spare = None


@pytest.fixture
def ready_worker():
    """The worker that is kept ready, and no older one."""
    drop_spare()
    keep_ready()
    spare = host.prestart().spare
    assert spare is not None
    yield spare
    drop_spare()


def test_a_worker_that_is_kept_ready_is_used_once(ready_worker):
    pid = ready_worker.pid
    with Worker(b"x = 1") as first, Worker(b"x = 2") as second:
        assert first.pid == pid != second.pid
        assert (Path(first.path).read_bytes(), Path(second.path).read_bytes()) == (b"x = 1", b"x = 2")
        assert first.isolation == second.isolation
        for worker in (first, second):
            assert worker.request({"op": "parse", "path": worker.path, "forbidden": []}).error is None


def test_a_worker_that_died_while_it_was_kept_is_not_used(ready_worker):
    pid, folder = ready_worker.pid, ready_worker.folder
    os.kill(pid, 9)
    assert select.select([ready_worker._stream], [], [], 60)[0]
    with Worker(b"x = 1") as worker:
        assert worker.pid != pid
        assert worker.request({"op": "parse", "path": worker.path, "forbidden": []}).error is None
    assert not Path(folder).exists()


def test_a_worker_of_another_zygote_is_not_used(ready_worker):
    pid = ready_worker.pid
    zygote = host.prestart()
    zygote._process.kill()
    zygote._process.wait()
    with Worker(b"x = 1") as worker:
        assert worker.pid != pid


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="only Linux has files in memory that can be sealed")
def test_nobody_can_change_the_size_of_the_arena():
    fd = create_file()
    try:
        for size in (0, 4096, SIZE + 4096):
            with pytest.raises(PermissionError):
                os.ftruncate(fd, size)
        assert os.fstat(fd).st_size == SIZE
    finally:
        os.close(fd)


def test_the_worker_holds_no_descriptor_of_the_arena():
    """Where no seal can be had, this is what keeps its size."""
    printed = run(
        "import os\nsizes = []\nfor fd in range(3, 64):\n    try: sizes.append(os.fstat(fd).st_size)\n"
        f"    except OSError: pass\nprint(len(sizes) > 0, {SIZE} in sizes)"
    )
    assert printed.split() == ["True", "False"]


@pytest.mark.skipif(not hasattr(mmap, "MADV_REMOVE"), reason="only Linux gives pages of a shared file back")
def test_the_arena_gives_its_memory_back_with_the_worker():
    with Worker(b"") as worker:
        slot = worker.arena.write(torch.ones(1 << 16), 0)
        seen = worker.arena.view(slot)  # keeps the mapping
        assert seen.all()
    assert not seen.any()


def test_a_worker_of_another_installation_is_refused(monkeypatch):
    monkeypatch.setattr("grader.host.fingerprint", lambda: -1)
    host.shut_down()
    try:
        with pytest.raises(GraderError, match="do not fit"):
            Worker(b"")
    finally:
        host.shut_down()


def test_another_grader_on_the_path_is_not_what_the_worker_runs(monkeypatch, tmp_path):
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "__init__.py").write_text("raise SystemExit('the wrong grader')")
    real = host._import_paths()
    monkeypatch.setattr(host, "_import_paths", lambda: [str(tmp_path), *real])
    host.shut_down()
    try:
        with Worker(b"def f(): pass") as worker:
            assert load(worker).error is None
    finally:
        host.shut_down()


def test_no_ready_worker_is_left_behind(ready_worker):
    folder = ready_worker.folder
    host.shut_down()
    assert not Path(folder).exists()
