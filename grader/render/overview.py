"""The screens around a grade: the list of katas, the status, the first screen, hints and sources.

Pure functions of the catalogue and the journal's answers. Rich's Markdown and its syntax highlighter are slow to
import, so each is imported by the one function that needs it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.catalog import HINTS, Kata
from grader.journal.events import Progress
from grader.render.text import amount, printable, wrapped

if TYPE_CHECKING:
    from rich.console import RenderableType

SUMMARY_WIDTH = 100  # from here on the list has room for summaries

_STATES = {
    "new": ("– new", ""),
    "started": ("○ started", ""),
    "failing": ("✗ failing", "red"),
    "passed": ("✓ passed", "green"),
}


def kata_list(katas: Iterable[Kata], progress: Mapping[str, Progress], width: int) -> RenderableType:
    """`kata list`."""
    table = _table("kata", "difficulty", "minutes", "state")
    table.columns[2].justify = "right"
    if width >= SUMMARY_WIDTH:
        table.add_column("what", overflow="fold")
    for kata in katas:
        state = Text(*_STATES[progress.get(kata.id, Progress()).state])
        row = [Text(kata.id), Text(kata.difficulty), Text(str(kata.minutes)), state]
        table.add_row(*row, *([Text(printable(kata.summary))] if width >= SUMMARY_WIDTH else []))
    return table


def kata_documents(katas: Iterable[Kata], progress: Mapping[str, Progress]) -> list[dict[str, Any]]:
    """`kata list --json`: one object a kata."""
    documents = []
    for kata in katas:
        known = progress.get(kata.id, Progress())
        best = None if known.best is None else {"passed": known.best, "required": known.required}
        documents.append(
            {
                "id": kata.id,
                "title": kata.title,
                "summary": kata.summary,
                "difficulty": kata.difficulty,
                "minutes": kata.minutes,
                "tags": list(kata.tags),
                "entries": [
                    {"name": entry.name, "kind": entry.kind, "signature": entry.signature} for entry in kata.entries
                ],
                "state": known.state,
                "attempts": known.attempts,
                "best": best,
                "hints_used": known.hints,
                "gave_up": known.gave_up,
                "first_pass": known.first_pass,
            }
        )
    return documents


def status(katas: Iterable[Kata], progress: Mapping[str, Progress], width: int) -> RenderableType:
    """`kata status`: one row for every kata that was touched; where it is narrow, fewer facts of each."""
    katas = list(katas)
    rows: list[dict[str, Text]] = []
    for kata in katas:
        known = progress.get(kata.id)
        if known is None:
            continue
        best = "–" if known.best is None else f"{known.best}/{known.required}"
        hints = f"{known.hints}/{HINTS}" + (" + solution" if known.gave_up else "")
        when = "–" if known.first_pass is None else known.first_pass[:10]
        rows.append(
            {
                "kata": Text(kata.id),
                "state": Text(*_STATES[known.state]),
                "attempts": Text(str(known.attempts)),
                "best": Text(best),
                "hints": Text(hints),
                "first pass": Text(when),
            }
        )
    summary = Text(f"{_passed(katas, progress)} of {amount(len(katas), 'kata')} passed.")
    if not rows:
        return Group(summary, Text("Nothing started yet."))
    widths = {name: 2 + max(len(name), *(row[name].cell_len for row in rows)) for name in rows[0]}
    for name in ("first pass", "hints"):
        if sum(widths.values()) - 2 > width:
            del widths[name]
    table = _table(*widths)
    table.columns[2].justify = "right"
    for row in rows:
        table.add_row(*(row[name] for name in widths))
    return Group(table, Text(""), summary)


def whereabouts(
    katas: Mapping[str, Kata], progress: Mapping[str, Progress], here: tuple[Kata, str] | None, interview: str = ""
) -> list[Text]:
    """Where am I: `here` is the kata last started in this folder, and its file; `interview` tells of one that runs."""
    lines = [
        Text("torch-kata: write a Transformer part by hand, get a verdict.", style="bold"),
        Text(f"{_passed(katas.values(), progress)} of {amount(len(katas), 'kata')} passed."),
    ]
    if here is not None:
        kata, file = here
        known = progress.get(kata.id, Progress())
        best = f", best {known.best}/{known.required}" if known.best is not None else ""
        lines.append(Text(f"In this folder: {kata.id} in {printable(file)}, {known.state}{best}."))
    if interview:
        lines.append(Text(interview, style="bold"))
    return lines


def next_command(
    katas: Mapping[str, Kata], progress: Mapping[str, Progress], here: Kata | None, command: str = "kata"
) -> str:
    """Where to go on: with the kata last started in this folder, else with the first that is not passed."""
    following = next_kata(katas, progress, after=None if here is None else here.id)
    if here is not None and (following is None or not progress.get(here.id, Progress()).passed):
        return f"{command} grade"
    return f"{command} start {following.id}" if following is not None else f"{command} interview"


def next_line(step: str) -> Text:
    """The last line of a screen."""
    return Text(f"Next: {step}", style="bold")


def next_kata(katas: Mapping[str, Kata], progress: Mapping[str, Progress], after: str | None = None) -> Kata | None:
    """The first kata behind `after` in teaching order that is not passed yet; behind the last one comes the first.

    Whatever says "next" asks here, so that a screen and a key mean the same. Without `after`, the first of all.
    """
    order = list(katas.values())
    ids = [kata.id for kata in order]
    at = ids.index(after) if after in ids else -1
    around = order[at + 1 :] + order[: max(at, 0)]
    return next((kata for kata in around if not progress.get(kata.id, Progress()).passed), None)


def hint(number: int, heading: str, body: str) -> RenderableType:
    """One rung of the ladder."""
    return Group(Text(f"Hint {number} of {HINTS}: {printable(heading)}", style="bold"), *paragraphs(body))


def paragraphs(markdown: str) -> list[RenderableType]:
    """Markdown for reading as it stands: paragraphs and list items joined to one line, code kept and indented."""
    parts: list[RenderableType] = []
    joined: list[str] = []
    code: list[str] | None = None

    def finish() -> None:
        if joined:
            text = printable(" ".join(joined))
            if text.startswith(("- ", "* ")):
                item = Table.grid(padding=(0, 1))
                item.add_row(Text("  •"), Text(text[2:]))
                parts.append(item)
            else:
                parts.append(Padding(Text(text), (0, 0, 0, 2)))
            joined.clear()

    for line in markdown.split("\n"):
        bare = line.strip()
        if bare.startswith("```"):
            finish()
            if code is not None:
                text = "\n".join(printable(each) for each in textwrap.dedent("\n".join(code)).split("\n"))
                parts.append(Padding(Text(text, no_wrap=True, overflow="fold"), (0, 0, 0, 6)))
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        elif not bare:
            finish()
            parts.append(Text(""))
        else:
            if bare.startswith(("- ", "* ", "#")):
                finish()
            joined.append(bare)
    finish()
    return parts


_FACTS = {"en": "{difficulty}, about {minutes} minutes", "zh": "难度：{difficulty}，约 {minutes} 分钟"}
_NEXT = {"en": "Next: ", "zh": "下一步："}
_DIFFICULTIES = {"easy": "简单", "medium": "中等", "hard": "困难"}


def brief(kata: Kata, lang: str = "en", command: str = "kata") -> RenderableType:
    """`kata show`: the brief, its difficulty, and the command that begins."""
    difficulty = _DIFFICULTIES.get(kata.difficulty, kata.difficulty) if lang == "zh" else kata.difficulty
    facts = Text(_FACTS[lang].format(difficulty=difficulty, minutes=kata.minutes))
    step = Text(f"{_NEXT[lang]}{command} start {kata.id}", style="bold")
    return Group(brief_text(kata.brief_in(lang)), Text(""), facts, step)


def brief_text(text: str) -> RenderableType:
    """A brief as it is read in a terminal."""
    from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
    from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement

    class LeftHeading(Heading):
        LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}

    class PlainCode(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield from code_block(self.text.plain.rstrip().split("\n"), options.max_width)

    class PlainTable(TableElement):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for each in super().__rich_console__(console, options):
                if isinstance(each, Table):
                    each.show_edge = False  # it is a blank line, and Markdown puts one there itself
                yield each

    class Brief(Markdown):
        elements: ClassVar[dict[str, type[MarkdownElement]]] = {
            **Markdown.elements,
            "heading_open": LeftHeading,
            "fence": PlainCode,
            "code_block": PlainCode,
            "table_open": PlainTable,
        }

    return Brief(text, hyperlinks=False)


def code_block(lines: Iterable[str], width: int) -> Iterator[RenderableType]:
    """Code, indented; what is too long goes on deeper than its own line, so that it is seen to belong to it."""
    for line in lines:
        deeper = " " * (len(line) - len(line.lstrip()) + 8)
        yield from (Padding(Text(each, no_wrap=True), (0, 0, 0, 4)) for each in wrapped(line, width - 4, indent=deeper))


def highlighted(source: str) -> Text:
    """Python source for a terminal, with only weights and colours that can be read on white and on black."""
    from pygments.token import Comment, Keyword, Name, Number, String  # type: ignore[import-untyped]
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme, Syntax

    theme = ANSISyntaxTheme(
        {
            Comment: Style(italic=True),
            Keyword: Style(bold=True),
            Name.Function: Style(color="magenta"),
            Name.Class: Style(color="magenta", bold=True),
            Number: Style(color="magenta"),
            String: Style(color="green"),
        }
    )
    return Syntax("", "python", theme=theme, background_color="default").highlight(source.rstrip("\n"))


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in names:
        table.add_column(name, no_wrap=True)
    return table


def _passed(katas: Iterable[Kata], progress: Mapping[str, Progress]) -> int:
    return sum(progress.get(kata.id, Progress()).passed for kata in katas)
