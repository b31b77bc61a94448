"""Reading a TOML table key by key, so that whatever is wrong in it is named. Knows nothing of katas; reads no file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.errors import GraderError


class Table:
    """A TOML table to use up: a key that is missing, of the wrong type or left over is named with its file."""

    def __init__(self, file: Path, where: str, table: Mapping[str, Any]) -> None:
        self._file, self._where, self._left = file, where, dict(table)

    def has(self, key: str) -> bool:
        return key in self._left

    def take(self, key: str, kind: type[Any], among: Sequence[str] = ()) -> Any:
        if key not in self._left:
            raise self._wrong(key, "missing")
        value = self._left.pop(key)
        if kind is float and type(value) is int:
            value = float(value)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self._wrong(key, f"{kind.__name__} wanted, {type(value).__name__} found")
        if among and value not in among:
            raise self._wrong(key, f"one of {', '.join(among)} wanted, {value!r} found")
        return value

    def take_strings(self, key: str) -> tuple[str, ...]:
        values = self.take(key, list)
        if not all(isinstance(value, str) for value in values):
            raise self._wrong(key, "a list of strings wanted")
        return tuple(values)

    def take_sizes(self, key: str) -> tuple[int, ...]:
        values = self.take(key, list)
        if not (len(values) >= 2 and all(type(n) is int and n > 0 for n in values) and sorted(set(values)) == values):
            raise self._wrong(key, "at least two whole numbers wanted, from small to large")
        return tuple(values)

    def finish(self) -> None:
        if self._left:
            raise self._wrong(", ".join(sorted(self._left)), "unknown key")

    def _wrong(self, key: str, what: str) -> GraderError:
        name = f"{self._where}.{key}" if self._where else key
        return GraderError(f"{self._file}: {name}: {what}")
