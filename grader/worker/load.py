"""Reading the candidate's file: syntax, advice on forbidden names, import, entry symbols, and exceptions as data.

`parse_submission` runs before any line of the candidate's has run, so its answer can still be trusted; it runs in the
worker because a crafted source can crash CPython's parser.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import torch

MODULE_NAME = "submission"
MESSAGE_CAP = 2000
FRAMES_CAP = 8


def parse_submission(path: str, forbidden: list[str]) -> dict[str, Any]:
    """Parse without running: `{"mentions": [...]}`, or `{"syntax": ...}` with line, column and message."""
    source = Path(path).read_bytes()
    try:
        tree = ast.parse(source, filename=path)
    except SyntaxError as error:
        kind = type(error).__name__
        return {"syntax": {"type": kind, "line": error.lineno, "column": error.offset, "message": str(error.msg)[:300]}}
    except (RecursionError, MemoryError, ValueError) as error:
        message = str(error)[:300] or "nested too deeply"
        return {"syntax": {"type": type(error).__name__, "line": None, "column": None, "message": message}}
    return {"mentions": find_mentions(tree, forbidden)}


def find_mentions(tree: ast.Module, forbidden: list[str]) -> list[dict[str, Any]]:
    """Calls of forbidden names outside `if __name__ == "__main__"`: advice only, since a name can be hidden or harmless."""
    wanted = frozenset(name.replace("aten::", "torch.ops.aten.") for name in forbidden)
    aliases = _import_aliases(tree)
    found: list[dict[str, Any]] = []
    for statement in tree.body:
        if _is_main_guard(statement):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _full_name(node.func, aliases) in wanted:
                found.append({"operator": ast.unparse(node.func)[:100], "line": node.lineno})
    return sorted(found, key=lambda f: f["line"])[:20]


def _import_aliases(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for: `F` is `torch.nn.functional`."""
    aliases = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                aliases[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                aliases[name.asname or name.name] = f"{node.module}.{name.name}"
    return aliases


def _full_name(node: ast.expr, aliases: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    full = ".".join([aliases.get(node.id, node.id), *reversed(parts)])
    return full.removesuffix(".default").removesuffix(".forward")


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test)


def load_submission(path: str) -> dict[str, Any]:
    """Import the file from its real path under the module name `submission` and return its namespace."""
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE_NAME] = module
    spec.loader.exec_module(module)
    return vars(module)


def load_beside(path: str, name: str) -> dict[str, Any]:
    """Import a file of the grader's own, where no import statement finds it, and return its namespace."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


def find_entries(
    namespace: dict[str, Any], wanted: list[dict[str, str]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The entry symbols, and what was found under each name: "callable", "missing", "not-callable" or "class"."""
    entries, found = {}, []
    for entry in wanted:
        name = entry["name"]
        value = namespace.get(name)
        if name not in namespace:
            state = "missing"
        elif not callable(value):
            state = "not-callable"
        elif entry["kind"] == "function" and _only_makes_instances(value):
            state = "class"
        else:
            state = "callable"
        entries[name] = value.eval() if isinstance(value, torch.nn.Module) else value
        found.append({"name": name, "state": state, "type": type(value).__name__[:100]})
    public = [n for n, v in namespace.items() if not n.startswith("_") and callable(v) and _defined_here(v)]
    return entries, [*found, {"names": sorted(public)[:30]}]


def show_each_warning_once(path: str) -> None:
    """Write a warning as one line, with the line number where it points into the candidate's file, and never again."""
    seen: set[str] = set()

    def show(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
        where = f" (line {lineno})" if filename == path else ""
        text = f"{category.__name__}{where}: {str(message).split(' (Triggered internally')[0]}"
        if text not in seen and len(seen) < 100:
            seen.add(text)
            print(text, file=sys.stderr)

    warnings.showwarning = show


def _only_makes_instances(value: Any) -> bool:
    """Whether calling `value` can only give an instance of it: a class where a function is wanted."""
    return (
        inspect.isclass(value)
        and not issubclass(value, torch.Tensor)
        and value.__new__ is object.__new__
        and type(value).__call__ is type.__call__
    )


def _defined_here(value: Any) -> bool:
    return getattr(value, "__module__", MODULE_NAME) == MODULE_NAME


def describe_exception(error: BaseException, path: str) -> dict[str, Any]:
    """The exception as capped text, with the frames that lie in the candidate's own file only."""
    frames = [
        {"line": frame.lineno, "function": frame.name[:100]}
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]
    try:
        message = str(error)
    except BaseException:  # the candidate's own __str__
        message = "(its message could not be read)"
    return {
        "type": type(error).__name__[:100],
        "message": message[:MESSAGE_CAP],
        "frames": frames[-FRAMES_CAP:],
        "value_error": isinstance(error, ValueError),
    }
