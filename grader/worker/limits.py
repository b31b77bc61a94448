"""What a worker gives up before it loads a stranger's file, and what of that was really reached.

Runs in the freshly forked, single-threaded worker. The layers stand in the order in which they must be applied: an unprivileged
user first, because limits do not bind root; the filters last, because they forbid what the others do. A layer that cannot be
had (wrong platform, old kernel, no permission) is reported as missing with the reason, never skipped silently.
"""

from __future__ import annotations

import ctypes
import glob
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

from grader.worker import landlock, profiler, seccomp

MEMORY = 3 << 30  # bytes of address space beyond what the zygote already maps
CPU_SECONDS = 120  # a backstop: the parent's wall clock comes first
FILE_SIZE = 16 << 20
OPEN_FILES = 256
PROCESSES = 4096  # with threads, of the whole user: a backstop for systems without seccomp, which forbids processes
NOBODY = 65534

_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS = 1, 8
_CAP_DAC_READ_SEARCH = 1 << 2
_CAPABILITY_VERSION = 0x20080522

USER, RESOURCES, MEMORY_LIMIT = "unprivileged user", "resource limits", "memory limit"
FILES, CALLS = "file access (Landlock)", "system calls (seccomp)"
PROFILE = "operator profile"

# Folders of ours that may lie beside or inside the installed package.
CONTENT = ("grader", "katas", "reference", "tests")

# What torch, Python and the C library read while they run: of a Python installation, and of the system.
PREFIX_FILES = ("lib", "lib32", "lib64", "bin", "pyvenv.cfg", "share/zoneinfo", "ssl")
SYSTEM_FILES = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"),
    *("/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime"),
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom", "/dev/random", "/dev/zero"),
)
# What the drivers of NVIDIA and AMD read besides, as patterns; nothing here holds a user's or a system's secrets.
GPU_FILES = (
    *("/usr/local/cuda*", "/usr/local/nvidia", "/opt/rocm*", "/usr/share/nvidia", "/usr/share/libdrm"),
    *("/usr/share/vulkan", "/usr/share/glvnd", "/etc/vulkan", "/etc/OpenCL", "/etc/glvnd", "/etc/nvidia"),
    *("/proc/driver/nvidia*", "/proc/devices", "/proc/modules", "/proc/version", "/proc/sys/vm/overcommit_memory"),
    *("/sys/devices/system", "/sys/devices/pci*", "/sys/devices/virtual/kfd", "/sys/bus/pci", "/sys/class/drm"),
    *("/sys/class/kfd", "/sys/module/nvidia*", "/sys/module/amdgpu"),
)
GPU_DEVICES = ("/dev/nvidia*", "/dev/nvidia-caps", "/dev/dri", "/dev/kfd", "/dev/dxg")


def list_content(roots: Iterable[str]) -> list[str]:
    """The grader's own folders in each of the roots and in every Python of this system, as far as they are there."""
    prefixes = {os.path.realpath(p) for p in (sys.prefix, sys.base_prefix, "/usr", "/usr/local")}
    packages = [f for p in prefixes for f in glob.glob(os.path.join(glob.escape(p), "lib*", "python*", "*-packages"))]
    inside = [os.path.join(root, name) for root in (*roots, *packages) if root for name in CONTENT]
    return [path for path in dict.fromkeys(map(os.path.realpath, inside)) if os.path.isdir(path)]


class Sandbox:
    """Prepared once in the zygote, applied in every worker."""

    def __init__(self, hidden: list[str]) -> None:
        """`hidden` are folders that no candidate may read: the grader with its katas and references."""
        prefixes = dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix))
        installed = [os.path.join(prefix, name) for prefix in prefixes for name in PREFIX_FILES]
        wanted = filter(os.path.exists, (*installed, *filter(None, sys.path), *SYSTEM_FILES))
        self._hidden = list(dict.fromkeys(map(os.path.realpath, hidden)))
        self._roots = list(dict.fromkeys(landlock.readable_roots(wanted, self._hidden))) if _is_linux() else []
        self._listed = [p for p in sys.path if p and os.path.isdir(p)]
        self._witnesses = _witnesses_of(self._hidden)

    def hide(self, more: Iterable[str]) -> None:
        """Hide further folders, which only the parent knows: packs of katas, the journal. For one worker, after the fork.

        One that holds what Python itself needs cannot be hidden; but then nothing else in it has been opened either.
        """
        found = [os.path.realpath(path) for path in more]
        new = [p for p in found if p not in self._hidden and not any(landlock.is_beneath(r, p) for r in self._roots)]
        self._hidden += new
        if any(landlock.is_beneath(path, root) for path in new for root in self._roots):
            self._roots = landlock.readable_roots(self._roots, new)
        self._witnesses += _witnesses_of(new)

    def apply(self, folder: str, device: str) -> dict[str, Any]:
        """Apply every layer and return the isolation reached as data: level, layers, and what is missing with the reason."""
        os.setsid()
        self._layers = ["separate process"]
        self._missing: list[str] = []
        if os.geteuid() == 0:
            self._try(USER, lambda: _drop_user(device))
        if _is_linux():
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # after the change of user, which clears it
        self._try(RESOURCES, _limit_resources)
        if device == "cpu":  # a GPU's driver reserves far more address space than it uses
            self._try(MEMORY_LIMIT, _limit_memory)
        self._try(FILES, lambda: self._restrict_files(folder, device))
        self._try(CALLS, _restrict_calls)
        self._try(PROFILE, _require_profiler)
        return {"level": self._level(), "layers": self._layers, "missing": self._missing}

    def _try(self, name: str, apply: Callable[[], None]) -> None:
        try:
            apply()
            self._layers.append(name)
        except (OSError, ValueError) as error:
            self._missing.append(f"{name}: {error}")

    def _level(self) -> str:
        if not self._missing:
            return "full"
        return (
            "partial" if FILES in self._layers or CALLS in self._layers or sys.platform == "darwin" else "process-only"
        )

    def _restrict_files(self, folder: str, device: str) -> None:
        _require_linux()
        _require_one_thread()
        seccomp.set_no_new_privs()
        rules = landlock.Ruleset()
        read = landlock.READ_FILE | landlock.READ_DIR
        rules.allow(self._roots, read)
        rules.allow(self._listed, landlock.READ_DIR)
        rules.allow([folder, f"/proc/{os.getpid()}"], read)
        rules.allow(["/dev/null"], read | landlock.WRITE_FILE)
        if device != "cpu":
            drivers = [*_expand(GPU_FILES), *filter(os.path.isabs, os.environ.get("LD_LIBRARY_PATH", "").split(":"))]
            rules.allow(landlock.readable_roots(drivers, self._hidden), read)
            rules.allow(_expand(GPU_DEVICES), read | landlock.WRITE_FILE | landlock.IOCTL_DEVICE)
        rules.enforce()
        for witness in self._witnesses:
            _refuse_to_read(witness)


def _restrict_calls() -> None:
    _require_linux()
    _require_one_thread()
    if not seccomp.supported():
        raise OSError("this processor's system calls are not known")
    seccomp.set_no_new_privs()
    seccomp.enforce()


def _expand(patterns: Iterable[str]) -> list[str]:
    return [path for pattern in patterns for path in glob.glob(pattern)]


def _witnesses_of(folders: Iterable[str]) -> list[str]:
    """A file in each of the folders: where one of them can still be read, the others can be too."""
    first = (next((os.path.join(at, names[0]) for at, _, names in os.walk(f) if names), None) for f in folders)
    return [path for path in first if path is not None]


def _refuse_to_read(path: str) -> None:
    """Try to open what must be hidden: rules add up, and one that was too wide would open it without a word."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return
    raise OSError("the grader's own files can be read")


def _drop_user(device: str) -> None:
    """Become nobody. Where the Python installation can be read by root only, the right to read (and no other) is kept.

    With a GPU, whose driver's files are opened too, that is told as a lack: then only the file rules guard what is root's.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    keep = _is_linux() and not _others_may_read(sys.prefix, sys.base_prefix, *sys.path)
    if keep:
        libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY) if _is_linux() else os.setgid(NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY) if _is_linux() else os.setuid(NOBODY)
    if keep:
        header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
        rights = struct.pack("=6I", _CAP_DAC_READ_SEARCH, _CAP_DAC_READ_SEARCH, 0, 0, 0, 0)
        if libc.capset(header, rights) != 0:
            raise OSError(ctypes.get_errno(), "capset failed")
        if device != "cpu":
            raise OSError("the right to read what only root can was kept, for Python itself needs it")


def _others_may_read(*paths: str) -> bool:
    """Whether a user without rights reaches each of the paths: every folder on the way must be searchable."""
    for path in paths:
        current = os.path.realpath(path)
        while current != os.path.dirname(current):
            if os.path.exists(current) and not os.stat(current).st_mode & 0o001:
                return False
            current = os.path.dirname(current)
    return True


def _limit_resources() -> None:
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_CPU, CPU_SECONDS)
    _lower(resource.RLIMIT_FSIZE, FILE_SIZE)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    _lower(resource.RLIMIT_NPROC, PROCESSES)


def _limit_memory() -> None:
    _require_linux()  # macOS does not enforce it
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    _lower(resource.RLIMIT_AS, mapped + MEMORY)


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (ceiling, ceiling))


def _is_linux() -> bool:
    return sys.platform == "linux"


def _require_profiler() -> None:
    """No layer of protection, but the one recorder of forbidden operators that may be lacking in a build of torch."""
    if not profiler.available():
        raise OSError("the profiler of this torch cannot be used")


def _require_linux() -> None:
    if not _is_linux():
        raise OSError(f"not available on {sys.platform}")


def _require_one_thread() -> None:
    """The filters bind only the calling thread and what comes from it."""
    with open("/proc/self/stat") as file:
        threads = int(file.read().rsplit(")", 1)[1].split()[17])
    if threads != 1:
        raise OSError(f"{threads} threads exist already")
