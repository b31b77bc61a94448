"""What the checks of a kata find: frozen data, and the collector that the checks write to. Nothing here prints."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from grader.catalog import reference_of


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend. `where` is a path below the pack, with a line where there is one."""

    kata: str
    check: str
    where: str
    problem: str
    remedy: str


class Findings:
    """The findings of one kata, as they come up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reference = reference_of(folder)
        self.all: list[Finding] = []
        self._texts: dict[Path, str | None] = {}

    def add(self, check: str, path: Path, problem: str, remedy: str, *, line: int | None = None) -> None:
        """Note what is wrong with the file (or folder) at `path`."""
        where = path.relative_to(self.folder.parent.parent).as_posix()
        where = where if line is None else f"{where}:{line}"
        self.all.append(Finding(self.folder.name, check, where, problem, remedy))

    def read(self, check: str, path: Path) -> str | None:
        """The text of a file; None where there is no such file (the check of files says so) or no text in it."""
        if path not in self._texts:
            self._texts[path] = None
            try:
                self._texts[path] = path.read_text(encoding="utf-8")
            except FileNotFoundError:
                pass
            except (OSError, UnicodeDecodeError) as error:
                self.add(check, path, f"cannot be read: {error}", "make it a readable text file in UTF-8")
        return self._texts[path]

    def parse(self, check: str, path: Path) -> ast.Module | None:
        """The syntax tree of a file; None where there is none."""
        text = self.read(check, path)
        if text is None:
            return None
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError) as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            what = error.msg if isinstance(error, SyntaxError) else str(error)
            self.add(check, path, f"is not valid Python: {what}", "mend the syntax", line=line)
            return None


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one kata. `graded` tells whether its mistakes were graded, and not left out."""

    kata: str
    folder: Path
    properties: int
    mistakes: int
    graded: bool
    findings: tuple[Finding, ...]
