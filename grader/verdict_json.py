"""A Verdict from its JSON document: the way back of `render.jsonout`, for verdicts that the journal kept.

Driven by the types of the dataclasses, so that a new field needs nothing here. Tolerant, since a document may be older,
newer or from another machine: a missing or ill-typed value becomes the field's default (or the empty value of its
type), an unknown key is passed over. Imports only the standard library.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from grader.verdict import WORD, Outcome, TensorView, Verdict

_WORDS = frozenset({"category", "kind", "mode", "decision", "unit", "what", "level"})
"""Fields whose values are words of the grader's own: what looks like none is another's, and is not shown."""

_CONSTANTS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_EMPTY: dict[Any, Any] = {str: "", int: 0, float: 0.0, bool: False}


def verdict_of(document: Mapping[str, Any]) -> Verdict:
    """The verdict in a document. ValueError where it is no verdict at all."""
    try:
        Outcome(document["verdict"])
    except (KeyError, TypeError, ValueError):
        raise ValueError("this is no verdict, or one of a newer torch-kata") from None
    verdict: Verdict = _object(Verdict, {**document, "outcome": document["verdict"]})
    return verdict


def _object(kind: type[Any], document: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    values = {}
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        default = _empty(hint)
        if field.default is not dataclasses.MISSING:
            default = field.default
        elif field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        value = _value(hint, document[field.name], default) if field.name in document else default
        if field.name in _WORDS and isinstance(value, str) and not WORD.fullmatch(value):
            value = default
        values[field.name] = value
    if kind is TensorView:
        values["values"] = _numbers(values["values"])
    return kind(**values)


def _value(hint: Any, value: Any, default: Any) -> Any:
    """`value` as the type `hint` wants it, `default` where it is of another type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (types.UnionType, typing.Union):
        inner = next(each for each in arguments if each is not types.NoneType)
        return None if value is None else _value(inner, value, default)
    if origin is tuple:
        if not isinstance(value, list):
            return default
        # An item of another type is left out: the rest of the verdict is worth showing.
        items = (_value(arguments[0], item, _MISSING) for item in value)
        return tuple(item for item in items if item is not _MISSING)
    if origin is dict:
        return (
            {key: item for key, item in value.items() if isinstance(item, str)} if isinstance(value, dict) else default
        )
    if dataclasses.is_dataclass(hint):
        return _object(typing.cast(type[Any], hint), value) if isinstance(value, dict) else default
    return _scalar(hint, value, default)


def _scalar(hint: Any, value: Any, default: Any) -> Any:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next((member for member in hint if member.value == value), default)
    if hint is float:
        if isinstance(value, str):
            return _CONSTANTS.get(value, default)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default
    if hint is int and isinstance(value, bool):
        return default
    return value if isinstance(value, hint) else default


def _numbers(value: Any) -> Any:
    """Nested lists with the floats back that JSON lacks."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return _CONSTANTS.get(value, value) if isinstance(value, str) else value


def _empty(hint: Any) -> Any:
    origin = typing.get_origin(hint)
    if origin is tuple:
        return ()
    if origin is dict:
        return {}
    if origin in (types.UnionType, typing.Union) or hint is Any:
        return None
    if dataclasses.is_dataclass(hint):
        return _object(typing.cast(type[Any], hint), {})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(reversed(hint))
    return _EMPTY[hint]


_hints: Callable[[Any], dict[str, Any]] = cache(typing.get_type_hints)
_MISSING: Any = object()
