"""Find and validate katas: one folder with a kata.toml is one kata, and there is no registry to edit.

Content lives outside the package: `katas/` and `reference/` beside `grader/` in a checkout, inside it in a wheel. A
pack from elsewhere has the same two folders. Reads small text files only; never imports torch or a line of kata code.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import GraderError, UsageError
from grader.toml_table import Table

if TYPE_CHECKING:
    from grader.questions import Question

DIFFICULTIES = ("easy", "medium", "hard")
KINDS = ("function", "module")
HINTS = 3
LEAST_LIMIT = 1.5  # below it, one honest way to write a thing could be called too slow beside another

_seen: dict[Path, None] = {}  # roots whose katas this process has looked for; a set that keeps its order

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BRIEFS = {"en": "brief.md", "zh": "brief.zh-CN.md"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A symbol that a submission must define."""

    name: str
    kind: str  # "function" or "module"
    signature: str


@dataclass(frozen=True, slots=True)
class Bench:
    """On what a kata is timed (its workload.py makes the inputs), and how slow is too slow."""

    limit: float  # times the readable reference
    size: int  # at which speed is decided
    sizes: tuple[int, ...]  # at which growth is measured


@dataclass(frozen=True, slots=True)
class Kata:
    """One exercise. The long texts are read from the folder when they are asked for."""

    id: str
    title: str
    summary: str
    difficulty: str
    minutes: int
    tags: tuple[str, ...]
    entries: tuple[Entry, ...]
    forbidden: tuple[str, ...]
    operator_label: str
    folder: Path
    reference: Path
    bench: Bench | None = None  # None: nothing is timed

    @property
    def file_name(self) -> str:
        """What `kata start` calls the candidate's file."""
        return self.id.replace("-", "_") + ".py"

    @property
    def properties(self) -> Path:
        """The pytest file with the properties."""
        return self.folder / "properties.py"

    @property
    def workload(self) -> Path:
        """The file that makes the inputs for timing; there where the kata has a `bench`."""
        return self.folder / "workload.py"

    @property
    def library(self) -> Path | None:
        """The same contract kept by the library operator, to time for comparison; None where there is no such operator."""
        file = self.folder / "library.py"
        return file if file.is_file() else None

    @property
    def stub(self) -> str:
        return _read(self.folder / "stub.py")

    @property
    def brief(self) -> str:
        return self.brief_in("en")

    @property
    def solution(self) -> str:
        """The source of the reference."""
        return _read(self.reference)

    @property
    def hints(self) -> tuple[tuple[str, str], ...]:
        """The ladder: (heading, body) for each rung, from a nudge to nearly the code."""
        file = self.folder / "hints.md"
        parts = re.split(r"^## +\d+\. *(.*?) *$", _read(file), flags=re.MULTILINE)
        rungs = tuple(
            (heading, body.strip("\n")) for heading, body in zip(parts[1::2], parts[2::2], strict=True) if body.strip()
        )
        if len(rungs) != HINTS:
            raise GraderError(f"{file}: {HINTS} rungs under headings `## 1. …` wanted, {len(rungs)} found")
        return rungs

    @property
    def questions(self) -> tuple[Question, ...]:
        """The follow-up questions with their model answers; a kata of a pack may have none."""
        from grader.questions import read_questions

        file = self.folder / "questions.md"
        return read_questions(_read(file)) if file.is_file() else ()

    def brief_in(self, language: str) -> str:
        """The brief in "en" or "zh"; UsageError where a kata has no translation."""
        file = self.folder / _BRIEFS[language]
        if language != "en" and not file.is_file():
            raise UsageError(f"{self.id} has no brief in the language {language}", f"kata show {self.id}")
        return _read(file)


def find_katas(extra: Sequence[Path] = ()) -> dict[str, Kata]:
    """Every kata by id, in teaching order: from easy to hard, short before long."""
    katas = [load_kata(folder) for folder in _locate(extra).values()]
    katas.sort(key=lambda kata: (DIFFICULTIES.index(kata.difficulty), kata.minutes, kata.id))
    return {kata.id: kata for kata in katas}


def get_kata(name: str, extra: Sequence[Path] = ()) -> Kata:
    """One kata by id; hyphens, underscores and capitals do not matter. UsageError suggests the nearest id."""
    places = _locate(extra)
    id = normalise(name)
    if id not in places:
        raise unknown_kata(name, places)
    return load_kata(places[id])


class UnknownKata(UsageError):
    """No kata that is known here has this id."""

    def __init__(self, id: str, message: str) -> None:
        super().__init__(message, "kata list")
        self.id = id


def unknown_kata(name: str, ids: Iterable[str]) -> UnknownKata:
    """The error for a name that is no kata's."""
    id = normalise(name)
    ids = list(ids)
    near = difflib.get_close_matches(id, ids, n=1, cutoff=0.5) or [known for known in ids if id and id in known][:1]
    guess = f"; did you mean {near[0]}?" if near else ""
    return UnknownKata(id, f"there is no kata named {name!r}{guess}")


def normalise(name: str) -> str:
    """The id that a person may have meant: `Scaled_Dot_Product` is `scaled-dot-product`."""
    return name.strip().lower().replace("_", "-")


def content_root() -> Path:
    """The folder that holds katas/ and reference/: the checkout if this is one, else the installed package."""
    package = Path(__file__).resolve().parent
    checkout = package.parent
    parts = (
        "pyproject.toml",
        "katas",
        "reference",
    )  # site-packages may hold a stranger's katas/, but no pyproject.toml
    return checkout if all((checkout / part).exists() for part in parts) else package


def kata_folders(root: Path) -> list[Path]:
    """The folders of the katas in a checkout, an installed package or a pack."""
    _seen[root.absolute()] = None
    try:
        return sorted(folder for folder in (root / "katas").iterdir() if (folder / "kata.toml").is_file())
    except OSError as error:
        raise GraderError(f"no katas in {root / 'katas'}: {error.strerror}", "reinstall torch-kata") from None


def pack_root(path: Path) -> Path | None:
    """The pack that `path` means: the folder that holds katas/, or that katas/ itself; None where it is neither."""
    if (path / "katas").is_dir():
        return path
    return path.parent if path.name == "katas" and path.is_dir() else None


def answer_folders() -> list[Path]:
    """Where answers lie, and no candidate may read: ours, those of KATA_PATH, and of every pack that was looked at so far."""
    named = [Path(name).absolute() for name in os.environ.get("KATA_PATH", "").split(os.pathsep) if name]
    packs = [pack for path in named if (pack := pack_root(path)) is not None]
    return [root / name for root in dict.fromkeys((content_root(), *packs, *_seen)) for name in ("katas", "reference")]


def is_id(name: str) -> bool:
    """Whether `name` can be a kata's id, and so its folder's name."""
    return _ID.fullmatch(name) is not None


def reference_of(folder: Path) -> Path:
    """Where the reference of the kata in `folder` lies."""
    return folder.parent.parent / "reference" / (folder.name.replace("-", "_") + ".py")


def _locate(extra: Sequence[Path]) -> dict[str, Path]:
    places: dict[str, Path] = {}
    for root in (content_root(), *extra):
        _locate_in(root, places)
    return places


def _locate_in(root: Path, places: dict[str, Path]) -> None:
    for folder in kata_folders(root):
        id = folder.name
        if not is_id(id):
            raise GraderError(f"{folder}: the folder's name is the kata's id: lower case, digits and hyphens only")
        if id in places:
            raise GraderError(f"the kata {id} is there twice: {places[id]} and {folder}")
        places[id] = folder


def fault_of_pack(pack: Path, beside: Iterable[Path]) -> str:
    """Why the katas of `pack` cannot join those of the roots `beside`; "" where they can."""
    places: dict[str, Path] = {}
    for root in beside:
        with suppress(GraderError):  # which is their own
            _locate_in(root, places)
    try:
        _locate_in(pack, places)
        for folder in kata_folders(pack):
            load_kata(folder)
    except GraderError as error:
        return error.message.replace(f"{pack}{os.sep}", "")
    return ""


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GraderError(f"cannot read {file}: {error}", "reinstall torch-kata") from None


def load_kata(folder: Path) -> Kata:
    """The kata in `folder`. GraderError names the file and the key that is wrong."""
    _seen[folder.absolute().parent.parent] = None
    file = folder / "kata.toml"
    try:
        table = tomllib.loads(_read(file))
    except tomllib.TOMLDecodeError as error:
        raise GraderError(f"{file} is no valid TOML: {error}") from None
    top = Table(file, "", table)
    forbidden = Table(file, "forbidden", top.take("forbidden", dict))
    kata = Kata(
        id=folder.name,
        title=top.take("title", str),
        summary=top.take("summary", str),
        difficulty=top.take("difficulty", str, among=DIFFICULTIES),
        minutes=top.take("minutes", int),
        tags=top.take_strings("tags"),
        entries=tuple(_entry(file, number, table) for number, table in enumerate(top.take("entry", list), start=1)),
        operator_label=forbidden.take("operator_label", str),
        forbidden=forbidden.take_strings("operators"),
        folder=folder,
        reference=reference_of(folder),
        bench=_bench(file, top.take("timing", dict)) if top.has("timing") else None,
    )
    top.finish()
    forbidden.finish()
    if kata.minutes < 1:
        raise GraderError(f"{file}: minutes: at least 1 wanted, {kata.minutes} found")
    if not kata.entries:
        raise GraderError(f"{file}: entry: at least one [[entry]] wanted")
    return kata


def _entry(file: Path, number: int, table: Any) -> Entry:
    where = f"entry {number}"
    if not isinstance(table, dict):
        raise GraderError(f"{file}: {where}: a table wanted, {type(table).__name__} found")
    entry = Table(file, where, table)
    result = Entry(entry.take("name", str), entry.take("kind", str, among=KINDS), entry.take("signature", str))
    entry.finish()
    return result


def _bench(file: Path, table: dict[str, Any]) -> Bench:
    timing = Table(file, "timing", table)
    bench = Bench(timing.take("limit", float), timing.take("size", int), timing.take_sizes("sizes"))
    timing.finish()
    if not bench.limit >= LEAST_LIMIT:
        raise GraderError(f"{file}: timing.limit: at least {LEAST_LIMIT} wanted, {bench.limit:g} found")
    if bench.size < 1:
        raise GraderError(f"{file}: timing.size: at least 1 wanted, {bench.size} found")
    return bench
