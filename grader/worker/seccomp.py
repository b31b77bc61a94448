"""A seccomp filter by ctypes: system calls that no solution of a kata needs answer EPERM, for ever.

What may go wrong in a filter is its table of numbers, and that would be ours with a library too; `pyseccomp` needs a system
libseccomp that pip cannot install. The filter is a deny-list: torch's allocator, threads and file reads stay as they are, and
what could reach another process, the network, a new program or wider rights is gone. x86-64 and arm64 Linux. Standard
library only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# name: (x86-64, arm64); None where the architecture has no such call
_CALLS: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "mount": (165, 40),
    "umount2": (166, 39),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    # System V and POSIX IPC: it belongs to no file and outlives its process.
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "seccomp": (317, 277),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "setuid": (105, 146),
    "setgid": (106, 144),
    "setreuid": (113, 145),
    "setregid": (114, 143),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setgroups": (116, 159),
    "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "capset": (126, 91),
    "setrlimit": (160, 164),
}
_CLONE, _CLONE3, _PRCTL, _PRLIMIT = (56, 220), (435, 435), (157, 167), (302, 261)
_KILL_CALLS = ((62, 129), (200, 130), (234, 131))  # kill, tkill, tgkill: the first argument is a process or thread
_CLONE_THREAD = 0x10000
# By these a descriptor sends signals to any process of the user's, or a terminal gets input: calls by their second argument.
_FCNTL, _SET_OWNER = (72, 25), (8, 15)  # F_SETOWN, F_SETOWN_EX
_IOCTL, _OWNER_OR_INPUT = (16, 29), (0x8901, 0x8902, 0x5412, 0x541C)  # FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX
_HARMLESS_PRCTL = (15, 16, 0x53564D41)  # set and get the thread's name, name a mapping (glibc's malloc does)

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT = (
    0,
    4,
    16,
    24,
)  # offsets in seccomp_data; low half of an argument (little endian)


def supported() -> bool:
    return platform.machine() in _AUDIT_ARCH


def build_filter(pid: int, machine: str) -> bytes:
    """The BPF program for a process: one 8-byte instruction after the other."""
    column = 0 if machine == "x86_64" else 1
    deny, missing = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    program = [
        _instruction(_LOAD, _ARCH),
        _instruction(_JUMP_EQUAL, _AUDIT_ARCH[machine], yes=1),
        _instruction(_RETURN, _KILL),  # another architecture's numbers mean other calls
        _instruction(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        program += [_instruction(_JUMP_AT_LEAST, 0x40000000, no=1), _instruction(_RETURN, _KILL)]  # the x32 numbers
    for numbers in _CALLS.values():
        number = numbers[column]
        if number is not None:
            program += [_instruction(_JUMP_EQUAL, number, no=1), _instruction(_RETURN, deny)]
    program += [
        _instruction(_JUMP_EQUAL, _CLONE3[column], no=1),
        _instruction(_RETURN, missing),
    ]  # libc falls back to clone
    program += [
        _instruction(_JUMP_EQUAL, _CLONE[column], no=4),
        _instruction(_LOAD, _FIRST_ARGUMENT),
        _instruction(_JUMP_SET, _CLONE_THREAD, no=1),
        _instruction(_RETURN, _ALLOW),
        _instruction(_RETURN, deny),
    ]
    program += _allow_first_argument(_PRCTL[column], _HARMLESS_PRCTL, deny)
    program += _allow_first_argument(_PRLIMIT[column], (0,), deny)  # libc reads its own limits
    for numbers in _KILL_CALLS:
        program += _allow_first_argument(numbers[column], (pid,), deny)
    for numbers, values in ((_FCNTL, _SET_OWNER), (_IOCTL, _OWNER_OR_INPUT)):
        program += _deny_second_argument(numbers[column], values, deny)
    program.append(_instruction(_RETURN, _ALLOW))
    return b"".join(program)


def enforce() -> None:
    """Set no_new_privs and install the filter for this thread and what comes from it. No other thread may exist."""
    program = build_filter(os.getpid(), platform.machine())
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    holder = ctypes.create_string_buffer(header, len(header))
    _prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(holder))


def set_no_new_privs() -> None:
    """Neither a setuid program nor a file capability can give rights back. Landlock and seccomp need it."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, 0)


def _allow_first_argument(number: int, values: tuple[int, ...], deny: int) -> list[bytes]:
    """The call is allowed only where its first argument is one of `values`."""
    block = [_instruction(_LOAD, _FIRST_ARGUMENT)]
    for value in values:
        block += [_instruction(_JUMP_EQUAL, value, no=1), _instruction(_RETURN, _ALLOW)]
    block.append(_instruction(_RETURN, deny))
    return [_instruction(_JUMP_EQUAL, number, no=len(block)), *block]


def _deny_second_argument(number: int, values: tuple[int, ...], deny: int) -> list[bytes]:
    """The call is denied where its second argument is one of `values`."""
    block = [_instruction(_LOAD, _SECOND_ARGUMENT)]
    for value in values:
        block += [_instruction(_JUMP_EQUAL, value, no=1), _instruction(_RETURN, deny)]
    block.append(_instruction(_RETURN, _ALLOW))
    return [_instruction(_JUMP_EQUAL, number, no=len(block)), *block]


def _instruction(code: int, operand: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, operand & 0xFFFFFFFF)


def _prctl(option: int, first: int, second: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(first), ctypes.c_ulong(second), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
