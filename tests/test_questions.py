"""Follow-up questions are read as question, answer and points, and every kata of ours has at least five."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import catalog
from grader.dev.check import LEAST_QUESTIONS
from grader.questions import Question, read_questions

TEXT = """# Follow-up questions

## Why divide by `√E`?

Because of
the variance.

    p = softmax(s)

A strong answer mentions: variance E; the square
root of it ; saturation.

### A remark

It stays with the answer.

##   What does it cost?

```python
## no heading
```

## Who asked?

A strong answer mentions: nobody.
"""


def test_a_heading_begins_a_question_and_its_parts_are_told_apart() -> None:
    first, second, third = read_questions(TEXT)
    assert first.title == "Why divide by `√E`?"
    assert first.strong == ("variance E", "the square root of it", "saturation")
    assert first.answer.startswith("Because of\nthe variance.\n\n    p = softmax(s)")
    assert first.answer.endswith("### A remark\n\nIt stays with the answer.")
    assert "strong answer" not in first.answer
    assert (second.title, second.strong) == ("What does it cost?", ())
    assert second.answer == "```python\n## no heading\n```"
    assert third == Question("Who asked?", "", ("nobody",), 23)


def test_lines_are_those_of_the_headings() -> None:
    lines = TEXT.splitlines()
    assert [lines[question.line - 1] for question in read_questions(TEXT)] == [
        "## Why divide by `√E`?",
        "##   What does it cost?",
        "## Who asked?",
    ]


@pytest.mark.parametrize("text", ["", "# Only a title\n", "text\n\n### deeper\n"])
def test_a_text_without_headings_has_no_questions(text: str) -> None:
    assert read_questions(text) == ()


def test_a_kata_without_the_file_has_no_questions(tmp_path: Path) -> None:
    from dataclasses import replace

    assert replace(catalog.get_kata("layernorm"), folder=tmp_path).questions == ()


@pytest.mark.parametrize("id", catalog.find_katas())
def test_every_kata_of_ours_has_enough_with_answers_and_points(id: str) -> None:
    questions = catalog.get_kata(id).questions
    assert len(questions) >= LEAST_QUESTIONS
    assert len({question.title for question in questions}) == len(questions)
    for question in questions:
        assert len(question.answer.split()) >= 30
        assert len(question.strong) >= 3, question.title
