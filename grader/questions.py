"""questions.md: the follow-up questions of a kata, each with a model answer and what a strong answer mentions.

A heading of the second level is a question. What follows is the answer, in Markdown, up to the paragraph that begins
"A strong answer mentions:", whose points stand between semicolons. Pure functions of the text; standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

STRONG = "A strong answer mentions"

_HEADING = re.compile(r"^##(?!#) *(.*?) *$", re.MULTILINE)
_STRONG = re.compile(rf"^{STRONG}: *(.*?)(?=\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """A follow-up question, as an interviewer asks it after the code."""

    title: str  # the question itself, in Markdown as all that follows
    answer: str
    strong: tuple[str, ...]  # what a strong answer mentions
    line: int  # of its heading


def read_questions(text: str) -> tuple[Question, ...]:
    """Every question, in the order of the file. Parts that are missing are empty."""
    # A line that looks like a heading may stand in a block of code: headings are looked for in a text without them.
    bare = _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    headings = list(_HEADING.finditer(bare))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    return tuple(_question(text, heading, end) for heading, end in zip(headings, ends, strict=False))


def _question(text: str, heading: re.Match[str], end: int) -> Question:
    body = text[heading.end() : end]
    strong = _STRONG.search(body)
    answer = body if strong is None else body[: strong.start()] + body[strong.end() :]
    points = () if strong is None else tuple(_points(strong[1]))
    return Question(
        text[heading.start(1) : heading.end(1)], answer.strip(), points, text.count("\n", 0, heading.start()) + 1
    )


def _points(text: str) -> list[str]:
    joined = " ".join(text.split()).removesuffix(".")
    return [point.strip() for point in joined.split(";") if point.strip()]
