"""The journal remembers every event, survives what happens to files, and never stops a command."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.journal import events as journal
from grader.journal import schema as journal_schema
from grader.journal.events import Journal, Progress

ROOT = Path(journal.__file__).parents[2]


class Clock:
    """Each look is a second later."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def book(tmp_path: Path, warnings: list[str]) -> Iterator[Journal]:
    book = Journal(tmp_path / "home", warn=warnings.append, now=Clock())
    yield book
    book.close()


def reopened(book: Journal, warnings: list[str]) -> Journal:
    book.close()
    return Journal(book.path.parent, warn=warnings.append, now=Clock())


# Format 1, as the first torch-kata wrote it.
FORMAT_1 = """
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        time TEXT NOT NULL,
        kind TEXT NOT NULL,
        kata TEXT NOT NULL,
        path BLOB,
        data TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(data))
    );
    CREATE INDEX events_by_kata ON events (kata, kind);
    CREATE TRIGGER events_keep_rows BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    CREATE TRIGGER events_keep_values BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    PRAGMA user_version = 1;
"""
OLD_EVENTS = [
    ("2025-12-31T23:59:59.001Z", "start", "layernorm", b"/a/\xff.py", '{"written": true}'),
    ("2026-01-01T00:00:00.002Z", "hint", "layernorm", None, '{"rung": 1}'),
    ("2026-01-01T00:00:00.002Z", "hint", "layernorm", None, '{"rung": 1}'),
    ("2026-01-01T00:01:00.003Z", "grade", "layernorm", b"/a.py", '{"verdict": "pass", "passed": 13, "required": 13}'),
    ("2026-01-01T00:02:00.004Z", "solution", "causal-mask", None, '{"gave_up": true}'),
]


def write_format_1(path: Path, events: list[tuple[str, str, str, bytes | None, str]]) -> None:
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(FORMAT_1)
    connection.executemany("INSERT INTO events (time, kind, kata, path, data) VALUES (?,?,?,?,?)", events)
    connection.commit()
    connection.close()


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)


def grade(book: Journal, kata: str, verdict: str, passed: int = 0, required: int = 10) -> None:
    assert book.append("grade", kata, Path("/x.py"), {"verdict": verdict, "passed": passed, "required": required})


class TestHome:
    def test_is_kata_home_where_set(self, tmp_path: Path) -> None:
        assert journal.home({"KATA_HOME": str(tmp_path)}) == tmp_path

    def test_is_a_folder_of_the_users_otherwise(self) -> None:
        assert journal.home({}).name == "torch-kata"
        assert journal.home({"KATA_HOME": ""}).name == "torch-kata"


class TestEvents:
    def test_reading_creates_nothing(self, book: Journal) -> None:
        assert book.progress() == {}
        assert book.started() == []
        assert book.count() == 0
        assert not book.path.parent.exists()

    def test_are_kept_with_time_kata_path_and_data(self, book: Journal) -> None:
        book.append("start", "layernorm", Path("/a/layernorm.py"), {"written": True})
        rows = sqlite3.connect(book.path).execute("SELECT time, kind, kata, path, data FROM events").fetchall()
        assert rows == [("2026-01-02T03:04:06.000Z", "start", "layernorm", b"/a/layernorm.py", '{"written": true}')]

    def test_can_be_neither_changed_nor_deleted(self, book: Journal) -> None:
        book.append("start", "layernorm")
        connection = sqlite3.connect(book.path)
        for statement in ("DELETE FROM events", "UPDATE events SET kata = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
        connection.close()

    def test_and_neither_can_what_they_refer_to(self, book: Journal) -> None:
        session = book.begin_session("interview", {})
        book.append("grade", "layernorm", session=session, source=b"x = 1", verdict={"verdict": "fail"})
        connection = sqlite3.connect(book.path)
        for table, column in (("sources", "body"), ("sessions", "kind"), ("verdicts", "body")):
            for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET {column} = 'x'"):
                with pytest.raises(sqlite3.IntegrityError, match="kept"):
                    connection.execute(statement)
        connection.close()

    @pytest.mark.parametrize("kind", ["graded", "", "Start", "a kind"])
    def test_of_an_unknown_kind_are_a_mistake_of_ours(self, book: Journal, kind: str) -> None:
        with pytest.raises(ValueError, match="unknown kind"):
            book.append(kind, "layernorm")

    def test_come_back_as_they_were_written(self, book: Journal) -> None:
        session = book.begin_session("interview", {"minutes": 45})
        document = {"verdict": "fail", "output": "\ud800 \x1b[2J", "seconds": 0.1}
        source = b"x = '\xff\x00'\r\n"
        id = book.append(
            "grade", "layernorm", Path("/x.py"), {"a": [1, None]}, session=session, source=source, verdict=document
        )
        assert id is not None
        event = book.event(id)
        assert event is not None
        assert (event.id, event.kind, event.kata, event.path) == (id, "grade", "layernorm", Path("/x.py"))
        assert (event.data, event.session, event.has_verdict) == ({"a": [1, None]}, session, True)
        assert event.time == datetime(2026, 1, 2, 3, 4, 7, tzinfo=UTC)
        assert event.source is not None
        assert book.source(event.source) == source
        assert book.verdict(id) == document

    def test_without_source_and_verdict_have_none(self, book: Journal) -> None:
        id = book.append("hint", "layernorm")
        assert id is not None
        event = book.event(id)
        assert event is not None
        assert (event.path, event.data, event.session, event.source) == (None, {}, None, None)
        assert not event.has_verdict
        assert book.verdict(id) is None
        assert book.source("0" * 64) is None
        assert book.event(id + 1) is None

    def test_share_a_source_of_the_same_content(self, book: Journal) -> None:
        for source in (b"one", b"two", b"one", b"one"):
            book.append("save", "layernorm", source=source)
        assert len({event.source for event in book.events()}) == 2
        assert sqlite3.connect(book.path).execute("SELECT count(*) FROM sources").fetchone() == (2,)

    def test_keep_file_names_that_are_no_text(self, book: Journal) -> None:
        path = Path(os.fsdecode(b"/a/\xff\xfe \xe6\xb3\xa8.py"))
        book.append("start", "layernorm", path)
        assert book.started() == [("layernorm", path)]


class TestSessions:
    def test_are_known_by_kind_with_their_settings(self, book: Journal) -> None:
        first = book.begin_session("interview", {"katas": ["layernorm"], "minutes": 30})
        second = book.begin_session("drill", {})
        assert [session.id for session in book.sessions()] == [first, second]
        (interview,) = book.sessions("interview")
        assert interview.settings == {"katas": ["layernorm"], "minutes": 30}
        assert interview.started == datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC)

    def test_hold_events_of_any_kind(self, book: Journal) -> None:
        session = book.begin_session("interview", {})
        ids = [book.append(kind, "", session=session) for kind in ("begin", "half-time", "note")]
        assert [event.id for event in book.events(session=session)] == ids

    def test_count_their_grades_at_their_end_their_hints_at_once_and_nothing_else(self, book: Journal) -> None:
        session = book.begin_session("interview", {})
        book.append("begin", "", session=session)
        book.append("hint", "layernorm", data={"rung": 2}, session=session)
        book.append("grade", "layernorm", data={"verdict": "pass", "passed": 9, "required": 9}, session=session)
        book.append("mark", "causal-mask", data={"rung": 3, "verdict": "pass"}, session=session)
        assert (book.of("layernorm").hints, book.of("layernorm").passed) == (2, False)
        book.append("finish", "", session=session)
        progress = book.progress()
        assert list(progress) == ["layernorm"]
        assert (progress["layernorm"].hints, progress["layernorm"].passed) == (2, True)

    def test_must_exist(self, book: Journal, warnings: list[str]) -> None:
        assert book.append("begin", "", session=7) is None
        assert len(warnings) == 1
        assert book.count() == 0


class TestQueries:
    def test_events_are_found_by_session_kata_kind_and_place_in_the_order_of_writing(self, book: Journal) -> None:
        session = book.begin_session("interview", {})
        a = book.append("start", "layernorm")
        b = book.append("start", "causal-mask", session=session)
        c = book.append("hint", "layernorm", session=session)
        d = book.append("hint", "causal-mask")
        assert a is not None

        def found(**query: Any) -> list[int]:
            return [event.id for event in book.events(**query)]

        assert found() == [a, b, c, d]
        assert found(session=session) == [b, c]
        assert found(kata="causal-mask") == [b, d]
        assert found(kinds=("hint",)) == [c, d]
        assert found(kinds=("hint", "start"), kata="layernorm") == [a, c]
        assert found(session=session, kata="layernorm") == [c]
        assert found(after=a) == [b, c, d]

    @pytest.mark.parametrize(
        ("question", "index"),
        [
            ("session = 1", "events_by_session"),
            ("kata = 'x'", "events_by_kata"),
            ("kind IN ('grade')", "events_by_kind"),
            ("id = 1", "PRIMARY KEY"),
        ],
    )
    def test_what_is_asked_is_indexed(self, book: Journal, question: str, index: str) -> None:
        book.append("start", "layernorm")
        plan = (
            sqlite3.connect(book.path).execute(f"EXPLAIN QUERY PLAN SELECT * FROM events WHERE {question}").fetchall()
        )
        assert index in plan[0][-1]

    def test_a_restore_begins_a_kata_as_a_start_does(self, book: Journal) -> None:
        book.append("start", "causal-mask", Path("/b.py"))
        book.append("restore", "layernorm", Path("/a.py"), {"from": 1})
        assert book.started() == [("layernorm", Path("/a.py")), ("causal-mask", Path("/b.py"))]
        assert book.of("layernorm").state == "started"

    def test_starts_and_resets_come_newest_first(self, book: Journal) -> None:
        book.append("start", "layernorm", Path("/a.py"))
        book.append("start", "causal-mask", Path("/b.py"))
        book.append("reset", "layernorm", Path("/a.py"))
        assert book.started() == [("layernorm", Path("/a.py")), ("causal-mask", Path("/b.py"))]

    def test_the_state_goes_from_new_to_passed_and_stays(self, book: Journal) -> None:
        states = [book.of("layernorm").state]
        book.append("start", "layernorm", Path("/a.py"))
        states.append(book.of("layernorm").state)
        for verdict in ("unusable", "fail", "pass", "fail"):
            grade(book, "layernorm", verdict)
            states.append(book.of("layernorm").state)
        assert states == ["new", "started", "started", "failing", "passed", "passed"]

    def test_attempts_best_and_first_pass(self, book: Journal) -> None:
        for verdict, passed in (
            ("fail", 3),
            ("fail", 8),
            ("grader-error", 0),
            ("unusable", 0),
            ("pass", 10),
            ("pass", 10),
        ):
            grade(book, "layernorm", verdict, passed)
        known = book.of("layernorm")
        assert (known.attempts, known.best, known.required) == (5, 10, 10)
        assert known.first_pass == "2026-01-02T03:04:10.000Z"

    def test_hints_and_giving_up_are_kept_by_kata(self, book: Journal) -> None:
        book.append("hint", "layernorm", data={"rung": 1})
        book.append("hint", "layernorm", data={"rung": 2})
        book.append("solution", "causal-mask", data={"gave_up": True})
        assert book.of("layernorm") == Progress(hints=2)
        assert book.of("causal-mask") == Progress(gave_up=True)


class TestTrouble:
    def test_survives_a_kill_at_any_moment(self, book: Journal, warnings: list[str]) -> None:
        script = (
            "import sys, pathlib; from grader.journal.events import Journal\n"
            "book = Journal(pathlib.Path(sys.argv[1]), warn=print)\n"
            "while True:\n    book.append('hint', 'layernorm', data={'rung': 1}); print(flush=True)\n"
        )
        written = 0
        for _ in range(3):
            process = subprocess.Popen(
                [sys.executable, "-c", script, str(book.path.parent)],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
            )
            assert process.stdout is not None
            for _ in range(5):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            written += 5 + process.stdout.read().count(b"\n")
            process.wait()
            process.stdout.close()
        assert book.count() >= written
        assert book.append("hint", "layernorm", data={"rung": 2})
        assert warnings == []

    def test_several_processes_write_at_once(self, book: Journal) -> None:
        script = (
            "import sys, pathlib; from grader.journal.events import Journal\n"
            "book = Journal(pathlib.Path(sys.argv[1]), warn=lambda text: sys.exit(text))\n"
            "for _ in range(25): assert book.append('start', 'layernorm')\n"
        )
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", script, str(book.path.parent)], env={**os.environ, "PYTHONPATH": str(ROOT)}
            )
            for _ in range(4)
        ]
        assert [process.wait(60) for process in processes] == [0] * 4
        assert book.count() == 100

    @pytest.mark.parametrize(
        "damage", [b"not a database, only long enough to look like one" * 100, b"SQLite format 3\0 and then?"]
    )
    def test_a_damaged_file_is_moved_aside(self, book: Journal, warnings: list[str], damage: bytes) -> None:
        book.path.parent.mkdir()
        book.path.write_bytes(damage)
        assert book.append("start", "layernorm")
        assert book.count() == 1
        aside = [path for path in book.path.parent.iterdir() if "damaged" in path.name]
        assert [path.read_bytes() for path in aside] == [damage]
        assert len(warnings) == 1
        assert "was damaged" in warnings[0]
        assert str(aside[0]) in warnings[0]

    def test_damage_in_the_middle_is_found_by_the_query_that_meets_it(self, book: Journal, warnings: list[str]) -> None:
        for _ in range(400):
            book.append("start", "layernorm", Path("/" + "x" * 200))
        book.close()
        whole = bytearray(book.path.read_bytes())
        whole[8192:] = b"\xa5" * (len(whole) - 8192)
        book.path.write_bytes(whole)
        again = reopened(book, warnings)
        assert again.progress() == {}
        assert len(warnings) == 1
        assert again.append("start", "layernorm")
        assert again.count() == 1
        again.close()

    def test_reading_a_damaged_file_moves_it_aside_too(self, book: Journal, warnings: list[str]) -> None:
        book.path.parent.mkdir()
        book.path.write_bytes(b"x" * 5000)
        assert book.progress() == {}
        assert "was damaged" in warnings[0]

    def test_a_file_of_a_newer_version_is_left_alone(self, book: Journal, warnings: list[str]) -> None:
        book.append("start", "layernorm")
        book.close()
        connection = sqlite3.connect(book.path)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
        again = reopened(book, warnings)
        assert not again.append("start", "layernorm")
        assert again.progress() == {}
        assert "newer torch-kata" in warnings[0]
        again.close()
        assert sqlite3.connect(book.path).execute("SELECT count(*) FROM events").fetchone() == (1,)

    def test_a_home_that_cannot_be_made_is_a_warning(self, tmp_path: Path, warnings: list[str]) -> None:
        (tmp_path / "file").touch()
        book = Journal(tmp_path / "file" / "home", warn=warnings.append)
        assert not book.append("start", "layernorm")
        assert not book.append("start", "layernorm")
        assert book.progress() == {}
        assert len(warnings) == 1
        assert "progress is not saved" in warnings[0]
        assert "KATA_HOME" in warnings[0]

    def test_a_folder_in_the_files_place_is_a_warning(self, book: Journal, warnings: list[str]) -> None:
        book.path.mkdir(parents=True)
        assert not book.append("start", "layernorm")
        assert book.progress() == {}
        assert len(warnings) == 2

    def test_a_read_only_home_is_read_and_not_written(self, warnings: list[str]) -> None:
        folder = Path(tempfile.mkdtemp())  # not tmp_path, whose parents another user cannot enter
        try:
            book = Journal(folder / "home", warn=warnings.append)
            book.append("hint", "layernorm", data={"rung": 2})
            book.close()
            folder.chmod(0o755)
            (folder / "home").chmod(0o555)
            book.path.chmod(0o444)
            script = (
                "import os, sys, pathlib; from grader.journal.events import Journal\n"
                "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"  # root may write anywhere
                "book = Journal(pathlib.Path(sys.argv[1]), warn=lambda text: print('warning', text))\n"
                "print(book.of('layernorm').hints, book.append('start', 'layernorm'))\n"
            )
            done = subprocess.run(
                [sys.executable, "-c", script, str(folder / "home")],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
            )
            *warned, last = done.stdout.splitlines()
            assert last == "2 None", done
            assert len(warned) == 1
            assert "progress is not saved" in warned[0]
        finally:
            (folder / "home").chmod(0o755)
            shutil.rmtree(folder)


class TestDisk:
    def test_a_full_disk_loses_what_does_not_fit_and_nothing_else(self, book: Journal, warnings: list[str]) -> None:
        book.append("start", "layernorm")
        connection = book.file._open(writing=True)
        assert connection is not None
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        assert book.append("grade", "layernorm", source=os.urandom(1 << 20), verdict={"verdict": "pass"}) is None
        assert len(warnings) == 1
        assert "progress is not saved" in warnings[0]
        assert "full" in warnings[0]
        assert [event.kind for event in book.events()] == ["start"]
        assert sqlite3.connect(book.path).execute("SELECT count(*) FROM sources").fetchone() == (0,)
        assert book.append("hint", "layernorm", data={"rung": 1}) is not None

    def test_a_kill_at_any_statement_leaves_the_whole_event_or_nothing(self, book: Journal) -> None:
        book.append("start", "layernorm")
        script = (
            "import os, sys, pathlib, signal; from grader.journal.events import Journal\n"
            "book = Journal(pathlib.Path(sys.argv[1]), warn=sys.exit)\n"
            "left = [int(sys.argv[2])]\n"
            "def step(statement):\n"
            "    if left[0] == 0: os.kill(os.getpid(), signal.SIGKILL)\n"
            "    left[0] -= 1\n"
            "book.file._open(writing=True).set_trace_callback(step)\n"
            "book.append('grade', 'layernorm', source=os.urandom(9999), verdict={'verdict': 'pass'})\n"
        )
        written, killed = 0, 0
        for statements in range(20):
            done = run(script, str(book.path.parent), str(statements))
            if done.returncode == 0:
                written += 1
                break
            assert done.returncode == -signal.SIGKILL, done
            killed += 1
            grades = book.events(kinds=("grade",))
            assert all(event.source and book.source(event.source) and book.verdict(event.id) for event in grades)
            assert sqlite3.connect(book.path).execute("SELECT count(*) FROM sources").fetchone() == (len(grades),)
            assert sqlite3.connect(book.path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert killed >= 5  # begin, look for the source, keep it, the event, the verdict
        assert written == 1
        assert len(book.events(kinds=("grade",))) == written

    def test_a_stored_text_that_is_damaged_is_a_warning(self, book: Journal, warnings: list[str]) -> None:
        id = book.append("start", "layernorm")
        assert id is not None
        connection = sqlite3.connect(book.path)
        connection.execute("INSERT INTO verdicts (event, body) VALUES (?, X'00')", (id,))
        connection.commit()
        connection.close()
        assert book.verdict(id) is None
        assert len(warnings) == 1
        assert "damaged" in warnings[0]


class TestFormat1:
    @pytest.fixture
    def old(self, book: Journal) -> Journal:
        write_format_1(book.path, OLD_EVENTS)
        return book

    def test_every_event_is_kept_with_its_number(self, old: Journal, warnings: list[str]) -> None:
        events = old.events()
        assert [event.id for event in events] == [1, 2, 3, 4, 5]
        written = [
            (journal.written_time(e.time), e.kind, e.kata, e.path and os.fsencode(e.path), json.dumps(e.data))
            for e in events
        ]
        assert written == OLD_EVENTS
        assert len({event.identity for event in events}) == 5
        assert old.append("start", "layernorm") == 6
        assert warnings == []

    def test_progress_is_what_it_was(self, old: Journal) -> None:
        assert old.of("layernorm") == Progress(
            started=True, attempts=1, best=13, required=13, first_pass="2026-01-01T00:01:00.003Z", hints=1,
            last_grade="2026-01-01T00:01:00.003Z",
        )  # fmt: skip
        assert old.of("causal-mask") == Progress(gave_up=True)

    def test_events_are_append_only_afterwards(self, old: Journal) -> None:
        assert old.count() == 5
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            sqlite3.connect(old.path).execute("DELETE FROM events")

    def test_two_copies_of_a_file_agree_about_who_is_who(self, old: Journal, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        shutil.copy(old.path, tmp_path / "other")
        other = Journal(tmp_path / "other", warn=print)
        assert [event.identity for event in other.events()] == [event.identity for event in old.events()]
        other.close()

    @pytest.mark.parametrize("call", [1, 3, 5])
    def test_a_kill_during_the_migration_loses_nothing(self, old: Journal, call: int) -> None:
        script = (
            "import os, sys, pathlib, signal; from grader.journal import events as journal, schema as journal_schema\n"
            "left = [int(sys.argv[2])]; plain = journal_schema._identity_of\n"
            "def identity_of(*values):\n"
            "    left[0] -= 1\n"
            "    if not left[0]: os.kill(os.getpid(), signal.SIGKILL)\n"
            "    return plain(*values)\n"
            "journal_schema._identity_of = identity_of\n"
            "journal.Journal(pathlib.Path(sys.argv[1]), warn=sys.exit).count()\n"
        )
        assert run(script, str(old.path.parent), str(call)).returncode == -signal.SIGKILL
        assert [event.id for event in old.events()] == [1, 2, 3, 4, 5]

    def test_several_processes_may_migrate_at_once(self, old: Journal) -> None:
        script = (
            "import sys, pathlib; from grader.journal.events import Journal\n"
            "book = Journal(pathlib.Path(sys.argv[1]), warn=lambda text: sys.exit(text))\n"
            "assert book.append('start', 'layernorm')\n"
        )
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", script, str(old.path.parent)]
        processes = [subprocess.Popen(command, env=environ) for _ in range(4)]
        assert [process.wait(60) for process in processes] == [0] * 4
        assert old.count() == 9

    def test_is_read_where_it_cannot_be_migrated(self, old: Journal) -> None:
        connection = journal_schema.connect_read_only(old.path)
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (5,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("INSERT INTO sources VALUES ('a', 'b')")
        connection.close()
        assert sqlite3.connect(old.path).execute("PRAGMA user_version").fetchone() == (1,)


def test_a_migration_that_fails_leaves_the_file_as_it_was(book: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    book.append("start", "layernorm")
    book.close()
    broken = "CREATE TABLE more (x);\nINSERT INTO nowhere VALUES (1);"
    monkeypatch.setattr(journal_schema, "MIGRATIONS", (*journal_schema.MIGRATIONS, broken))
    with pytest.raises(sqlite3.OperationalError):
        journal_schema.connect(book.path)
    connection = sqlite3.connect(book.path)
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchall() == []
    connection.close()


def test_a_migration_is_applied_once(book: Journal, warnings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    book.append("start", "layernorm")
    monkeypatch.setattr(journal_schema, "MIGRATIONS", (*journal_schema.MIGRATIONS, "CREATE TABLE more (x);"))
    for _ in range(2):
        again = reopened(book, warnings)
        assert again.count() == 1
        again.close()
    assert warnings == []
