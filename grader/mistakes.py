"""The bank of known mistakes: `katas/<id>/mistakes/*.py`, read as text and, in the trusted process, run for comparison.

A mistake is a complete wrong solution of ours with three things to say: its docstring (what is wrong, in the candidate's
terms), `FIX` (one line) and `KILLED_BY` (the property that must fail). It may add `VARIANT_OF` (the id that is reported for
it), `VARIANTS` (other values of its constants) and `ROUNDING = True` (its wrong digits are rounding noise: only where it is
wrong can be compared, not how).
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
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
    variant_of: str = ""
    variants: tuple[dict[str, Any], ...] = ({},)  # values for constants of the file, the file's own first
    rounding: bool = False

    @property
    def reported_id(self) -> str:
        """The id that a candidate reads."""
        return self.variant_of or self.id

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), filename=str(self.path))

    def load(self) -> Iterator[ModuleType]:
        """The mistake as modules, one for each variant."""
        for number, values in enumerate(self.variants):
            yield run_tree(self.tree, f"kata_mistake_{self.id}_{number}", values)


def read_mistakes(kata: Kata) -> list[Mistake]:
    """All mistakes of a kata, by id. GraderError where a file lacks one of the things it must say."""
    return [read_mistake(path) for path in sorted((kata.folder / "mistakes").glob("*.py"))]


def read_mistake(path: Path) -> Mistake:
    """One mistake; nothing of it is run."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
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
    return Mistake(
        path.stem,
        explanation,
        said["FIX"],
        said["KILLED_BY"],
        path,
        variant_of=said.get("VARIANT_OF", ""),
        variants=({}, *said.get("VARIANTS", ())),
        rounding=said.get("ROUNDING", False),
    )


def run_tree(tree: ast.Module, name: str, values: dict[str, Any] | None = None) -> ModuleType:
    """Run a syntax tree of ours as a module outside `sys.modules`, with some of its constants replaced."""
    module = ModuleType(name)
    statements = list(tree.body)
    if values:
        statements = [_replaced(node, values) for node in statements]
    exec(compile(ast.Module(body=statements, type_ignores=[]), f"<{name}>", "exec"), module.__dict__)
    return module


def _replaced(node: ast.stmt, values: dict[str, Any]) -> ast.stmt:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in values:
        constant = ast.parse(repr(values[node.targets[0].id]), mode="eval").body
        return ast.fix_missing_locations(ast.copy_location(ast.Assign(targets=node.targets, value=constant), node))
    return node


def combine(reference: ast.Module, first: ast.Module, second: ast.Module) -> ast.Module | None:
    """The reference with both mistakes in it, merged line by line; None where they touch the same lines."""
    base, one, two = (_lines(tree) for tree in (reference, first, second))
    changes = sorted({*_changes(base, one), *_changes(base, two)})
    merged: list[str] = []
    position = 0
    for start, stop, replacement in changes:
        if start < position:
            return None
        merged += base[position:start] + list(replacement)
        position = stop
    try:
        return ast.parse("\n".join(merged + base[position:]))
    except SyntaxError:
        return None


def _lines(tree: ast.Module) -> list[str]:
    """Normalised source without docstrings and the bank's own constants."""
    tree = ast.parse(ast.unparse(tree))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    tree.body = [n for n in tree.body if not (isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) in SAYS)]
    return ast.unparse(tree).splitlines()


def _changes(base: list[str], other: list[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
    return [(i1, i2, tuple(other[j1:j2])) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]
