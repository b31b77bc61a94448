"""The bank of known mistakes: `katas/<id>/mistakes/*.py`, read as text and, in the trusted process, run for comparison.

A mistake is a complete wrong solution of ours with three things to say: its docstring (what is wrong, in the candidate's
terms), `FIX` (one line) and `KILLED_BY` (the property that must fail). It may add `VARIANT_OF` (the id that is reported for
it), `VARIANTS` (other values of its constants) and `ROUNDING = True` (its wrong digits are rounding noise: only where it is
wrong can be compared, not how).
"""

from __future__ import annotations

import ast
import difflib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.catalog import Kata
from grader.errors import GraderError

SAYS = ("FIX", "KILLED_BY", "VARIANT_OF", "VARIANTS", "ROUNDING")


@dataclass(frozen=True)
class Mistake:
    """One file of the bank."""

    id: str
    explanation: str
    fix: str
    killed_by: str
    path: Path
    tree: ast.Module = field(repr=False, compare=False)
    variant_of: str = ""
    variants: tuple[dict[str, Any], ...] = ({},)  # values for constants of the file, the file's own first
    rounding: bool = False
    _modules: dict[int, ModuleType] = field(default_factory=dict, repr=False, compare=False)

    @property
    def reported_id(self) -> str:
        """The id that a candidate reads."""
        return self.variant_of or self.id

    def load(self) -> Iterator[ModuleType]:
        """The mistake as modules, one for each variant."""
        return (self.module(number) for number in range(len(self.variants)))

    def module(self, number: int) -> ModuleType:
        """One variant as a module, run once."""
        if number not in self._modules:
            name = f"kata_mistake_{self.id}_{number}"
            self._modules[number] = run_tree(self.variant_tree(number), name, file=str(self.path))
        return self._modules[number]

    def variant_tree(self, number: int) -> ast.Module:
        """The syntax tree with the constants of one variant."""
        values = self.variants[number]
        statements = [_replaced(node, values) for node in self.tree.body] if values else list(self.tree.body)
        return ast.Module(body=statements, type_ignores=[])


def read_mistakes(kata: Kata) -> list[Mistake]:
    """All mistakes of a kata, by id. GraderError where a file lacks one of the things it must say."""
    return [read_mistake(path) for path in sorted((kata.folder / "mistakes").glob("*.py"))]


def read_mistake(path: Path) -> Mistake:
    """One mistake; nothing of it is run."""
    return replace(_understand(path, path.read_text(encoding="utf-8")), _modules={})


@lru_cache(maxsize=512)
def _understand(path: Path, text: str) -> Mistake:
    """The file with that text. Who grades many submissions needs the same mistakes for each, and to parse them takes time."""
    try:
        tree = ast.parse(text, filename=str(path))
    except SyntaxError as error:
        raise GraderError(f"{path}: {error.msg} in line {error.lineno}") from None
    said: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in SAYS:
                try:
                    said[name] = ast.literal_eval(node.value)
                except ValueError:
                    raise GraderError(f"{path}: {name} must be a literal") from None
    explanation = " ".join((ast.get_docstring(tree) or "").split())
    for name, value in (("docstring", explanation), ("FIX", said.get("FIX")), ("KILLED_BY", said.get("KILLED_BY"))):
        if not isinstance(value, str) or not value:
            raise GraderError(f"{path}: the {name} is missing", "say it at the top of the file")
    variants = said.get("VARIANTS", [])
    if not isinstance(variants, (list, tuple)) or not all(isinstance(values, dict) for values in variants):
        remedy = 'list the other values of constants: VARIANTS = [{"EPS": 1e-3}, {"EPS": 1e-6}]'
        raise GraderError(f"{path}: VARIANTS is no list of dictionaries", remedy)
    return Mistake(
        path.stem,
        explanation,
        said["FIX"],
        said["KILLED_BY"],
        path,
        tree,
        variant_of=said.get("VARIANT_OF", ""),
        variants=({}, *variants),
        rounding=said.get("ROUNDING", False),
    )


def run_tree(tree: ast.Module, name: str, *, file: str | None = None) -> ModuleType:
    """Run a syntax tree of ours, read from `file`, as a module outside `sys.modules`."""
    module = ModuleType(name)
    exec(compile(tree, file or f"<{name}>", "exec"), module.__dict__)
    return module


def _replaced(node: ast.stmt, values: dict[str, Any]) -> ast.stmt:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in values:
        constant = ast.Constant(values[node.targets[0].id])
        return ast.fix_missing_locations(ast.copy_location(ast.Assign(targets=node.targets, value=constant), node))
    return node


# Piece `start` up to `stop` of the reference is replaced by other pieces.
Change = tuple[int, int, tuple[str, ...]]


class Merger:
    """Puts two mistakes into the reference at once, as two branches of a history are merged: line by line, and word by word
    within the lines that differ."""

    def __init__(self, reference: ast.Module) -> None:
        self._lines = _source(reference)
        self._pieces = [_words(line) for line in self._lines]
        self._starts = [0, *itertools.accumulate(len(words) for words in self._pieces)]

    def changes(self, mistake: ast.Module) -> tuple[Change, ...]:
        """What the mistake changes in the reference."""
        lines, found = _source(mistake), []
        for i1, i2, j1, j2 in _differences(self._lines, lines):
            base = [word for words in self._pieces[i1:i2] for word in words]
            other = [word for line in lines[j1:j2] for word in _words(line)]
            start = self._starts[i1]
            found += [(start + a, start + b, tuple(other[c:d])) for a, b, c, d in _differences(base, other)]
        return tuple(found)

    def merge(self, first: Iterable[Change], second: Iterable[Change]) -> ast.Module | None:
        """The reference with both mistakes in it; None where they change the same words."""
        base = [word for words in self._pieces for word in words]
        merged: list[str] = []
        position = 0
        for start, stop, replacement in sorted({*first, *second}):
            if start < position:
                return None
            merged += [*base[position:start], *replacement]
            position = stop
        try:
            return ast.parse("".join(merged + base[position:]))
        except SyntaxError:
            return None


def _source(tree: ast.Module) -> list[str]:
    """Normalised lines of code without docstrings and what a mistake says of itself."""
    tree = ast.parse(ast.unparse(tree))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    tree.body = [n for n in tree.body if not (isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) in SAYS)]
    return [line + "\n" for line in ast.unparse(tree).splitlines()]


def _words(line: str) -> list[str]:
    return re.findall(r"\w+|\s+|[^\w\s]", line)


def _differences(base: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
    return ((i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")
