"""The checks of a kata's Python files, read as syntax: stub, reference, properties, known mistakes. Nothing is run."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from grader.catalog import is_id
from grader.dev.finding import Findings
from grader.dev.source import Property, constants, defines
from grader.diagnosis.mistakes import Mistake, read_mistake
from grader.errors import GraderError
from grader.verdict import CATEGORIES

LEAST_PROPERTIES = 8
LONGEST_EXPLANATION = 160
FORBIDDEN = "no-forbidden-operator"  # the required property that the examiner adds by itself


def check_module(found: Findings, check: str, path: Path, docstring: str) -> bool:
    """Whether the file is Python that can be graded."""
    tree = found.parse(check, path)
    if tree is not None and not ast.get_docstring(tree):
        found.add(check, path, "has no docstring", f"say in it {docstring}", line=1)
    return tree is not None


def check_properties(found: Findings, properties: Sequence[Property]) -> bool:
    """Whether the properties can be run."""
    file = found.folder / "properties.py"
    required = [each for each in properties if not each.stretch]
    if len(required) < LEAST_PROPERTIES:
        problem = f"at least {LEAST_PROPERTIES} required properties wanted, {len(required)} found"
        found.add("properties", file, problem, "add laws that right code keeps and some wrong code breaks")
    runnable = bool(properties)
    seen: dict[str, int] = {}
    for each in properties:
        add = partial(found.add, "properties", file, line=each.line)
        if each.id in seen:
            problem = f"the property {each.id} is there twice: line {seen[each.id]} has it too, and is never run"
            add(problem=problem, remedy="rename one of them")
        seen.setdefault(each.id, each.line)
        if not is_id(each.id):
            add(problem=f"{each.name}: {each.id!r} cannot be a property's id", remedy="use lower case, digits and _")
        if not each.docstring:
            add(problem=f"{each.id} has no docstring", remedy="state the law in one line: candidates read it")
        elif "\n" in each.docstring:
            add(problem=f"the docstring of {each.id} has several lines", remedy="shorten it to one line")
        elif not each.docstring.endswith("."):
            add(problem=f"the docstring of {each.id} does not end in a full stop", remedy="make it one sentence")
        trouble = ""
        if not each.has_law:
            trouble = f"{each.id} has no @law"
        elif each.category not in CATEGORIES:
            named = "no literal category" if each.category is None else f"the unknown category {each.category!r}"
            trouble = f"@law of {each.id} has {named}"
        elif not each.law_above_given:
            trouble = f"@law of {each.id} stands below @given"
        if trouble:
            add(problem=trouble, remedy=f'write @law("CATEGORY") as its first decorator: {", ".join(CATEGORIES)}')
            runnable = False
    return runnable


def required_ids(properties: Sequence[Property]) -> set[str]:
    """What a mistake can be killed by."""
    return {each.id for each in properties if not each.stretch} | {FORBIDDEN}


def check_probes(found: Findings, tree: ast.Module) -> bool:
    if defines(tree, "probes"):
        return True
    problem = "has no probes(): no mistake can be recognised"
    remedy = "add probes(): a list of grader.diagnosis.probes.Probe on which the known mistakes differ from each other"
    found.add("probes", found.folder / "properties.py", problem, remedy)
    return False


def check_mistake(found: Findings, path: Path, properties: Sequence[Property]) -> Mistake | None:
    """The mistake, where its file can be read as one."""
    add = partial(found.add, "mistakes", path)
    if not is_id(path.stem):
        add(problem="the file's name is the mistake's id, and this cannot be one", remedy="use lower case and hyphens")
    tree = found.parse("mistakes", path)
    if tree is None:
        return None
    form = 'the file begins with a docstring, FIX = "…" and KILLED_BY = "PROPERTY-ID", three plain strings'
    mistake: Mistake | None
    try:
        mistake = read_mistake(path)
    except GraderError as error:
        problem = error.message.removeprefix(str(path)).lstrip(": ")
        add(problem=problem, remedy=error.next_step if "VARIANTS" in problem else form)
        return None
    if len(mistake.explanation) > LONGEST_EXPLANATION:
        length = len(mistake.explanation)
        remedy = f"say what the code does wrong in one sentence of at most {LONGEST_EXPLANATION}"
        add(problem=f"the docstring has {length} characters", remedy=remedy)
    if "\n" in mistake.fix.strip():
        add(problem="FIX has several lines", remedy="shorten it to one")
    unknown = {str(name) for values in mistake.variants for name in values} - constants(tree)
    if unknown:
        problem = f"VARIANTS names {', '.join(sorted(unknown))}, which the file does not assign"
        add(problem=problem, remedy="name constants that are assigned at the top of the file")
    if mistake.variant_of and not path.with_name(f"{mistake.variant_of}.py").is_file():
        remedy = "name the file (without .py) of the mistake that is reported in its place, or drop VARIANT_OF"
        add(problem=f"VARIANT_OF names {mistake.variant_of!r}, which is no mistake here", remedy=remedy)
    _check_killer(found, mistake, properties)
    return mistake


def _check_killer(found: Findings, mistake: Mistake, properties: Sequence[Property]) -> None:
    required = required_ids(properties)
    if not properties or mistake.killed_by in required:
        return
    if mistake.killed_by in {each.id for each in properties}:
        problem = f"KILLED_BY names {mistake.killed_by}, a stretch property, which never fails a grade"
    else:
        near = difflib.get_close_matches(mistake.killed_by, required, n=1, cutoff=0.5)
        problem = f"KILLED_BY names {mistake.killed_by!r}, which is no property"
        problem += f"; did you mean {near[0]}?" if near else ""
    found.add("mistakes", mistake.path, problem, "name the required property that states the broken law")
