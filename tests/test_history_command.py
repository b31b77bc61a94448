"""`kata history`, `restore`, `export`, `import`: what was graded can be seen, taken back and moved as it was.

Grading itself is stood in for by verdicts made by hand (`samples.py`).
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import re
import runpy
import sqlite3
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.cells import cell_len

from grader import cli, examiner, host
from grader.catalog import find_katas
from grader.grade_command import remember
from grader.journal.events import Event, Journal
from grader.journal.exchange import export
from grader.render.history import Moment, rows_of

TESTS = Path(__file__).parent
samples = SimpleNamespace(**runpy.run_path(str(TESTS / "samples.py")))

Run = Callable[..., SimpleNamespace]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def run(home: Path, place: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`kata` in this process: exit code, stdout as bytes and as text, stderr as text."""

    def run(*arguments: str, width: int = 80, stdin: bytes = b"") -> SimpleNamespace:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfdbinary.readouterr()
        code = cli.run(list(arguments))
        shown = capfdbinary.readouterr()
        return SimpleNamespace(
            code=code, bytes=shown.out, out=shown.out.decode(errors="replace"), err=shown.err.decode()
        )

    return run


@pytest.fixture
def graded(home: Path, place: Path) -> Callable[..., int]:
    """Put an attempt into the journal, an hour after the last one. Returns its number."""
    time = [datetime.now(UTC) - timedelta(days=30)]

    def graded(
        sample: str = "failing", kata: str = "layernorm", source: bytes | None = b"x = 1\n", **where: Any
    ) -> int:
        time[0] += timedelta(hours=1)
        book = Journal(home, warn=pytest.fail, now=lambda: time[0])
        verdict = dataclasses.replace(samples.ALL[sample](), kata=kata)
        remember(book, kata, where.get("path", place / f"{kata.replace('-', '_')}.py"), verdict, source)
        number = book.events()[-1].id
        book.close()
        return number

    return graded


def book_of(home: Path) -> Journal:
    return Journal(home, warn=pytest.fail)


class TestGradeIsKept:
    @pytest.fixture
    def examined(self, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
        state = SimpleNamespace(options={}, meanwhile=lambda path: None)

        def grade(kata: Any, path: Path, **options: Any) -> Any:
            state.options = options
            state.meanwhile(path)
            return samples.failing()

        monkeypatch.setattr(host, "prestart", lambda: None)
        monkeypatch.setattr(examiner, "grade", grade)
        return state

    def test_with_the_source_that_was_graded_whatever_is_saved_meanwhile(
        self, run: Run, home: Path, place: Path, examined: SimpleNamespace
    ) -> None:
        (place / "layernorm.py").write_bytes(b"first = 1\r\n")
        examined.meanwhile = lambda path: path.write_bytes(b"second")
        assert run("grade", "layernorm").code == 1
        (event,) = book_of(home).events(kinds=("grade",))
        assert event.source is not None
        assert book_of(home).source(event.source) == examined.options["source"] == b"first = 1\r\n"

    def test_with_the_whole_verdict(self, run: Run, home: Path, place: Path, examined: SimpleNamespace) -> None:
        (place / "layernorm.py").write_text("x = 1", encoding="utf-8")
        document = json.loads(run("grade", "layernorm", "--json").out)
        (event,) = book_of(home).events(kinds=("grade",))
        assert book_of(home).verdict(event.id) == document

    def test_before_anything_is_shown(
        self, run: Run, home: Path, place: Path, examined: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: Any) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr("grader.grade_command._show", fail)
        (place / "layernorm.py").write_text("x = 1", encoding="utf-8")
        assert run("grade", "layernorm").code == 70
        assert [event.has_verdict for event in book_of(home).events(kinds=("grade",))] == [True]

    def test_but_not_where_there_is_no_file(self, run: Run, home: Path, examined: SimpleNamespace) -> None:
        run("grade", "layernorm")
        assert examined.options["source"] is None
        assert book_of(home).events(kinds=("grade",)) == []

    def test_with_a_word_of_its_own_where_it_could_not_be_audited(self, run: Run, graded: Callable[..., int]) -> None:
        graded("not_audited")
        assert "? not audited" in run("history").out


class TestHistory:
    def test_lists_attempts_with_their_facts_the_newest_last(
        self, run: Run, home: Path, graded: Callable[..., int]
    ) -> None:
        numbers = [graded("failing"), graded("unusable", "causal-mask"), graded("passing")]
        book_of(home).append("hint", "layernorm", data={"rung": 2})
        numbers.append(graded("grader_error"))
        lines = run("history", width=120).out.splitlines()
        assert lines[0].split() == ["N", "when", "kata", "what", "passed", "hints", "file"]
        told = [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", line).split() for line in lines[1:]]
        assert told == [
            [str(numbers[0]), "TIME", "layernorm", "✗", "fail", "8/11", "0", "layernorm.py"],
            [str(numbers[1]), "TIME", "causal-mask", "!", "unusable", "–", "0", "causal_mask.py"],
            [str(numbers[2]), "TIME", "layernorm", "✓", "pass", "11/11", "0", "layernorm.py"],
            [str(numbers[3]), "TIME", "layernorm", "!", "error", "2/3", "2", "layernorm.py"],
        ]

    def test_of_one_kata_leaves_the_others_out(self, run: Run, graded: Callable[..., int]) -> None:
        graded()
        graded(kata="causal-mask")
        shown = run("history", "Causal_Mask").out
        assert "causal-mask" in shown
        assert "layernorm" not in shown

    def test_of_a_kata_whose_pack_is_not_here_is_shown_too(self, run: Run, graded: Callable[..., int]) -> None:
        graded(kata="my-own-kata")
        assert "my-own-kata" in run("history", "my-own-kata").out
        assert run("history", "another-kata").code == 2

    def test_is_limited_and_says_so(self, run: Run, graded: Callable[..., int]) -> None:
        numbers = [graded() for _ in range(22)]

        def listed(*arguments: str) -> list[int]:
            return [int(line.split()[0]) for line in run("history", *arguments).out.splitlines()[1:]]

        assert listed() == numbers[-20:]
        assert "The last 20 of 22" in run("history").err
        assert listed("--limit", "3") == numbers[-3:]
        assert listed("--limit", "0") == numbers
        assert len(json.loads(run("history", "--json").out)["events"]) == 22

    def test_names_what_to_do_next(self, run: Run, graded: Callable[..., int]) -> None:
        number = graded()
        assert f"Next: kata history show {number}, or kata restore {number}" in run("history").err

    def test_of_nothing_says_what_to_do(self, run: Run, home: Path) -> None:
        done = run("history")
        assert (done.code, "Next: kata grade" in done.out) == (0, True)
        assert not home.exists()

    def test_of_everything_lists_the_other_events_too(self, run: Run, home: Path, graded: Callable[..., int]) -> None:
        graded()
        book = book_of(home)
        book.append("hint", "layernorm", data={"rung": 1})
        book.append("save", "layernorm", source=b"y = 2")
        book.append("solution", "layernorm")
        shown = run("history", "--all").out
        for word in ("✗ fail", "hint 1", "save", "solution"):
            assert word in shown

    def test_is_in_the_order_of_time_where_some_was_imported_later(self, run: Run, home: Path, tmp_path: Path) -> None:
        early = Journal(tmp_path / "early", warn=pytest.fail, now=lambda: datetime(2025, 1, 1, tzinfo=UTC))
        late = Journal(home, warn=pytest.fail, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
        for book in (late, early):
            book.append("hint", "layernorm", data={"rung": 1 if book is early else 3})
            remember(book, "layernorm", Path("/x.py"), samples.failing(), b"x")
        with open("early.jsonl", "w", encoding="utf-8") as stream:
            export(early, stream.write)
        assert run("import", "early.jsonl").out == "2 events new\n"
        events = json.loads(run("history", "--json").out)["events"]
        assert [event["time"][:4] for event in events] == ["2025", "2026"]
        assert [event["hints_used"] for event in events] == [1, 3]

    @pytest.mark.parametrize("width", [12, 16, 20, 24, 30, 34, 40, 50, 60, 70, 80, 90, 100, 110, 120])
    @pytest.mark.parametrize("name", ["注.py", "multi_head_attention.py", "attempt.py", "n" * 90 + ".py"])
    def test_fits_the_terminal_and_keeps_number_and_name(
        self, run: Run, graded: Callable[..., int], width: int, name: str
    ) -> None:
        path = Path("/a/very/long/path/of a user/" + "x" * 90, name)
        numbers = [graded(each, "multi-head-attention", path=path) for each in ("failing", "unusable", "grader_error")]
        heads, *lines = run("history", width=width).out.splitlines()
        assert all(cell_len(line) <= width for line in lines)
        assert [int(line.split()[0]) for line in lines] == numbers
        assert all(
            line.endswith(name if width >= cell_len(name) + 3 and cell_len(name) <= 32 else name[-5:]) for line in lines
        )
        names = heads.split()
        assert names == [each for each in ("N", "when", "kata", "what", "passed", "hints", "file") if each in names]
        # What is there is whole: no figure and no word is cut.
        cells = {"kata": "multi-head-attention", "what": "✗ fail", "passed": "8/11", "hints": "0"}
        for column, cell in cells.items():
            assert (f" {cell} " in f"{lines[0].removesuffix(name)} ") == (column in names)

    def test_leaves_out_first_what_is_said_elsewhere(self, run: Run, graded: Callable[..., int]) -> None:
        graded("failing", "multi-head-attention", path=Path("/home/me/multi_head_attention.py"))
        heads = {width: run("history", width=width).out.splitlines()[0].split() for width in (120, 80, 60, 40, 30)}
        assert heads == {
            120: ["N", "when", "kata", "what", "passed", "hints", "file"],
            80: ["N", "when", "kata", "what", "passed", "hints", "file"],
            60: ["N", "when", "what", "passed", "file"],  # the name tells of which kata it is
            40: ["N", "what", "passed", "file"],
            30: ["N", "file"],
        }
        graded("failing", "multi-head-attention", path=Path("/home/me/attempt.py"))
        [head, _] = run("history", "--limit", "1", width=60).out.splitlines()
        assert head.split() == ["N", "when", "kata", "what", "passed", "file"]

    @pytest.mark.parametrize("width", range(40, 121, 5))
    def test_cuts_a_path_between_folders(self, run: Run, graded: Callable[..., int], width: int) -> None:
        graded(path=Path("/somewhere/work/../mine/of a user/kept-here/foo.py"))
        [line] = run("history", width=width).out.splitlines()[1:]
        shown = re.search(r"(…/|/)?[^ …]*( a user/kept-here/)?foo\.py$", line)
        assert shown is not None
        whole = "/somewhere/mine/of a user/kept-here/foo.py"
        kept = [whole, *(f"…/{whole.split('/', at)[at]}" for at in range(1, 6)), "foo.py"]
        assert any(line.endswith(f" {path}") for path in kept)
        assert ".." not in line

    def test_json_is_one_document(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        number = graded()
        done = run("history", "--json")
        (event,) = json.loads(done.out)["events"]
        assert (event["id"], event["kind"], event["kata"], event["hints_used"]) == (number, "grade", "layernorm", 0)
        assert (event["path"], event["data"]["verdict"]) == (str(place / "layernorm.py"), "fail")
        assert done.err == ""


class TestMoment:
    NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    MOMENT = Moment(NOW, Path("/home/me/work"), Path("/home/me"), timezone(timedelta(hours=8)))

    @pytest.mark.parametrize(
        ("past", "told"),
        [
            (timedelta(0), "just now"),
            (timedelta(seconds=59), "just now"),
            (timedelta(seconds=-50), "just now"),
            (timedelta(minutes=-2), ""),  # the clock was set back
            (timedelta(minutes=1), "1 min ago"),
            (timedelta(minutes=59), "59 min ago"),
            (timedelta(hours=1), "1 h ago"),
            (timedelta(hours=23, minutes=59), "23 h ago"),
            (timedelta(days=1), "1 d ago"),
            (timedelta(days=6, hours=23), "6 d ago"),
            (timedelta(days=7), ""),
        ],
    )
    def test_tells_the_last_week_in_words(self, past: timedelta, told: str) -> None:
        assert self.MOMENT.ago(self.NOW - past) == told

    def test_tells_the_time_on_the_wall(self) -> None:
        assert self.MOMENT.clock(datetime(2026, 2, 28, 20, 30, tzinfo=UTC)) == "2026-03-01 04:30"

    @pytest.mark.parametrize(
        ("path", "told"),
        [
            ("/home/me/work/x.py", "x.py"),
            ("/home/me/other/x.py", "~/other/x.py"),
            ("/home/you/x.py", "/home/you/x.py"),
            ("x.py", "x.py"),
            ("/home/me/work/../work/x.py", "x.py"),
            ("/home/me/work/deep/x.py", "deep/x.py"),
            ("/home/me/elsewhere/../other/./x.py", "~/other/x.py"),
            ("/srv/../etc/x.py", "/etc/x.py"),
        ],
    )
    def test_tells_a_path_as_briefly_as_is_clear(self, path: str, told: str) -> None:
        assert self.MOMENT.place(Path(path)) == told


def test_hints_are_those_used_by_then() -> None:
    def event(id: int, kind: str, data: Any, kata: str = "layernorm") -> Event:
        return Event(id, str(id), datetime(2026, 1, 1, 0, id, tzinfo=UTC), kind, kata, data=data)

    events = [
        event(1, "grade", {}),
        event(2, "hint", {"rung": 1}),
        event(3, "grade", {}),
        event(4, "hint", {"rung": 3}, "causal-mask"),
        event(5, "grade", {}),
        event(6, "grade", {"hints": 2}),
    ]
    assert [row.hints for row in rows_of(events) if row.event.kind == "grade"] == [0, 1, 1, 2]


class TestShow:
    def test_shows_source_and_verdict_as_they_were(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        number = graded("failing", source=b"import torch\n\nclass LayerNorm:\n    pass\n")
        (place / "layernorm.py").write_text("something else", encoding="utf-8")
        done = run("history", "show", str(number))
        assert done.out.startswith(f"Attempt {number}, layernorm, ")
        assert "1 │ import torch\n2 │\n3 │ class LayerNorm:\n4 │     pass\n" in done.out
        assert "✗ FAIL  layernorm  8/11 properties" in done.out
        assert "worst at [1, 0]: error 0.26, allowed 3.1e-15" in done.out
        assert "something else" not in done.out
        assert f"Next: kata restore {number}" in done.err

    @pytest.mark.parametrize("sample", samples.ALL)
    @pytest.mark.parametrize("width", [60, 120])
    def test_shows_every_kind_of_verdict(self, run: Run, graded: Callable[..., int], sample: str, width: int) -> None:
        number = graded(sample, source=("# " + samples.HOSTILE).encode("utf-8", "surrogatepass"))
        done = run("history", "show", str(number), width=width)
        assert done.code == 0
        assert "warning" not in done.err
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\x9b\u200b\u2028\u202e]", done.out)

    def test_without_a_number_means_the_last_attempt(self, run: Run, home: Path, graded: Callable[..., int]) -> None:
        graded()
        number = graded("passing")
        book_of(home).append("hint", "layernorm", data={"rung": 1})
        assert run("history", "show").out.startswith(f"Attempt {number}, ")
        assert run("history", str(number)).out == run("history", "show").out

    def test_gives_the_source_byte_for_byte(self, run: Run, graded: Callable[..., int]) -> None:
        source = b"# -*- coding: latin-1 -*-\r\nx = '\xff\t'"
        assert run("history", "show", str(graded(source=source)), "--source").bytes == source

    def test_json_holds_all_that_was_kept(self, run: Run, home: Path, graded: Callable[..., int]) -> None:
        number = graded()
        document = json.loads(run("history", "show", str(number), "--json").out)
        assert (document["id"], document["text"]) == (number, "x = 1\n")
        assert document["verdict"] == book_of(home).verdict(number)

    def test_of_other_events_shows_what_they_hold(self, run: Run, home: Path) -> None:
        note = book_of(home).append("note", "layernorm", data={"text": "\x1b[2Jask about eps"})
        shown = run("history", "show", str(note)).out
        assert "Note 1, layernorm" in shown
        assert "ask about eps" in shown
        assert "\x1b" not in shown

    def test_names_the_session_that_it_belongs_to(self, run: Run, home: Path) -> None:
        book = book_of(home)
        session = book.begin_session("interview", {})
        remember(book, "layernorm", Path("/x.py"), samples.failing(), b"x", session=session)
        assert ", /x.py, session 1, 0 hints used\n" in run("history", "show", width=120).out

    def test_of_a_grade_from_before_sources_were_kept(self, run: Run, home: Path) -> None:
        data = {"verdict": "fail", "passed": 3, "required": 13}
        book_of(home).append("grade", "layernorm", Path("/x.py"), data)
        shown = run("history", "show", "1").out
        assert "The source was not kept." in shown
        assert "✗ fail" in shown
        assert run("history", "show", "1", "--source").code == 2

    @pytest.mark.parametrize(
        "verdict",
        [
            {},
            {"verdict": "odd"},
            {"verdict": "fail", "properties": [{"status": "failed", "counterexample": {"got": {}}}]},
        ],
    )
    def test_of_a_verdict_made_to_trip_ends_well(self, run: Run, home: Path, verdict: Any) -> None:
        number = book_of(home).append("grade", "layernorm", data={"verdict": "fail"}, source=b"x", verdict=verdict)
        assert run("history", "show", str(number)).code == 0
        assert json.loads(run("history", "show", str(number), "--json").out)["verdict"] == verdict

    @pytest.mark.parametrize("number", ["1", "99", "0", "-1", "x", "9" * 30])
    def test_of_an_unknown_number_is_a_usage_error(self, run: Run, number: str) -> None:
        done = run("history", "show", number)
        assert (done.code, done.out) == (2, "")
        assert "Next: kata history" in done.err

    def test_without_any_grade_says_what_to_do(self, run: Run) -> None:
        done = run("history", "show")
        assert (done.code, done.out) == (2, "")
        assert "Next: kata grade" in done.err


class TestRestore:
    def test_brings_a_version_back_after_a_backup(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        number = graded(source=b"old = '\xff'\r\n")
        (place / "layernorm.py").write_bytes(b"new")
        done = run("restore", str(number))
        assert (done.code, done.out) == (0, f"{place / 'layernorm.py'}\n")
        (backup,) = place.glob("layernorm.py.*.bak")
        assert backup.read_bytes() == b"new"
        assert backup.name in done.err
        assert (place / "layernorm.py").read_bytes() == b"old = '\xff'\r\n"
        assert sorted(path.name for path in place.iterdir()) == sorted(["layernorm.py", backup.name])

    def test_needs_no_file_in_its_place(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        assert run("restore", str(graded())).code == 0
        assert [path.name for path in place.iterdir()] == ["layernorm.py"]

    def test_of_what_is_there_already_changes_nothing(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        number = graded()
        (place / "layernorm.py").write_bytes(b"x = 1\n")
        assert "already" in run("restore", str(number)).err
        assert [path.name for path in place.iterdir()] == ["layernorm.py"]

    def test_writes_elsewhere_on_demand(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        done = run("restore", str(graded()), "my answer.py")
        assert done.out == f"{place / 'my answer.py'}\n"
        assert "Next: kata grade 'my answer.py' --kata layernorm" in done.err
        assert [path.name for path in place.iterdir()] == ["my answer.py"]

    def test_never_writes_where_the_journal_says(
        self, run: Run, place: Path, tmp_path: Path, graded: Callable[..., int]
    ) -> None:
        (place / "victim.py").write_text("precious", encoding="utf-8")
        assert run("restore", str(graded(path=place / "victim.py"))).code == 0
        assert run("restore", str(graded(path=tmp_path / "elsewhere.py"))).code == 0
        assert (place / "victim.py").read_text(encoding="utf-8") == "precious"
        assert not (tmp_path / "elsewhere.py").exists()

    def test_of_an_unknown_kata_needs_a_name(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        number = graded(kata="my-own-kata")
        done = run("restore", str(number))
        assert (done.code, done.out) == (2, "")
        assert f"kata restore {number} FILE" in done.err
        assert run("restore", str(number), "x.py").code == 0

    def test_of_an_event_without_a_source_is_a_usage_error(self, run: Run, home: Path, place: Path) -> None:
        book_of(home).append("hint", "layernorm", data={"rung": 1})
        done = run("restore", "1")
        assert (done.code, done.out) == (2, "")
        assert "holds no source" in done.err
        assert list(place.iterdir()) == []

    def test_into_the_place_of_a_folder_is_a_usage_error(
        self, run: Run, place: Path, graded: Callable[..., int]
    ) -> None:
        (place / "layernorm.py").mkdir()
        assert run("restore", str(graded())).code == 2
        assert (place / "layernorm.py").is_dir()

    def test_says_that_a_file_of_another_name_is_the_one_that_is_graded_now(
        self, run: Run, graded: Callable[..., int]
    ) -> None:
        number = graded("failing", source=b"x = 1\n")
        assert "kata grade without a name grades old.py here" in run("restore", str(number), "old.py").err
        assert "without a name" not in run("restore", str(number)).err

    def test_makes_its_kata_the_current_one_and_is_remembered(self, run: Run, graded: Callable[..., int]) -> None:
        number = graded()
        run("start", "causal-mask")
        run("restore", str(number))
        assert "In this folder: layernorm in layernorm.py" in run().out
        assert f"restore {number}" in run("history", "--all").out

    def test_keeps_a_version_that_only_the_journal_of_another_machine_had(
        self, run: Run, home: Path, graded: Callable[..., int]
    ) -> None:
        number = graded(source=b"mine = 1\n")
        run("export", "all.jsonl")
        (home / "journal.sqlite3").rename(home / "lost")
        run("import", "all.jsonl")
        assert run("history", "show", str(number), "--source").bytes == b"mine = 1\n"


class TestExportAndImport:
    def test_carry_the_journal_to_another_machine(
        self, run: Run, home: Path, tmp_path: Path, graded: Callable[..., int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        graded("failing")
        graded("passing")
        done = run("export", "all.jsonl")
        assert (done.code, done.out) == (0, f"{Path.cwd() / 'all.jsonl'}\n")
        assert "2 events written." in done.err
        before = run("history", "--json").out
        monkeypatch.setenv("KATA_HOME", str(tmp_path / "another"))
        assert run("import", "all.jsonl").out == "2 events new\n"
        assert run("history", "--json").out == before
        assert run("import", "all.jsonl").out == "0 events new; 2 events known already\n"
        assert run("solution", "layernorm").code == 0

    def test_go_through_a_pipe(
        self, run: Run, home: Path, tmp_path: Path, graded: Callable[..., int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        graded()
        text = run("export").bytes
        assert run("export", "-").bytes == text
        monkeypatch.setenv("KATA_HOME", str(tmp_path / "another"))
        assert run("import", "-", stdin=text).out == "1 event new\n"
        assert run("export").bytes == text

    def test_never_overwrite_a_file(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        graded()
        (place / "mine").write_text("precious", encoding="utf-8")
        done = run("export", "mine")
        assert (done.code, done.out) == (2, "")
        assert (place / "mine").read_text(encoding="utf-8") == "precious"
        assert [path.name for path in place.iterdir()] == ["mine"]

    def test_leave_no_half_file(self, run: Run, place: Path, home: Path) -> None:
        home.mkdir()
        (home / "journal.sqlite3").write_bytes(b"x" * 5000)
        assert run("export", "mine").code == 4
        assert list(place.iterdir()) == []

    def test_a_wrong_line_is_named(self, run: Run, place: Path, graded: Callable[..., int]) -> None:
        graded()
        text = run("export").bytes
        (place / "broken").write_bytes(text + b"{half\n")
        done = run("import", "broken")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(
            f"kata: broken, line {text.count(b'n') and text.count(bytes([10])) + 1}: not JSON; nothing was imported\n"
        )
        assert run("history", "--json").out.count('"id"') == 1

    @pytest.mark.parametrize("name", ["gone", "."])
    def test_of_what_is_no_file_is_a_usage_error(self, run: Run, home: Path, name: str) -> None:
        done = run("import", name)
        assert (done.code, done.out) == (2, "")
        assert "cannot read" in done.err

    def test_what_is_imported_reaches_no_stream_unescaped(self, run: Run, place: Path, home: Path) -> None:
        attack = "\x1b[2J\u202e\x07 [bold]x[/]"
        verdict = {
            "verdict": "fail",
            "kata": attack,
            "reason": attack,
            "properties": [{"id": attack, "status": "failed"}],
        }
        lines = [
            {"type": "torch-kata journal", "version": 1},
            {
                "type": "event", "identity": "0" * 32, "time": "2026-01-01T00:00:00Z", "kind": "grade", "kata": "layernorm",
                "path": f"/{attack}.py", "data": {"verdict": "fail", "x": attack}, "verdict": verdict,
            },
        ]  # fmt: skip
        (place / "x").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        assert run("import", "x").code == 0
        for arguments in (
            ("history",),
            ("history", "--json"),
            ("history", "1"),
            ("history", "1", "--json"),
            ("status",),
        ):
            done = run(*arguments, width=120)
            assert done.code == 0
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.out + done.err)


class TestOldJournals:
    @pytest.fixture
    def old(self, home: Path) -> Path:
        journal_tests = runpy.run_path(str(TESTS / "test_journal.py"))
        events = [
            ("2026-01-01T00:00:00.000Z", "start", "layernorm", os.fsencode(Path.cwd() / "layernorm.py"), "{}"),
            ("2026-01-01T00:01:00.000Z", "hint", "layernorm", None, '{"rung": 1}'),
            (
                "2026-01-01T00:02:00.000Z",
                "grade",
                "layernorm",
                b"/x.py",
                '{"verdict": "pass", "passed": 13, "required": 13}',
            ),
            ("2026-01-01T00:03:00.000Z", "solution", "causal-mask", None, '{"gave_up": true}'),
        ]
        journal_tests["write_format_1"](home / "journal.sqlite3", events)
        return home

    def test_open_the_solutions_that_they_opened(self, old: Path, run: Run) -> None:
        assert run("solution", "layernorm").out == find_katas()["layernorm"].solution
        assert run("solution", "causal-mask").code == 0
        assert run("solution", "linear-attention").code == 1

    def test_go_on_with_the_next_hint(self, old: Path, run: Run) -> None:
        assert "Hint 2 of 3" in run("hint", "layernorm").out

    def test_are_told_by_status_and_history(self, old: Path, run: Run) -> None:
        assert re.search(r"layernorm +✓ passed +1 +13/13 +1/3 +2026-01-01", run("status").out)
        assert re.search(r"3 +2026-01-01 .*layernorm +✓ pass +13/13 +1", run("history", width=100).out)
        assert sqlite3.connect(old / "journal.sqlite3").execute("PRAGMA user_version").fetchone() == (3,)


@pytest.mark.parametrize(
    "command", [("history",), ("history", "list"), ("history", "show"), ("restore",), ("export",), ("import",)]
)
def test_every_command_explains_itself(run: Run, command: tuple[str, ...]) -> None:
    done = run(*command, "--help", width=60)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Usage: kata ")
    assert max(map(len, done.out.splitlines())) <= 60
