"""Numbers within bounds as values of options, told in words.

Click's own ranges say `INTEGER RANGE` and `0<=x<=1`, and let NaN through, which is within no bounds.
"""

from __future__ import annotations

import math
from typing import Any

import click


class _InWords:
    """What a range has to say. Both bounds are there, or the lower one."""

    name: str
    min: Any
    max: Any

    def get_metavar(self, *args: Any, **options: Any) -> str:
        return "N"

    def _describe_range(self) -> str:
        return f"at least {self.min}" if self.max is None else f"{self.min} to {self.max}"

    def refusal(self, value: Any) -> str:
        bounds = self._describe_range()
        return f"{str(value)!r} is not a {self.name} {'of' if self.max is None else 'from'} {bounds}."


class WholeRange(_InWords, click.IntRange):
    """A whole number."""

    name = "whole number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(self.refusal(value), param, ctx)


class FiniteRange(_InWords, click.FloatRange):
    """A number."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            number = math.nan
        if math.isnan(number):
            self.fail(self.refusal(value), param, ctx)
        return number
