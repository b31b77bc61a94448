"""An exported journal comes back exactly, merges without doubles, and is believed in nothing."""

from __future__ import annotations

import json
import os
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import GraderError, UsageError
from grader.journal.events import Journal
from grader.journal.exchange import LONGEST_LINE, Imported, export, merge
from grader.render.jsonout import verdict_document

samples = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("samples.py"))))


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Journal]:
    book = Journal(tmp_path / "one", warn=pytest.fail)
    yield book
    book.close()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Journal]:
    other = Journal(tmp_path / "two", warn=pytest.fail)
    yield other
    other.close()


def fill(book: Journal) -> None:
    """A journal with everything in it that is hard to carry."""
    book.append("start", "layernorm", Path(os.fsdecode(b"/a/\xff \xe6\xb3\xa8.py")), {"written": True})
    session = book.begin_session("interview", {"katas": ["layernorm"], "text": "\ud800 注"})
    book.append("begin", "", session=session)
    book.append("save", "layernorm", source=b"x = '\xff'\r\n\x00", session=session)
    for kind in samples.ALL:
        verdict = verdict_document(samples.ALL[kind]())
        data = {"verdict": verdict["verdict"], "passed": 3, "required": 13, "hints": 0, "seconds": 0.1}
        source = "# 注\r\nx = 1\n".encode()
        book.append("grade", "layernorm", Path("/x.py"), data, source=source, verdict=verdict)
    book.append("hint", "causal-mask", data={"rung": 1})


def exported(book: Journal) -> list[bytes]:
    lines: list[str] = []
    export(book, lines.append)
    return [line.encode() for line in lines]


def identities(book: Journal) -> set[str]:
    return {event.identity for event in book.events()}


class TestExport:
    def test_begins_with_its_version(self, book: Journal) -> None:
        fill(book)
        assert json.loads(exported(book)[0]) == {"type": "torch-kata journal", "version": 1}

    def test_is_ascii_lines_of_json_with_each_source_once(self, book: Journal) -> None:
        fill(book)
        lines = exported(book)
        assert all(line.isascii() and line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
        kinds = [json.loads(line)["type"] for line in lines]
        assert (kinds.count("event"), kinds.count("session"), kinds.count("source")) == (book.count(), 1, 2)

    def test_of_no_journal_is_its_version_and_makes_none(self, book: Journal) -> None:
        assert len(exported(book)) == 1
        assert not book.path.exists()

    def test_of_a_damaged_journal_is_an_error(self, tmp_path: Path) -> None:
        warnings: list[str] = []
        book = Journal(tmp_path, warn=warnings.append)
        book.path.write_bytes(b"x" * 5000)
        with pytest.raises(GraderError, match="damaged"):
            exported(book)
        assert "is kept as" in warnings[0]


class TestRoundTrip:
    def test_is_exact(self, book: Journal, other: Journal) -> None:
        fill(book)
        lines = exported(book)
        result = merge(other, lines, "x")
        assert result == Imported(events=book.count(), sessions=1, known=0)
        assert exported(other) == lines
        for here, there in zip(book.events(), other.events(), strict=True):
            assert (here.time, here.kind, here.kata, here.path, here.data) == (
                there.time, there.kind, there.kata, there.path, there.data,
            )  # fmt: skip
            assert book.verdict(here.id) == other.verdict(there.id)
            assert here.source is None or book.source(here.source) == other.source(here.source)

    def test_counts_as_progress(self, book: Journal, other: Journal) -> None:
        fill(book)
        merge(other, exported(book), "x")
        assert other.progress() == book.progress()
        assert other.of("layernorm").passed

    def test_knows_which_sessions_began_elsewhere(self, book: Journal, other: Journal) -> None:
        fill(book)
        merge(other, exported(book), "x")
        merge(book, exported(book), "x")
        assert [session.imported for session in other.sessions()] == [True]
        assert [session.imported for session in book.sessions()] == [False]

    def test_takes_no_path_into_a_session_that_began_here(self, book: Journal) -> None:
        fill(book)
        lines = exported(book)
        identity = json.loads(lines[1])["identity"]
        start = {**EVENT, "kind": "start", "path": "/etc/passwd", "session": identity}
        merge(book, [lines[0], lines[1], line(start), line({**start, "identity": "3" * 32, "session": None})], "x")
        inside, outside = book.events(kinds=("start",))[-2:]
        assert inside.session is not None
        assert inside.path is None
        assert outside.path == Path("/etc/passwd")

    def test_twice_adds_nothing(self, book: Journal, other: Journal) -> None:
        fill(book)
        lines = exported(book)
        merge(other, lines, "x")
        assert merge(other, lines, "x") == Imported(known=book.count())
        assert merge(book, lines, "x") == Imported(known=book.count())
        assert exported(other) == exported(book) == lines

    def test_both_ways_makes_both_journals_hold_the_same(self, book: Journal, other: Journal) -> None:
        fill(book)
        merge(other, exported(book), "x")
        book.append("hint", "layernorm", data={"rung": 1})
        other.append("note", "layernorm", data={"text": "mine"})
        session = other.begin_session("interview", {})
        other.append("finish", "", session=session)
        merge(book, exported(other), "x")
        merge(other, exported(book), "x")
        assert identities(book) == identities(other)
        assert {s.identity for s in book.sessions()} == {s.identity for s in other.sessions()}
        (finish,) = book.events(kinds=("finish",))
        assert finish.session == book.sessions()[-1].id

    def test_keeps_sessions_apart_whose_numbers_are_the_same(self, book: Journal, other: Journal) -> None:
        for each in (book, other):
            each.append("begin", "", session=each.begin_session("interview", {"of": str(each.path)}))
        merge(book, exported(other), "x")
        assert [len(book.events(session=session.id)) for session in book.sessions()] == [1, 1]


EVENT = {
    "type": "event",
    "identity": "0" * 32,
    "time": "2026-01-01T00:00:00.000Z",
    "kind": "grade",
    "kata": "layernorm",
    "path": "/x.py",
    "data": {"verdict": "pass", "passed": 1, "required": 1},
    "session": None,
    "source": None,
}
SESSION = {
    "type": "session",
    "identity": "2" * 32,
    "kind": "interview",
    "started": EVENT["time"],
    "settings": {},
}
VERSION = {"type": "torch-kata journal", "version": 1}


def line(record: Any) -> bytes:
    return json.dumps(record).encode() + b"\n"


class TestMalformed:
    def refused(self, book: Journal, lines: list[bytes]) -> str:
        """The message of a refused import, after which the journal is as it was."""
        book.append("start", "layernorm")
        before = exported(book)
        with pytest.raises(UsageError) as refusal:
            merge(book, lines, "x.jsonl")
        assert exported(book) == before
        assert book.append("start", "layernorm") is not None  # no transaction is left open
        return refusal.value.message

    @pytest.mark.parametrize(
        "wrong",
        [
            b"",
            b"\n",
            b"{",
            b"[]\n",
            b"3\n",
            b"null\n",
            b'"event"\n',
            b"\xff\xfe\n",
            b"[" * 100_000,
            b'{"type": "event", "identity": ' + b"9" * 5000 + b"}",
            line({"type": "colour"}),
            line({"type": "session"}),
            line({"type": "source", "digest": "0" * 64, "text": "not that"}),
            line({"type": "source", "digest": "0" * 64, "base64": "###"}),
            line({"type": "source", "digest": "0" * 64, "text": "\ud800"}),
            line({"type": "session", "identity": "0" * 32, "kind": "x", "started": "now", "settings": {}}),
            line({"type": "session", "identity": "0" * 32, "kind": "x", "started": EVENT["time"], "settings": []}),
            *(
                line({**SESSION, "settings": {"rounds": [{"minutes": 30}, {"minutes": much}]}})
                for much in (1e308, -1, 601, "30", True)
            ),
            *(line({key: EVENT[key] for key in EVENT if key != gone}) for gone in ("identity", "time", "kind", "kata", "data")),
            *(
                line({**EVENT, **change})
                for change in (
                    {"identity": "0" * 31},
                    {"identity": "0" * 32 + "\n"},
                    {"identity": 7},
                    {"time": "2026-01-01T00:00:00"},
                    {"time": "yesterday"},
                    {"time": "0001-01-01T00:00:00+23:59"},
                    {"kind": "\x1b[2J"},
                    {"kind": "grade'; DROP TABLE events; --"},
                    {"kata": "../../x"},
                    {"kata": "a" * 201},
                    {"kata": None},
                    {"path": "/a\0b"},
                    {"path": "\ud800"},
                    {"path": ["/x.py"]},
                    {"data": []},
                    {"data": {"verdict": "splendid"}},
                    {"data": {"verdict": "pass", "passed": "all"}},
                    {"data": {"verdict": "pass", "passed": -1}},
                    {"data": {"verdict": "pass", "passed": True}},
                    {"data": {"verdict": "pass", "required": 1 << 70}},
                    {"data": {"verdict": "pass", "x": float("nan")}},
                    *({"kind": "credit", "data": {"seconds": much}} for much in (1e308, -1, "ten", True, 10**400)),
                    {"kind": "hint", "data": {}},
                    {"kind": "hint", "data": {"rung": "three"}},
                    {"session": "0" * 32},
                    {"session": 1},
                    {"source": "0" * 64},
                    {"verdict": []},
                    {"verdict": {"x": float("inf")}},
                )
            ),
        ],
    )  # fmt: skip
    def test_a_wrong_line_is_named_and_nothing_is_imported(self, book: Journal, wrong: bytes) -> None:
        good = line({**EVENT, "identity": "1" * 32})
        assert self.refused(book, [line(VERSION), good, wrong, good]).startswith("x.jsonl, line 3: ")

    @pytest.mark.parametrize(
        "first",
        [line(EVENT), line({"type": "torch-kata journal"}), line({**VERSION, "version": 2}), b"name,age\n", b"{}"],
    )
    def test_the_first_line_must_be_the_version(self, book: Journal, first: bytes) -> None:
        assert self.refused(book, [first, line(EVENT)]).startswith("x.jsonl, line 1: ")

    def test_an_empty_file_is_no_export(self, book: Journal) -> None:
        assert "empty" in self.refused(book, [])

    def test_a_line_without_end_is_not_read_to_its_end(self, book: Journal) -> None:
        assert "longer" in self.refused(book, [line(VERSION), b" " * (LONGEST_LINE + 1)])

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_any_other_text_is_either_refused_or_imported(
        self, book: Journal, tmp_path: Path, data: st.DataObject
    ) -> None:
        if not book.count():
            fill(book)
        whole = b"".join(exported(book))
        place = data.draw(st.integers(0, len(whole) - 1))
        kind = data.draw(st.sampled_from(["cut", "change", "insert"]))
        byte = data.draw(st.binary(min_size=1, max_size=3))
        changed = {"cut": whole[:place], "change": whole[:place] + byte + whole[place + 1 :]}.get(
            kind, whole[:place] + byte + whole[place:]
        )
        target = Journal(tmp_path / "target", warn=pytest.fail)
        try:
            merge(target, changed.splitlines(keepends=True), "x")
        except UsageError:
            assert target.count() == 0
        for event in target.events():
            target.verdict(event.id)
        target.progress()
        target.close()
        shutil.rmtree(tmp_path / "target")


class TestTrouble:
    def test_an_import_that_cannot_be_written_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        book = Journal(tmp_path / "file" / "home", warn=pytest.fail)
        with pytest.raises(GraderError, match="cannot be used"):
            merge(book, [line(VERSION)], "x")

    def test_a_full_disk_imports_nothing(self, book: Journal, other: Journal) -> None:
        fill(book)
        other.append("start", "layernorm")
        before = exported(other)
        connection = other.file._open(writing=True)
        assert connection is not None
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(GraderError, match="full"):
            merge(other, exported(book), "x")
        assert exported(other) == before

    def test_an_error_of_the_file_that_is_written_is_not_the_journals(self, book: Journal) -> None:
        fill(book)

        def write(text: str) -> None:
            if "event" in text:
                raise BrokenPipeError

        with pytest.raises(BrokenPipeError):
            export(book, write)
        assert book.append("start", "layernorm") is not None
