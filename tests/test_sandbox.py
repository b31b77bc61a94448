"""The sandbox: what a worker must not be able to do, tried from inside a worker; and each layer on its own."""

from __future__ import annotations

import ast
import errno
import json
import os
import platform
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from test_host import load

from grader import host
from grader.catalog import find_katas, get_kata
from grader.conditions import refuse_below
from grader.errors import GraderError
from grader.examiner import grade
from grader.verdict import Isolation, Outcome
from grader.worker import landlock, limits, seccomp
from grader.worker_process import Worker, keep_ready, measure_isolation

ROOT = Path(__file__).parent.parent
# The layers bind one thread only; torch would start more.
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
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
    "changing the owner of a file": "os.chown('submission.py', os.getuid(), os.getgid())",
    "changing times of a file": "os.utime('submission.py')",
    "a device node": "os.mknod('node')",
    "a pidfd of the parent": "os.pidfd_open(os.getppid())",
    "raising its own limits": "__import__('resource').setrlimit(0, (-1, -1))",
    "tracing the parent": "assert ctypes.CDLL(None, use_errno=True).ptrace(16, os.getppid(), 0, 0) == 0",
    "making itself dumpable": "assert ctypes.CDLL(None).prctl(4, 1, 0, 0, 0) == 0",
    "outliving the zygote": "assert ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0",
    "signals by a descriptor": "__import__('fcntl').fcntl(1, 8, os.getppid())",
    "input into a terminal": "assert ctypes.CDLL(None).ioctl(1, 0x5412, b'x') == 0",
    "shared memory that outlives it": "assert ctypes.CDLL(None).shmget(0, 4096, 0o1600) >= 0",
    "a message queue that outlives it": "assert ctypes.CDLL(None).msgget(0, 0o1600) >= 0",
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


def answers_of(lines: str) -> str:
    """Run lines in a worker and return what they print; `call(number, …)` gives the error number of a system call."""
    source = textwrap.dedent("""
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        def call(number, *arguments):
            converted = [ctypes.c_long(a) for a in (number, *arguments, *[-1] * (6 - len(arguments)))]
            return 0 if libc.syscall(*converted) >= 0 else ctypes.get_errno()
    """) + textwrap.dedent(lines)
    with Worker(source.encode()) as worker:
        reply = load(worker)
        assert reply.error is None, reply.error
        worker.close()
        return bytes(worker.output.kept).decode().strip()


@needs_seccomp
def test_every_listed_system_call_answers_eperm():
    column = 0 if platform.machine() == "x86_64" else 1
    numbers = {name: both[column] for name, both in seccomp._CALLS.items() if both[column] is not None}
    printed = answers_of(f"print({{n: c for n, k in {numbers}.items() if (c := call(k)) != {errno.EPERM}}})")
    assert printed == "{}"


@needs_seccomp
def test_no_process_is_cloned_and_clone3_is_missing():
    column = 0 if platform.machine() == "x86_64" else 1
    clone, clone3 = seccomp._CLONE[column], seccomp._CLONE3[column]
    printed = answers_of(f"print(call({clone}, 17, 0, 0, 0, 0), call({clone3}, 0, 0))")  # 17: SIGCHLD, no flag
    assert printed == f"{errno.EPERM} {errno.ENOSYS}"


@needs_seccomp
def test_prctl_serves_for_nothing_but_names():
    number = seccomp._PRCTL[0 if platform.machine() == "x86_64" else 1]
    printed = answers_of(f"print([o for o in range(80) if call({number}, o) != {errno.EPERM}])")
    assert set(ast.literal_eval(printed)) == {o for o in seccomp._HARMLESS_PRCTL if o < 80}


@needs_seccomp
def test_limits_of_other_processes_cannot_be_touched_nor_signals_sent_to_them():
    index = 0 if platform.machine() == "x86_64" else 1
    kills = [numbers[index] for numbers in seccomp._KILL_CALLS]
    limit = seccomp._PRLIMIT[index]
    printed = answers_of(f"""
        others = [os.getppid(), 1, 0, -1, -os.getpid()]
        print({{call(n, o, 0) for n in {kills} for o in others}} | {{call({limit}, os.getppid(), 0, 0, 0)}})
    """)
    assert printed == f"{{{errno.EPERM}}}"


@pytest.mark.skipif(not LINUX, reason="macOS enforces fewer of them")
def test_every_resource_is_limited():
    printed = answers_of("""
        import resource
        names = ("AS", "CPU", "FSIZE", "NOFILE", "CORE", "NPROC")
        print([resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names])
    """)
    limits_of_worker = ast.literal_eval(printed)
    memory, seconds, *rest = limits_of_worker
    assert all(soft == hard for soft, hard in limits_of_worker)
    assert limits.MEMORY <= memory[0] <= 64 << 30
    assert seconds[0] == limits.CPU_SECONDS
    assert [soft for soft, _ in rest[:3]] == [limits.FILE_SIZE, limits.OPEN_FILES, 0]
    assert 0 < rest[3][0] <= limits.PROCESSES


ALLOWED = {
    "threads": "t = threading.Thread(target=print); t.start(); t.join()",
    "signals to itself": "os.kill(os.getpid(), 0)",
    "lazy imports": "import torch.func, torch.jit, numpy.fft, decimal, sqlite3, unittest",
    "reading its own file": "open('submission.py').read()",
    "random bytes": "os.urandom(8)",
    "the null device": "open(os.devnull, 'w').write('x')",
    "two torch threads": "import torch; torch.set_num_threads(2); torch.randn(600, 600) @ torch.randn(600, 600)",
    "locks and flags of descriptors": "import fcntl; fcntl.fcntl(1, fcntl.F_GETFL); fcntl.fcntl(1, fcntl.F_GETFD)",
    "scripting": "import torch; torch.jit.script(torch.nn.Linear(2, 2))",
}


@pytest.mark.parametrize("what", ALLOWED)
def test_what_a_solution_needs_still_works(what):
    assert attempt(ALLOWED[what]) == "done"


def run_alone(setup: str, statement: str) -> str:
    """Apply one layer alone in a fresh process, then try a statement. Only `limits` needs torch, which takes long to import."""
    source = textwrap.dedent(f"""
        import os, socket, sys
        sys.path.insert(0, {str(ROOT)!r})
        from grader.worker import {"limits" if "limits." in setup + statement else "landlock, seccomp"}
        {setup}
        try:
            {statement}
            print("done")
        except BaseException as error:
            print(type(error).__name__)
    """)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, env=ONE_THREAD)
    return done.stdout.strip() or done.stderr


@needs_landlock
def test_landlock_alone_stops_files_but_not_sockets():
    setup = "seccomp.set_no_new_privs(); landlock.Ruleset().enforce()"
    assert run_alone(setup, "open('/etc/hostname')") == "PermissionError"
    assert run_alone(setup, "socket.socketpair()") == "done"


@pytest.mark.skipif(not LINUX or landlock.abi() < 6, reason="this kernel's Landlock has no scopes")
def test_landlock_alone_scopes_signals_and_abstract_sockets():
    """The test's own process is the other one: it can be signalled, and it listens, before the scopes are set and not after."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0kata-test-{os.getpid()}")
        listening.listen()
        tries = {
            "os.kill(os.getppid(), 0)": "PermissionError",
            f"socket.socket(socket.AF_UNIX).connect('\\0kata-test-{os.getpid()}')": "PermissionError",
            "socket.socketpair()": "done",
        }
        for statement, stopped in tries.items():
            assert run_alone("", statement) == "done"
            assert run_alone("seccomp.set_no_new_privs(); landlock.Ruleset().enforce()", statement) == stopped


@needs_seccomp
def test_seccomp_alone_stops_sockets_but_not_files():
    setup = "seccomp.set_no_new_privs(); seccomp.enforce()"
    assert run_alone(setup, "socket.socketpair()") == "PermissionError"
    assert run_alone(setup, "open('/etc/hostname')") == "done"


@pytest.mark.skipif(not LINUX or os.geteuid() != 0, reason="only root has a user to drop")
def test_dropping_the_user_alone_leaves_no_way_back():
    assert run_alone("limits._drop_user('cpu')", "assert os.getuid() == 65534; os.setuid(0)") == "PermissionError"
    assert run_alone("limits._drop_user('cpu')", "open('/root/kata-marker', 'w')") == "PermissionError"


def test_resource_limits_alone():
    statement = "import resource; assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)"
    assert run_alone("limits._limit_resources()", statement) == "done"


@pytest.mark.skipif(not LINUX, reason="the filters are Linux's")
def test_filters_refuse_to_start_beside_another_thread():
    setup = "import threading, time; threading.Thread(target=time.sleep, args=(1,), daemon=True).start()"
    assert run_alone(setup, "limits._require_one_thread()") == "OSError"


@pytest.mark.parametrize(
    ("without", "missing"),
    [
        ("landlock._syscall = lambda *a: -1", "file access (Landlock): no Landlock in this kernel"),
        ("profiler.available = lambda: False", "operator profile: the profiler of this torch cannot be used"),
    ],
    ids=["landlock", "profiler"],
)
def test_a_layer_that_cannot_be_had_is_named(without, missing):
    source = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from grader.worker import landlock, limits, profiler
        {without}
        print(limits.Sandbox([]).apply("/", "cpu"))
    """)
    done = subprocess.run(
        [sys.executable, "-c", f"import os\nif os.fork() == 0:\n    exec({source!r})\nelse:\n    os.wait()"],
        capture_output=True,
        text=True,
        timeout=60,
        env=ONE_THREAD,
    )
    assert missing in done.stdout
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


def in_a_sandbox(setup: str, statements: list[str], *, device: str = "cpu") -> list[str]:
    """Apply every layer in a forked process after `setup`: level and what is missing, then what each statement came to."""
    source = textwrap.dedent("""
        import os, sys
        sys.path.insert(0, {root!r})
        import torch
        from grader.worker import landlock, limits
        {setup}
        reached = sandbox.apply("/nonexistent", {device!r})
        print(reached["level"], *[m.partition(":")[0] for m in reached["missing"]], sep="; ")
        for statement in {statements!r}:
            try:
                exec(statement)
                print("done")
            except BaseException as error:
                print(type(error).__name__)
    """).format(root=str(ROOT), setup=setup, device=device, statements=statements)
    fork = f"import os\nif os.fork() == 0:\n    exec({source!r})\nelse:\n    os.wait()"
    done = subprocess.run([sys.executable, "-c", fork], capture_output=True, text=True, timeout=120, env=ONE_THREAD)
    assert done.stdout, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A system's library folder with a Python that has the grader in it, a pack of katas, and things that code needs."""
    inside = "python3.11/site-packages"
    for name in (
        f"{inside}/grader/reference/layernorm.py",
        f"{inside}/other/code.py",
        "pack/katas/k/stub.py",
        "libc.so",
    ):
        file = tmp_path / "lib" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1")
    for folder in (tmp_path, *tmp_path.parents):  # pytest's own folders are for one user only
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o055)
    return tmp_path


def opens(*paths: Path) -> list[str]:
    return [f"open({str(path)!r})" for path in paths]


@needs_landlock
@needs_seccomp
def test_answers_in_a_folder_of_the_system_are_hidden_and_what_lies_beside_them_is_not(system):
    packages, pack = system / "lib/python3.11/site-packages", system / "lib/pack"
    setup = (
        f"limits.SYSTEM_FILES += ({str(system / 'lib')!r},); "
        f"sandbox = limits.Sandbox(limits.list_content([{str(packages)!r}])); sandbox.hide([{str(pack / 'katas')!r}])"
    )
    tried = opens(packages / "grader/reference/layernorm.py", pack / "katas/k/stub.py")
    wanted = opens(packages / "other/code.py", system / "lib/libc.so")
    level, *came = in_a_sandbox(setup, [*tried, *wanted])
    assert level == "full"
    assert came == ["PermissionError"] * 2 + ["done"] * 2


@needs_landlock
@needs_seccomp
@pytest.mark.parametrize("where", ["constructed", "hidden later"])
def test_a_rule_that_is_too_wide_is_noticed_and_told(system, where):
    """Rules add up; a way in that nobody thought of must not pass for full isolation."""
    grader = [str(system / "lib/python3.11/site-packages/grader")]
    setup = (
        f"limits.SYSTEM_FILES += ({str(system / 'lib')!r},); landlock.readable_roots = lambda folders, hidden: list(folders); "
        + (
            f"sandbox = limits.Sandbox({grader})"
            if where == "constructed"
            else f"sandbox = limits.Sandbox([]); sandbox.hide({grader})"
        )
    )
    level, came = in_a_sandbox(setup, opens(system / "lib/python3.11/site-packages/grader/reference/layernorm.py"))
    assert level == "partial; file access (Landlock)"
    assert came == "done"


def test_every_python_of_the_system_is_searched_for_the_grader(tmp_path, monkeypatch):
    here = tmp_path / "lib/python3.9/dist-packages/grader"
    here.mkdir(parents=True)
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert str(here) in limits.list_content([])


def test_packs_and_the_journal_are_hidden_from_every_worker(tmp_path, monkeypatch):
    (tmp_path / "named/katas").mkdir(parents=True)
    (tmp_path / "given/katas").mkdir(parents=True)
    monkeypatch.setenv("KATA_PATH", str(tmp_path / "named"))
    monkeypatch.setenv("KATA_HOME", str(tmp_path / "home"))
    find_katas([tmp_path / "given"])
    with Worker(b"") as worker:
        hidden = set(worker.hidden)
    assert {
        str(tmp_path / p) for p in ("named/katas", "named/reference", "given/katas", "given/reference", "home")
    } <= hidden
    assert {str(ROOT / "katas"), str(ROOT / "reference")} <= hidden


def test_a_worker_that_was_kept_ready_before_a_pack_was_known_is_not_used(tmp_path, monkeypatch):
    host.shut_down()
    keep_ready()
    spare = host.prestart().spare
    assert spare is not None
    (tmp_path / "katas").mkdir()
    monkeypatch.setenv("KATA_PATH", str(tmp_path))
    with Worker(b"") as worker:
        assert worker.pid != spare.pid
    host.shut_down()


@needs_landlock
@needs_seccomp
def test_with_a_gpu_too_nothing_of_root_or_of_others_is_read():
    Path("/dev/shm/kata-marker").unlink(missing_ok=True)
    places = ("/etc/shadow", "/etc/passwd", "/proc/1/environ", "/root/.bashrc", "/proc/self/../1/cmdline")
    tried = [f"open({path!r})" for path in places]
    tried += [
        "open(f'/proc/{os.getppid()}/environ')",
        "os.listdir('/root')",
        "os.listdir('/opt')",
        "os.listdir('/usr/share/doc')",
    ]
    tried += [
        "open('/dev/shm/kata-marker', 'w')",
        "os.listdir('/sys/kernel')",
        "os.listdir('/proc')",
        "os.listdir('/dev')",
    ]
    level, *came = in_a_sandbox("sandbox = limits.Sandbox([])", tried, device="cuda")
    assert set(came) <= {"PermissionError", "FileNotFoundError", "NotADirectoryError"}
    assert not Path("/dev/shm/kata-marker").exists()
    kept = os.geteuid() == 0 and not limits._others_may_read(sys.prefix, sys.base_prefix, *sys.path)
    assert (level == "full") == (not kept)  # root's right to read is never kept without a word


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


# A zygote whose workers find a machine that seccomp is not written for.
NO_SECCOMP = """
import sys
sys.path.extend(p for p in sys.argv[2:] if p not in sys.path)
from grader.worker import seccomp
seccomp.supported = lambda: False
"""


@needs_landlock
def test_a_verdict_names_the_level_that_was_reached_and_what_is_missing(monkeypatch):
    monkeypatch.setattr(host, "_BOOT", NO_SECCOMP + host._BOOT)
    host.shut_down()
    try:
        path = ROOT / "reference/layernorm.py"
        verdict = grade(get_kata("layernorm"), path, only=["matches-formula"])
    finally:
        host.shut_down()
    assert verdict.outcome is Outcome.PASS
    assert verdict.isolation.level == "partial"
    assert verdict.isolation.missing == ("system calls (seccomp): this processor's system calls are not known",)


@needs_landlock
def test_a_file_is_not_run_below_the_isolation_asked_for(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("print('I ran')\n")
    command = f"from grader import cli, host; host._BOOT = {NO_SECCOMP!r} + host._BOOT; cli.main()"
    words = ["grade", str(file), "--kata", "layernorm", "--require-isolation", "full", "--json"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "KATA_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", command, *words], capture_output=True, text=True, timeout=120, env=environ
    )
    assert done.returncode == 4, done.stderr
    document = json.loads(done.stdout)
    assert document["verdict"] == "grader-error"
    assert "isolation 'full' was asked for, 'partial' is what can be had: system calls (seccomp)" in document["reason"]
    assert "I ran" not in done.stdout + done.stderr
