"""Single-operator mutants of a source file: small wrong changes that a strong set of properties must notice.

`mutants(source)` yields every variant of the source in which exactly one operator, constant, argument, call or term is
changed. No mutant is picked by hand.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED_OPERATORS = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
}
SWAPPED_COMPARISONS = {
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}


@dataclass(frozen=True)
class Mutant:
    """One variant: where, what was there, what stands there now, and the whole source."""

    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        return f"{self.line}: {self.before} → {self.after}"


def mutants(source: str) -> Iterator[Mutant]:
    """Every single change, in the order of the source; each source once."""
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for path, node in _places(tree):
        for replacement in _replacements(node):
            changed = _with(tree, path, replacement)
            try:
                text = ast.unparse(ast.fix_missing_locations(changed))
                compile(text, "mutant", "exec")
            except (SyntaxError, ValueError):
                continue
            if text not in seen:
                seen.add(text)
                after = ast.unparse(ast.fix_missing_locations(replacement))
                yield Mutant(getattr(node, "lineno", 0), ast.unparse(node), after, text)


Path = tuple[tuple[str, int | None], ...]


def _places(node: ast.AST, path: Path = ()) -> Iterator[tuple[Path, ast.AST]]:
    """Every node that may be changed, with the way to it; not imports, annotations, docstrings and defaults of signatures."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "args", "bases") and not isinstance(node, ast.Call):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and name == "args":
                yield from _places(node.args, (*path, ("args", None)))
            elif isinstance(node, ast.arguments):
                continue
            continue
        children = value if isinstance(value, list) else [value]
        for i, child in enumerate(children):
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Import, ast.ImportFrom)):
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if isinstance(child, ast.Raise):
                yield (*path, (name, i)), child
                continue
            step = (*path, (name, i if isinstance(value, list) else None))
            yield step, child
            yield from _places(child, step)


def _with(tree: ast.AST, path: Path, replacement: ast.AST) -> ast.AST:
    changed = copy.deepcopy(tree)
    node = changed
    for name, i in path[:-1]:
        node = getattr(node, name) if i is None else getattr(node, name)[i]
    name, i = path[-1]
    if i is None:
        setattr(node, name, copy.deepcopy(replacement))
    else:
        getattr(node, name)[i] = copy.deepcopy(replacement)
    return changed


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp():
            for operator in SWAPPED_OPERATORS.get(type(node.op), []):
                yield ast.BinOp(node.left, operator(), node.right)
            yield node.left  # drop a term or a factor
            yield node.right
            if not isinstance(node.op, (ast.Add, ast.Mult)):
                yield ast.BinOp(node.right, node.op, node.left)
            for side in ("left", "right"):
                if not isinstance(getattr(node, side), ast.Constant):
                    yield _detached(node, side)
        case ast.UnaryOp() if not isinstance(node.operand, ast.Constant):
            yield node.operand
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n))):
            yield ast.UnaryOp(ast.USub(), ast.Constant(n + 1))
            yield ast.Constant(n)
            yield ast.Constant(0)
        case ast.Compare(ops=[operator], comparators=[right]):
            for other in SWAPPED_COMPARISONS.get(type(operator), []):
                yield ast.Compare(node.left, [other()], [right])
        case ast.Constant(value=bool(flag)):
            yield ast.Constant(not flag)
        case ast.Constant(value=int(n)):
            yield ast.Constant(n + 1)
            if n:
                yield ast.Constant(n - 1)
        case ast.Constant(value=float(x)):
            yield ast.Constant(x * 2 if x else 1.0)
            if x:
                yield ast.Constant(0.0)
        case ast.Constant(value=str(text)) if text in ("-inf", "inf"):
            yield ast.Constant("inf" if text == "-inf" else "-inf")
            yield ast.Constant("-20")
        case ast.Call():
            yield from _changed_calls(node)
        case ast.Raise():
            yield ast.Pass()
        case ast.If():
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.Return(value=ast.expr() as value):
            yield ast.Return(_call(value, "detach"))


def _changed_calls(node: ast.Call) -> Iterator[ast.AST]:
    """Drop the call, an argument or a keyword, or swap two arguments."""
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield node.func.value  # x.method(...) becomes x
    elif node.args:
        yield node.args[0]  # f(x, ...) becomes x
    for i in range(len(node.args) - 1):
        args = list(node.args)
        args[i], args[i + 1] = args[i + 1], args[i]
        yield ast.Call(node.func, args, node.keywords)
    for i in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])


def _detached(node: ast.BinOp, side: str) -> ast.BinOp:
    parts = {"left": node.left, "right": node.right}
    parts[side] = _call(parts[side], "detach")
    return ast.BinOp(parts["left"], node.op, parts["right"])


def _call(value: ast.expr, method: str) -> ast.Call:
    return ast.Call(ast.Attribute(value, method, ast.Load()), [], [])


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "math", "nn", "F", "super")
