"""Landlock by ctypes: an allow-list of files for this process and its children, which nothing can widen again.

Three system calls, the same numbers on x86-64 and arm64, no privilege needed. The packages on PyPI that wrap them are young
or typed loosely, and each would be one more thing to import in the zygote; the calls themselves are a kernel ABI that does
not change. Works inside an ordinary Docker container. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import stat
import struct
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1

WRITE_FILE, READ_FILE, READ_DIR, IOCTL_DEVICE = 1 << 1, 1 << 2, 1 << 3, 1 << 15
# Handled (so denied unless allowed) file accesses by the ABI version that brought them.
_FILE_ACCESSES = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_TCP = 0b11  # bind, connect: ABI 4
_SCOPES = 0b11  # abstract sockets, signals: ABI 6


def abi() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    return max(0, _syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG))


class Ruleset:
    """Rules that are collected once (in the zygote), and enforced in each worker."""

    def __init__(self) -> None:
        version = abi()
        if version == 0:
            raise OSError("no Landlock in this kernel")
        files = sum(bits for since, bits in _FILE_ACCESSES.items() if version >= since)
        network = _TCP if version >= 4 else 0
        scopes = _SCOPES if version >= 6 else 0
        attributes = struct.pack("=QQQ", files, network, scopes)[: 24 if version >= 6 else 16 if version >= 4 else 8]
        self._handled = files
        self.fd = _check(_syscall(_CREATE_RULESET, attributes, len(attributes), 0))

    def allow(self, paths: Iterable[str], access: int) -> None:
        """Allow `access` to each path that is there, and to everything beneath it."""
        for path in paths:
            try:
                fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            try:
                bits = access & self._handled & (~0 if stat.S_ISDIR(os.fstat(fd).st_mode) else ~READ_DIR)
                rule = struct.pack("=Qi", bits, fd)
                _check(_syscall(_ADD_RULE, self.fd, _PATH_BENEATH, rule, 0))
            finally:
                os.close(fd)

    def enforce(self) -> None:
        """Bind this thread and its children, for ever. Needs no_new_privs."""
        _check(_syscall(_RESTRICT_SELF, self.fd, 0))
        with contextlib.suppress(OSError):
            os.close(self.fd)


def readable_roots(folders: Iterable[str], hidden: Iterable[str]) -> list[str]:
    """The folders with everything in them except what lies at or beneath a `hidden` path: siblings are listed one by one."""
    result = []
    concealed = [os.path.realpath(p) for p in hidden]
    for folder in dict.fromkeys(os.path.realpath(f) for f in folders):
        if any(is_beneath(folder, h) for h in concealed):
            continue
        if any(is_beneath(h, folder) for h in concealed):
            with contextlib.suppress(OSError):
                result += readable_roots((entry.path for entry in os.scandir(folder)), concealed)
        else:
            result.append(folder)
    return result


def is_beneath(path: str, folder: str) -> bool:
    """Whether `path` is the folder or lies in it; both as `realpath` gives them."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _syscall(number: int, *arguments: object) -> int:
    converted = [
        ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) if isinstance(a, bytes) else a for a in arguments
    ]
    return int(_libc().syscall(ctypes.c_long(number), *converted))


@functools.cache
def _libc() -> ctypes.CDLL:
    """Loaded once: a worker may need a thousand rules."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
