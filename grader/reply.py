"""The form of a worker's answers: which fields there may be, of which types. What is in them is judged elsewhere. No torch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

# Every field that a worker may answer with, by operation, and its type; anything else is no answer. None is absence.
REPLY_FIELDS: dict[str, dict[str, type]] = {
    "parse": {"syntax": dict, "mentions": list},
    "load": {"entries": list},
    "construct": {"module": bool, "type": str, "parameters": list},
    "call": {
        "type": str,
        "output": dict,
        "gradients": list,
        "inputs": list,
        "requires_grad": bool,
        "shares_storage": bool,
        "counts": dict,
        "cotangent": list,
        "then": dict,
        "parameters": list,
    },
    "reread": {"output": dict},
    "load-also": {"entries": list},
    "plan": {},
    "repeat": {"device_seconds": float},
    "carry": {},
    "fetch": {"peak": int},
    "trace": {"type": str, "output": dict, "gradients": list, "graph": dict},
    "replay": {"type": str, "output": dict, "gradients": list, "refused": dict},
}
ALWAYS: dict[str, type] = {"error": dict, "forbidden": list}


def _is_field(value: Any, kind: type) -> bool:
    """Whether it is of that type; a number must be one that arithmetic here can bear."""
    if kind is int:
        return type(value) is int and 0 <= value < 1 << 62
    return isinstance(value, kind) and not (isinstance(value, float) and not math.isfinite(value))


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the worker: JSON whose fields are of the right types; what is in them is still to be checked."""

    fields: dict[str, Any]

    @property
    def error(self) -> dict[str, Any] | None:
        error: dict[str, Any] | None = self.fields.get("error")
        return error


def read_reply(operation: str, fields: dict[str, Any]) -> Reply:
    """The answer to a request for that operation. Raises ValueError where no honest worker answers so."""
    known = REPLY_FIELDS[operation] | ALWAYS
    if fields.keys() - known.keys():
        raise ValueError("it has unknown fields")
    if any(value is not None and not _is_field(value, known[name]) for name, value in fields.items()):
        raise ValueError("a field is of the wrong type")
    return Reply(fields)
