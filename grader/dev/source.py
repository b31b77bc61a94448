"""What a kata's files say, read as text and as syntax: blanks and properties. Facts only; nothing is run or judged.

Standard library only.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_BLANK = re.compile(r"^\s*(?:#|<!--) *BLANK: *(.*?) *(?:-->)?$")


@dataclass(frozen=True, slots=True)
class Blank:
    """A line that `kata dev new` wrote to say what belongs in its place."""

    line: int
    wanted: str


@dataclass(frozen=True, slots=True)
class Property:
    """One test function of properties.py. `category` is None where `@law` is missing or its category is no literal."""

    name: str
    line: int
    docstring: str
    has_law: bool
    category: str | None
    stretch: bool
    law_above_given: bool

    @property
    def id(self) -> str:
        return self.name.removeprefix("test_").replace("_", "-")


def find_blanks(text: str) -> list[Blank]:
    """The blanks that are not filled yet."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _BLANK.match(line)
        if match is not None:
            found.append(Blank(number, match[1]))
    return found


def find_properties(tree: ast.Module) -> list[Property]:
    """The test functions of a properties.py, in its order."""
    tests = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]
    return [_property(test) for test in tests]


def defines(tree: ast.Module, name: str) -> bool:
    """Whether the module defines a function called `name`."""
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body)


def constants(tree: ast.Module) -> set[str]:
    """The names that are assigned at the top of the module."""
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _property(test: ast.FunctionDef) -> Property:
    names = [_name(decorator) for decorator in test.decorator_list]
    category: str | None = None
    stretch = False
    for decorator in test.decorator_list:
        if _name(decorator) == "law" and isinstance(decorator, ast.Call):
            keywords = {keyword.arg: keyword.value for keyword in decorator.keywords}
            first = decorator.args[0] if decorator.args else keywords.get("category")
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                category = first.value
            flag = keywords.get("stretch")
            stretch = isinstance(flag, ast.Constant) and flag.value is True
    return Property(
        name=test.name,
        line=test.lineno,
        docstring=ast.get_docstring(test) or "",
        has_law="law" in names,
        category=category,
        stretch=stretch,
        law_above_given="given" not in names or "law" not in names or names.index("law") < names.index("given"),
    )


def _name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""
