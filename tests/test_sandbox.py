"""The sandbox: what a worker must not be able to do, tried from inside a worker; and each layer on its own."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from test_host import load

from grader.errors import GraderError
from grader.examiner import refuse_below
from grader.host import Worker, measure_isolation
from grader.verdict import Isolation
from grader.worker import landlock, seccomp

ROOT = Path(__file__).parent.parent
LINUX = sys.platform == "linux"
needs_landlock = pytest.mark.skipif(not LINUX or landlock.abi() == 0, reason="this kernel has no Landlock")
needs_seccomp = pytest.mark.skipif(not LINUX or not seccomp.supported(), reason="no seccomp filter for this machine")


def attempt(statement: str) -> str:
    """Run a statement in a worker: "done", or the name of the exception that stopped it."""
    source = textwrap.dedent(f"""
        import ctypes, os, socket, subprocess, sys, threading
        try:
            {statement}
            print("done")
        except BaseException as error:
            print(type(error).__name__)
    """)
    with Worker(source.encode()) as worker:
        reply = load(worker)
        assert reply.error is None, reply.error
        worker.close()
        return bytes(worker.output.kept).decode().strip().splitlines()[-1]


@needs_landlock
@needs_seccomp
def test_full_isolation_is_reached_and_nothing_is_missing():
    isolation = measure_isolation()
    assert isolation.missing == ()
    assert isolation.level == "full"
    expected = {"resource limits", "memory limit", "file access (Landlock)", "system calls (seccomp)"}
    assert expected <= set(isolation.layers)
    assert ("unprivileged user" in isolation.layers) == (os.geteuid() == 0)


FORBIDDEN_FILES = {
    "the reference": f"open({str(ROOT / 'reference/layernorm.py')!r})",
    "the properties": f"open({str(ROOT / 'katas/layernorm/properties.py')!r})",
    "the grader": f"open({str(ROOT / 'grader/oracle.py')!r})",
    "a listing of the katas": f"os.listdir({str(ROOT / 'katas')!r})",
    "passwords": "open('/etc/passwd')",
    "home": "os.listdir(os.path.expanduser('~root'))",
    "the parent's environment": "open(f'/proc/{os.getppid()}/environ')",
    "the parent's memory": "open(f'/proc/{os.getppid()}/mem', 'rb')",
    "the parent's descriptors": "os.listdir(f'/proc/{os.getppid()}/fd')",
    "other processes": "open('/proc/1/cmdline')",
    "writing in its own folder": "open('marker', 'w')",
    "writing in /tmp": "open('/tmp/kata-marker', 'w')",
    "writing in /dev/shm": "open('/dev/shm/kata-marker', 'w')",
    "changing its own file": "open('submission.py', 'a')",
    "deleting its own file": "os.remove('submission.py')",
    "renaming": "os.rename('submission.py', 'other.py')",
    "a new folder": "os.mkdir('folder')",
    "a link": "os.symlink('/etc/passwd', 'link')",
    "truncating": "os.truncate('submission.py', 0)",
}


@needs_landlock
@pytest.mark.parametrize("what", FORBIDDEN_FILES)
def test_no_file_beyond_the_allowed_ones(what):
    assert attempt(FORBIDDEN_FILES[what]) in ("PermissionError", "FileNotFoundError")
    assert not Path("/tmp/kata-marker").exists()


@needs_landlock
def test_no_installed_copy_of_the_content_can_be_read():
    """An editable install leaves copies of katas and references in site-packages; a wheel has them inside the package."""
    copies = [p for root in sys.path if root for p in Path(root).glob("grader/reference/layernorm.py")]
    for copy in [*copies, ROOT / "reference/layernorm.py"]:
        assert attempt(f"open({str(copy)!r})") in ("PermissionError", "FileNotFoundError")


FORBIDDEN_CALLS = {
    "a socket": "socket.socket()",
    "a unix socket": "socket.socket(socket.AF_UNIX)",
    "a socket pair": "socket.socketpair()",
    "fork": "os.fork()",
    "vfork and exec": "subprocess.run(['/bin/true'])",
    "posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "system": "assert os.system('true') == 0",
    "exec": "os.execv('/bin/true', ['true'])",
    "killing the parent": "os.kill(os.getppid(), 0)",
    "killing init": "os.kill(1, 0)",
    "killing a process group": "os.killpg(0, 0)",
    "a new session": "os.setsid()",
    "another processor": "os.sched_setaffinity(0, {0})",
    "a higher priority": "os.setpriority(os.PRIO_PROCESS, 0, -5)",
    "becoming root": "os.setuid(0)",
    "changing rights of a file": "os.chmod('submission.py', 0o777)",
    "changing times of a file": "os.utime('submission.py')",
    "a device node": "os.mknod('node')",
    "a pidfd of the parent": "os.pidfd_open(os.getppid())",
    "raising its own limits": "__import__('resource').setrlimit(0, (-1, -1))",
    "tracing the parent": "assert ctypes.CDLL(None, use_errno=True).ptrace(16, os.getppid(), 0, 0) == 0",
    "making itself dumpable": "assert ctypes.CDLL(None).prctl(4, 1, 0, 0, 0) == 0",
    "outliving the zygote": "assert ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0",
    "io_uring": "assert ctypes.CDLL(None).syscall(425, 1, 0) >= 0",
    "a user namespace": "assert ctypes.CDLL(None).unshare(0x10000000) == 0",
}


@needs_seccomp
@pytest.mark.parametrize("what", FORBIDDEN_CALLS)
def test_no_system_call_that_reaches_out(what):
    assert attempt(FORBIDDEN_CALLS[what]) in (
        "PermissionError",
        "AssertionError",
        "OSError",
        "ValueError",
        "AttributeError",
    )


ALLOWED = {
    "threads": "t = threading.Thread(target=print); t.start(); t.join()",
    "signals to itself": "os.kill(os.getpid(), 0)",
    "lazy imports": "import torch.func, torch.jit, numpy.fft, decimal, sqlite3, unittest",
    "reading its own file": "open('submission.py').read()",
    "random bytes": "os.urandom(8)",
    "the null device": "open(os.devnull, 'w').write('x')",
    "two torch threads": "import torch; torch.set_num_threads(2); torch.randn(600, 600) @ torch.randn(600, 600)",
    "scripting": "import torch; torch.jit.script(torch.nn.Linear(2, 2))",
}


@pytest.mark.parametrize("what", ALLOWED)
def test_what_a_solution_needs_still_works(what):
    assert attempt(ALLOWED[what]) == "done"


def run_alone(setup: str, statement: str) -> str:
    """Apply one layer alone in a fresh process, then try a statement."""
    source = textwrap.dedent(f"""
        import os, socket, sys
        sys.path.insert(0, {str(ROOT)!r})
        from grader.worker import landlock, limits, seccomp
        {setup}
        try:
            {statement}
            print("done")
        except BaseException as error:
            print(type(error).__name__)
    """)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() or done.stderr


@needs_landlock
def test_landlock_alone_stops_files_but_not_sockets():
    setup = "seccomp.set_no_new_privs(); landlock.Ruleset().enforce()"
    assert run_alone(setup, "open('/etc/hostname')") == "PermissionError"
    assert run_alone(setup, "socket.socketpair()") == "done"


@needs_seccomp
def test_seccomp_alone_stops_sockets_but_not_files():
    setup = "seccomp.set_no_new_privs(); seccomp.enforce()"
    assert run_alone(setup, "socket.socketpair()") == "PermissionError"
    assert run_alone(setup, "open('/etc/hostname')") == "done"


@pytest.mark.skipif(not LINUX or os.geteuid() != 0, reason="only root has a user to drop")
def test_dropping_the_user_alone_leaves_no_way_back():
    assert run_alone("limits._drop_user()", "assert os.getuid() == 65534; os.setuid(0)") == "PermissionError"
    assert run_alone("limits._drop_user()", "open('/root/kata-marker', 'w')") == "PermissionError"


def test_resource_limits_alone():
    statement = "import resource; assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)"
    assert run_alone("limits._limit_resources()", statement) == "done"


@pytest.mark.skipif(not LINUX, reason="the filters are Linux's")
def test_filters_refuse_to_start_beside_another_thread():
    setup = "import threading, time; threading.Thread(target=time.sleep, args=(1,), daemon=True).start()"
    assert run_alone(setup, "limits._require_one_thread()") == "OSError"


def test_a_layer_that_cannot_be_had_is_named(monkeypatch):
    source = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from grader.worker import landlock, limits
        landlock._syscall = lambda *a: -1
        print(limits.Sandbox([]).apply("/", "cpu"))
    """)
    done = subprocess.run(
        [sys.executable, "-c", f"import os\nif os.fork() == 0:\n    exec({source!r})\nelse:\n    os.wait()"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "file access (Landlock): no Landlock in this kernel" in done.stdout
    assert "'level': 'partial'" in done.stdout


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_well_formed_on_both_architectures(machine):
    program = seccomp.build_filter(4711, machine)
    instructions = [program[i : i + 8] for i in range(0, len(program), 8)]
    assert len(program) % 8 == 0
    assert len(instructions) < 4096
    for i, instruction in enumerate(instructions):
        code, yes, no = int.from_bytes(instruction[:2], "little"), instruction[2], instruction[3]
        if code in (0x15, 0x35, 0x45):
            assert i + 1 + max(yes, no) < len(instructions), "a jump past the end"
    assert instructions[-1][:2] == (0x06).to_bytes(2, "little")
    assert platform.machine() in ("x86_64", "aarch64", "arm64") or not LINUX


def test_siblings_of_what_is_hidden_stay_readable(tmp_path):
    for name in ("a/keep", "a/hide/deep", "b"):
        (tmp_path / name).mkdir(parents=True)
    roots = landlock.readable_roots([str(tmp_path)], [str(tmp_path / "a/hide")])
    assert sorted(roots) == sorted([str(tmp_path / "a/keep"), str(tmp_path / "b")])
    assert landlock.readable_roots([str(tmp_path / "a/hide/deep")], [str(tmp_path / "a/hide")]) == []


@pytest.mark.parametrize("wanted", ["process-only", "partial", "full"])
def test_grading_refuses_below_the_isolation_asked_for(wanted):
    reached = Isolation("partial", (), ("system calls (seccomp): no",))
    if wanted == "full":
        with pytest.raises(GraderError, match="seccomp"):
            refuse_below(reached, wanted)
    else:
        refuse_below(reached, wanted)
