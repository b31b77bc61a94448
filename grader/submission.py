"""Reading a stranger's file as bytes: what can be said about it without parsing or running anything.

Imports nothing heavy. Everything found here is told with the next step, as UnusableSubmission.
"""

from __future__ import annotations

import codecs
import io
import stat
import tokenize
from pathlib import Path

from grader.errors import UnusableSubmission

MAX_BYTES = 1 << 20
FOLDER = "this is a folder, not a Python file"


def read_submission(path: Path, *, entries: str = "") -> bytes:
    """The file's bytes. Raises UnusableSubmission where it is missing, no regular file, unreadable, too large or no text."""
    try:
        info = path.stat()
    except FileNotFoundError:
        raise UnusableSubmission("there is no such file", "check the path") from None
    except OSError as error:
        raise UnusableSubmission(f"the file cannot be reached: {error.strerror}", "check the path") from None
    if stat.S_ISDIR(info.st_mode):
        raise UnusableSubmission(FOLDER, "give the path of the .py file in it")
    if not stat.S_ISREG(info.st_mode):
        raise UnusableSubmission("this is not a regular file", "give the path of a .py file")
    if info.st_size > MAX_BYTES:
        raise _too_large(info.st_size)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UnusableSubmission(f"the file cannot be read: {error.strerror}", "check its permissions") from None
    return check_submission(source, entries=entries)


def check_submission(source: bytes, *, entries: str = "") -> bytes:
    """The bytes of a file that was read before. Raises UnusableSubmission where they are too many, no text, or none."""
    if len(source) > MAX_BYTES:
        raise _too_large(len(source))
    _check_text(source)
    if not source.strip().removeprefix(codecs.BOM_UTF8):
        wanted = f"define {entries} in it" if entries else "define the entry symbol in it"
        raise UnusableSubmission("the file is empty", wanted)
    return source


def _too_large(size: int) -> UnusableSubmission:
    message = f"the file is too large: {size / (1 << 20):.1f} MiB; a submission has at most 1 MiB"
    return UnusableSubmission(message, "submit source code only")


def decode_source(source: bytes) -> str:
    """The text of a source file by its own encoding declaration; for showing lines of it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return source.decode(encoding, errors="replace")
    except (SyntaxError, LookupError):
        return source.decode("utf-8", errors="replace")


def _check_text(source: bytes) -> None:
    if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnusableSubmission("the file is encoded in UTF-16", "save it as UTF-8")
    if b"\0" in source:
        printable = sum(32 <= byte < 127 or byte in b"\t\r\n" for byte in source[:4096])
        if printable < 0.7 * len(source[:4096]):
            raise UnusableSubmission("the file is binary, not Python source", "give the path of the .py file")
        line = source[: source.index(b"\0")].count(b"\n") + 1
        raise UnusableSubmission(
            f"the file holds a null byte in line {line}", "delete it, or save the file as UTF-8 text"
        )
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        source.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        raise UnusableSubmission(f"the file is not text in UTF-8 ({error})", "save it as UTF-8") from None
