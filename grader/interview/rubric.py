"""What a human interviewer says and how a mark is found: script, dimensions, anchors. Words only; no code uses them up."""

from __future__ import annotations

from dataclasses import dataclass

MARKS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a mark from 1 to 4 is given for. `anchors` says what each mark looks like."""

    id: str
    title: str
    anchors: tuple[str, str, str, str]


DIMENSIONS = (
    Dimension(
        "correctness",
        "Correctness",
        (
            "Does not run, or solves another problem.",
            "The main case works; other shapes, masks or extreme values do not.",
            "Right in all ordinary cases, and in the extreme ones after a hint.",
            "Right and numerically safe, shown by tests of the candidate's own, unasked.",
        ),
    ),
    Dimension(
        "communication",
        "Communication",
        (
            "Silent, or cannot say what a line does.",
            "Explains when asked; names shapes after the fact.",
            "Says shapes and assumptions first and thinks aloud.",
            "Leads: asks what matters, names alternatives and their price, takes a hint well.",
        ),
    ),
    Dimension(
        "code-quality",
        "Code quality",
        (
            "Hard to follow; names and shapes do not fit together.",
            "Works, with repetition or dead ends left in.",
            "Clear names, one idea a line, tensor operations instead of loops.",
            "Reads like a reference: nothing needless, shapes noted where they help.",
        ),
    ),
    Dimension(
        "knowledge",
        "Knowledge",
        (
            "Cannot say why the parts are there.",
            "Knows the formula, not its reasons.",
            "Explains scaling, masking, normalisation and what they cost.",
            "Weighs variants: memory, precision, inference, what recent methods change.",
        ),
    ),
)

SCRIPT = {
    "clarify": (
        "Read the brief aloud or show it (key b), then be silent.",
        "Good questions get plain answers. If none come, ask: which shapes go in, which come out?",
        "Before any code, have the shape of every intermediate result said or written down.",
    ),
    "implement": (
        "Let the candidate work. Ask what a line does only when you cannot tell.",
        "Stuck for three minutes: give one hint (key h), not the answer.",
        "Note what was said, not only what was typed (key n).",
    ),
    "test": (
        "Ask: how do you know that it is right? Wait for the candidate's own cases.",
        "Ask for an extreme: large values, a fully masked row, one element.",
        "Then grade (key g), and have a failed property explained by the candidate.",
    ),
    "follow-up": (
        "Ask the questions below, one at a time, and let the candidate finish.",
        "Press once where an answer stays general: with which formula? for which size?",
        "Give marks (key m) before you talk about the result.",
    ),
}
