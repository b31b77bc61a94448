"""The wire between the examiner and a worker: length-prefixed JSON over a stream socket, capped in size.

Standard library only, so that the parent can speak it before torch is imported. Tensors never travel here, only their
descriptions (`TensorHeader`); their bytes lie in the arena. Neither side ever unpickles or evaluates what it reads.
"""

from __future__ import annotations

import json
import math
import os
import re
import select
import signal
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

MAX_FRAME = 1 << 20  # bytes of JSON in one message
MAX_DIMENSIONS = 8
MODULES_KEPT = 64  # live modules in a worker: the last ones constructed
NO_GPU = "-1"  # for CUDA_VISIBLE_DEVICES and the like: no device at all
DEVICE_LOST = 86  # exit code of a worker whose GPU can be used no more
LENGTH = struct.Struct("!I")
WHERE = signal.SIGUSR1  # asks a worker that does not answer for the lines that it is in
WHERE_SECONDS, WHERE_BYTES = 0.05, 16 << 10  # how long and how much is listened to that, at most

# The dtypes that may cross, with their size in bytes.
DTYPES = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}


class ProtocolError(Exception):
    """The other side sent something that is not a message, or closed the stream (`closed`)."""

    def __init__(self, message: str, *, closed: bool = False) -> None:
        super().__init__(message)
        self.closed = closed


class DeadlineExceeded(Exception):
    """No complete message arrived in time."""


@dataclass(frozen=True, slots=True)
class TensorHeader:
    """Where a contiguous tensor lies in the arena: checked on arrival, before anything is read or allocated."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    device: str

    @property
    def nbytes(self) -> int:
        size = DTYPES[self.dtype]
        for n in self.shape:
            size *= n
        return size

    @classmethod
    def parse(cls, raw: Any, *, low: int, high: int) -> TensorHeader:
        """Check a header that the worker sent: known dtype, sane shape, bytes inside [low, high) of the arena."""
        if not isinstance(raw, dict) or raw.keys() != {"dtype", "shape", "offset", "device"}:
            raise ProtocolError("a tensor header has unknown or missing fields")
        dtype, shape, offset, device = raw["dtype"], raw["shape"], raw["offset"], raw["device"]
        if not (isinstance(dtype, str) and dtype in DTYPES):
            raise ProtocolError("a tensor header names an unknown dtype")
        if not (isinstance(shape, list) and len(shape) <= MAX_DIMENSIONS and all(_is_count(n) for n in shape)):
            raise ProtocolError("a tensor header has an impossible shape")
        if not (_is_count(offset) and isinstance(device, str) and len(device) <= 32):
            raise ProtocolError("a tensor header has an impossible offset or device")
        if math.prod(max(n, 1) for n in shape) >= 1 << 40:  # strides of an empty tensor must not overflow either
            raise ProtocolError("a tensor header has an impossible shape")
        header = cls(dtype, tuple(shape), offset, device)
        if device != "meta" and not (low <= offset and offset + header.nbytes <= high):
            raise ProtocolError("a tensor header points outside the output region")
        return header


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40


def encode(message: dict[str, Any]) -> bytes:
    body = json.dumps(message, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    if len(body) > MAX_FRAME:
        raise ProtocolError(f"a message of {len(body)} bytes is over the cap of {MAX_FRAME}")
    return LENGTH.pack(len(body)) + body


def decode(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a message is not JSON") from error
    if not isinstance(message, dict):
        raise ProtocolError("a message is not a JSON object")
    return message


def read_line_number(raw: dict[str, Any]) -> int | None:
    """The field `line` of what a worker sent, if a file can have such a line."""
    line = raw.get("line")
    return line if isinstance(line, int) and not isinstance(line, bool) and 0 < line < 1 << 31 else None


def read_text(raw: dict[str, Any], key: str, cap: int) -> str:
    """A text field of what a worker sent, cut to `cap` characters; empty where it is no text."""
    text = raw.get(key)
    return text[:cap] if isinstance(text, str) else ""


def send(stream: socket.socket, message: dict[str, Any]) -> None:
    stream.sendall(encode(message))


def receive(stream: socket.socket) -> dict[str, Any]:
    """Read one message, waiting as long as it takes (the worker's side)."""
    (length,) = LENGTH.unpack(_read_exactly(stream, LENGTH.size))
    if length > MAX_FRAME:
        raise ProtocolError("a message is over the size cap")
    return decode(_read_exactly(stream, length))


def _read_exactly(stream: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = stream.recv(count - len(parts))
        if not part:
            raise ProtocolError("the stream was closed", closed=True)
        parts += part
    return bytes(parts)


class Output:
    """The captured output of a worker: reads a pipe without blocking and keeps the first `cap` bytes."""

    def __init__(self, fd: int, cap: int = 64 * 1024) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.kept = bytearray()
        self.truncated = False
        self.open = True
        self._cap = cap

    def drain(self) -> None:
        """Read what is there now: at most 4 MiB a call, so that a flood cannot hold the caller."""
        for _ in range(64):
            try:
                part = os.read(self.fd, 65536)
            except BlockingIOError:
                return
            except OSError:
                part = b""
            if not part:
                self.open = False
                return
            room = self._cap - len(self.kept)
            self.kept += part[:room]
            self.truncated |= len(part) > room


def receive_where(stream: socket.socket, path: str) -> int | None:
    """The innermost line of the file `path` that a worker says it is in; None where it says nothing that can be read.

    A claim, and raw text: the stream is of no use for messages any more.
    """
    line = re.compile(rb'File "' + re.escape(path.encode()) + rb'", line ([0-9]{1,6}) ')
    end, told = time.monotonic() + WHERE_SECONDS, b""
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    while len(told) < WHERE_BYTES and (rest := end - time.monotonic()) > 0:
        try:
            part = stream.recv(4096, socket.MSG_DONTWAIT) if poll.poll(rest * 1000) else b""
        except OSError:
            part = b""
        told += part
        if not part or (found := line.search(told)):
            break
    return int(found[1]) if (found := line.search(told)) and int(found[1]) else None


def receive_before(stream: socket.socket, deadline: float, output: Output | None = None) -> dict[str, Any]:
    """Read one message from an untrusted peer before `deadline` (`time.monotonic` seconds), draining `output` meanwhile."""
    buffer = bytearray()
    wanted = LENGTH.size
    body_length: int | None = None
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    if output is not None and output.open:
        poll.register(output.fd, select.POLLIN)
    while True:
        rest = deadline - time.monotonic()
        if rest <= 0:
            raise DeadlineExceeded
        for fd, _ in poll.poll(max(1, rest * 1000)):
            if output is not None and fd == output.fd:
                output.drain()
                if not output.open:
                    poll.unregister(output.fd)
                continue
            try:
                part = stream.recv(wanted - len(buffer))
            except ConnectionError:
                part = b""
            if not part:
                raise ProtocolError("the stream was closed", closed=True)
            buffer += part
            if len(buffer) < wanted:
                continue
            if body_length is None:
                (body_length,) = LENGTH.unpack(bytes(buffer))
                if body_length > MAX_FRAME:
                    raise ProtocolError("a message is over the size cap")
                buffer.clear()
                wanted = body_length
                if wanted:
                    continue
            return decode(bytes(buffer))
