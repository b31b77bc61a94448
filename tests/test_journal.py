"""The journal remembers every event, survives what happens to files, and never stops a command."""

from __future__ import annotations

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

import pytest

from grader import journal, journal_schema
from grader.journal import Journal, Progress

ROOT = Path(journal.__file__).parents[1]


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

    def test_of_an_unknown_kind_are_a_mistake_of_ours(self, book: Journal) -> None:
        with pytest.raises(ValueError, match="unknown kind"):
            book.append("graded", "layernorm")

    def test_keep_file_names_that_are_no_text(self, book: Journal) -> None:
        path = Path(os.fsdecode(b"/a/\xff\xfe \xe6\xb3\xa8.py"))
        book.append("start", "layernorm", path)
        assert book.started() == [("layernorm", path)]


class TestQueries:
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
        assert states == ["new", "started", "failing", "failing", "passed", "passed"]

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
            "import sys, pathlib; from grader.journal import Journal\n"
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
            "import sys, pathlib; from grader.journal import Journal\n"
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
                "import os, sys, pathlib; from grader.journal import Journal\n"
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


def test_a_migration_that_fails_leaves_the_file_as_it_was(book: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    book.append("start", "layernorm")
    book.close()
    broken = "CREATE TABLE more (x);\nINSERT INTO nowhere VALUES (1);"
    monkeypatch.setattr(journal_schema, "MIGRATIONS", (*journal_schema.MIGRATIONS, broken))
    with pytest.raises(sqlite3.OperationalError):
        journal_schema.connect(book.path)
    connection = sqlite3.connect(book.path)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
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
