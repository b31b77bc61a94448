"""`kata dev` and packs of katas from elsewhere, as an author meets them: files, streams, exit codes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader import cli
from grader.catalog import find_katas, get_kata
from grader.dev import new as dev_new
from grader.dev import trial as dev_trial
from grader.dev.finding import Finding, Report
from grader.errors import UsageError
from grader.render.dev import report_screen
from grader.render.page import Page


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("KATA_PATH", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def kata(place: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """`kata` in this process."""

    def run(*arguments: str) -> Done:
        capfd.readouterr()
        code = cli.run(list(arguments))
        return Done(code, *capfd.readouterr())

    return run


@pytest.fixture
def no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading only: nothing is graded, no worker started."""
    monkeypatch.setattr(dev_trial.Trial, "reference_passes", lambda _: False)
    monkeypatch.setattr("grader.host.prestart", lambda: None)


def fill_blanks(pack: Path) -> None:
    for path in pack.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r".*BLANK:.*\n", "", text), encoding="utf-8")


class TestNew:
    def test_writes_a_kata_and_prints_its_folder(self, kata: Run, place: Path) -> None:
        done = kata("dev", "new", "rms-norm")
        assert (done.code, done.out) == (0, f"{place / 'katas' / 'rms-norm'}\n")
        assert "kata dev check katas/rms-norm" in done.err
        assert "kata --katas . start rms-norm" in done.err
        written = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
        assert "reference/rms_norm.py" in written
        assert {"katas/rms-norm/kata.toml", "katas/rms-norm/mistakes/mutates-input.py"} <= written
        assert not any("example" in path.read_text(encoding="utf-8") for path in place.rglob("*.toml"))
        assert "def rms_norm(x):" in (place / "reference" / "rms_norm.py").read_text(encoding="utf-8")

    def test_into_another_folder_which_need_not_be_there(self, kata: Run, place: Path) -> None:
        assert kata("dev", "new", "RMS_Norm", "--into", "my pack").code == 0
        assert (place / "my pack" / "katas" / "rms-norm" / "kata.toml").is_file()

    def test_a_second_kata_joins_the_pack(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "one")
        assert kata("dev", "new", "two").code == 0
        assert {"one", "two"} <= set(find_katas([place]))

    @pytest.mark.parametrize("there", ["katas/rms-norm/notes.txt", "katas/rms-norm", "reference/rms_norm.py"])
    def test_never_overwrites(self, kata: Run, place: Path, there: str) -> None:
        (place / there).parent.mkdir(parents=True, exist_ok=True)
        (place / there).write_text("mine", encoding="utf-8")
        done = kata("dev", "new", "rms-norm")
        assert done.code == 1
        assert "is there already and is left as it is" in done.err
        assert [path for path in place.rglob("*") if path.is_file()] == [place / there]
        assert (place / there).read_text(encoding="utf-8") == "mine"

    def test_not_even_a_link_that_leads_nowhere(self, kata: Run, place: Path) -> None:
        (place / "reference").mkdir()
        (place / "reference" / "rms_norm.py").symlink_to(place / "nowhere")
        assert kata("dev", "new", "rms-norm").code == 1
        assert not (place / "nowhere").exists()

    @pytest.mark.parametrize("id", ["rms norm", "-", "3d-attention", "lambda", "torch", "ébauche"])
    def test_a_name_that_cannot_be_one_is_a_usage_error(self, kata: Run, place: Path, id: str) -> None:
        done = kata("dev", "new", "--", id)
        assert done.code == 2
        assert "such as rms-norm" in done.err
        assert list(place.iterdir()) == []

    def test_a_name_that_is_taken_is_a_usage_error(self, kata: Run, place: Path) -> None:
        done = kata("dev", "new", "layernorm")
        assert done.code == 2
        assert "there is a kata layernorm already" in done.err
        assert list(place.iterdir()) == []

    def test_a_pack_that_cannot_be_written_is_a_usage_error(self, kata: Run, place: Path) -> None:
        (place / "file").write_text("", encoding="utf-8")
        done = kata("dev", "new", "rms-norm", "--into", "file")
        assert done.code == 2
        assert "cannot write into" in done.err

    def test_a_failure_half_way_leaves_nothing(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(self: Path, target: Path) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "rename", full)
        with pytest.raises(UsageError, match="No space left"):
            dev_new.new_kata("rms-norm", place)
        assert [path for path in place.rglob("*") if path.is_file()] == []
        assert list((place / "katas").iterdir()) == []


class TestCheck:
    def test_a_good_kata_is_one_line(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "rms-norm")
        fill_blanks(place)
        done = kata("dev", "check", ".")
        assert (done.code, done.out, done.err) == (0, "✓ rms-norm  10 properties, 3 mistakes\n", "")

    @pytest.mark.usefixtures("no_trial")
    def test_what_to_mend_stands_below_its_kata(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "rms-norm")
        fill_blanks(place)
        (place / "katas" / "rms-norm" / "notes.txt").write_text("", encoding="utf-8")
        done = kata("dev", "check", "katas/rms-norm")
        assert done.code == 1
        first, second, third, *_ = done.out.splitlines()
        assert first == "✗ rms-norm  10 properties, 3 mistakes not graded"
        assert second == "  katas/rms-norm/notes.txt: does not belong here"
        assert third.startswith("    → move it away; allowed are kata.toml, brief.md")
        assert done.err == "Next: mend this, then kata dev check katas/rms-norm\n"

    @pytest.mark.usefixtures("no_trial")
    def test_one_broken_kata_does_not_hide_the_others(self, kata: Run, place: Path) -> None:
        for id in ("one", "two", "three"):
            kata("dev", "new", id)
        fill_blanks(place)
        (place / "katas" / "one" / "kata.toml").write_text("minutes = = 1", encoding="utf-8")
        (place / "katas" / "two" / "kata.toml").unlink()
        done = kata("dev", "check", ".")
        assert done.code == 1
        assert re.search(r"^✗ one ", done.out, re.MULTILINE)
        assert re.search(r"^✗ two ", done.out, re.MULTILINE)
        assert re.search(r"^✓ three  10 properties, 3 mistakes not graded$", done.out, re.MULTILINE)
        assert "kata.toml: is no valid TOML" in done.out
        assert "kata.toml: is missing" in done.out

    @pytest.mark.usefixtures("no_trial")
    def test_without_a_path_all_katas_are_checked_packs_too(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "rms-norm")
        document = json.loads(kata("--katas", ".", "dev", "check", "--json").out)
        assert [each["kata"] for each in document["katas"]] == [*sorted(find_katas()), "rms-norm"]

    @pytest.mark.usefixtures("no_trial")
    def test_an_id_that_our_own_katas_have_is_found(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "rms-norm")
        fill_blanks(place)
        os.rename(place / "katas" / "rms-norm", place / "katas" / "layernorm")
        os.rename(place / "reference" / "rms_norm.py", place / "reference" / "layernorm.py")
        shown = kata("dev", "check", ".", "--json").out
        assert f"the id layernorm is taken by {get_kata('layernorm').folder}" in shown

    @pytest.mark.usefixtures("no_trial")
    def test_json_is_one_document(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "rms-norm")
        done = kata("dev", "check", "katas/rms-norm", "--json")
        document = json.loads(done.out)
        assert (done.code, done.err) == (1, "")
        assert document["schema_version"] == 1
        assert document["ok"] is False
        [report] = document["katas"]
        assert (report["kata"], report["properties"], report["mistakes"]) == ("rms-norm", 10, 3)
        assert report["folder"] == str(place / "katas" / "rms-norm")
        first = report["findings"][0]
        assert (first["check"], first["where"]) == ("blanks", "katas/rms-norm/kata.toml:1")
        assert first["problem"].startswith("to fill in: ")
        assert first["remedy"] == "put your own in its place, then delete the line with BLANK"

    def test_fast_does_not_grade_the_mistakes(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "rms-norm")
        fill_blanks(place)
        mistake = place / "katas" / "rms-norm" / "mistakes" / "mean-for-sum.py"
        mistake.write_text(mistake.read_text(encoding="utf-8").replace("mean(dim", "sum(dim"), encoding="utf-8")
        fast = kata("dev", "check", ".", "--fast")
        assert (fast.code, fast.out) == (0, "✓ rms-norm  10 properties, 3 mistakes not graded\n")
        slow = kata("dev", "check", ".")
        assert slow.code == 1
        assert "mistakes/mean-for-sum.py: passes: no required property kills it" in " ".join(slow.out.split())

    @pytest.mark.parametrize("argument", ["nothing-like-it", "."])
    def test_nothing_to_check_is_a_usage_error(self, kata: Run, argument: str) -> None:
        done = kata("dev", "check", argument)
        assert (done.code, done.out) == (2, "")
        assert "Next: " in done.err

    @pytest.mark.usefixtures("no_trial")
    def test_an_id_in_a_pack_that_nobody_named_gets_the_path_that_does(self, kata: Run, place: Path) -> None:
        kata("dev", "new", "my-kata")
        done = kata("dev", "check", "my-kata")
        assert done.code == 2
        assert done.err.endswith("Next: kata dev check katas/my-kata\n")

    def test_without_a_command_there_is_help(self, kata: Run) -> None:
        done = kata("dev")
        assert done.code == 0
        assert re.search(r"^  check +Check katas", done.out, re.MULTILINE)
        assert re.search(r"^  new +Write a small kata", done.out, re.MULTILINE)


class TestScreen:
    @pytest.mark.parametrize("width", [40, 60, 120])
    @pytest.mark.parametrize("ascii_only", [False, True])
    def test_fits_the_terminal_and_shows_nothing_raw(self, width: int, ascii_only: bool) -> None:
        from rich.console import Console

        hostile = "\x1b[2Jword\u202e " * 30 + "w" * 200
        finding = Finding("a-kata", "files", "katas/a-kata/x.py:3", hostile, "mend it " * 30)
        console = Console(width=width, color_system=None)
        with console.capture() as capture:
            console.print(
                report_screen(Page(width, ascii_only), Report("a-kata", Path("/a"), 1, 1, True, (finding, finding)), 6)
            )
        shown = capture.get()
        assert max(map(len, shown.splitlines())) <= width
        assert "\x1b[2J" not in shown
        assert "\u202e" not in shown
        assert "1 property, 1 mistake\n" in shown
        assert shown.count("→ mend it" if not ascii_only else "-> mend it") == 1  # said once for both


class TestPacks:
    """Katas from elsewhere are katas like ours, in every command."""

    @pytest.fixture
    def pack(self, kata: Run, place: Path, tmp_path: Path) -> Path:
        folder = tmp_path / "a pack"
        kata("dev", "new", "rms-norm", "--into", str(folder))
        fill_blanks(folder)
        return folder

    @pytest.fixture(params=["--katas", "KATA_PATH"])
    def with_pack(self, request: pytest.FixtureRequest, kata: Run, pack: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
        if request.param == "--katas":
            return lambda *arguments: kata("--katas", str(pack), *arguments)
        monkeypatch.setenv("KATA_PATH", f"{os.pathsep}{pack}{os.pathsep}")
        return kata

    def test_are_listed_shown_started_hinted_and_solved(self, with_pack: Run, place: Path, pack: Path) -> None:
        assert re.search(r"^rms-norm +easy +10 +– new$", with_pack("list").out, re.MULTILINE)
        assert "rms_norm(x)" in with_pack("show", "rms-norm").out
        assert with_pack("start", "RMS_norm").out == f"{place / 'rms_norm.py'}\n"
        assert "Hint 1 of 3" in with_pack("hint").out
        reference = (pack / "reference" / "rms_norm.py").read_text(encoding="utf-8")
        assert with_pack("solution", "rms-norm", "--give-up").out == reference
        assert re.search(r"^rms-norm .*1/3 \+ solution", with_pack("status").out, re.MULTILINE)

    def test_are_graded(self, with_pack: Run, place: Path, pack: Path) -> None:
        with_pack("start", "rms-norm")
        assert with_pack("grade").code == 1
        (place / "rms_norm.py").write_bytes((pack / "reference" / "rms_norm.py").read_bytes())
        assert with_pack("grade").code == 0
        mistake = pack / "katas" / "rms-norm" / "mistakes" / "mean-for-sum.py"
        (place / "mine.py").write_bytes(mistake.read_bytes())
        document = json.loads(with_pack("grade", "mine.py", "--kata", "rms-norm", "--json").out)
        assert document["verdict"] == "fail"
        assert document["diagnosis"]["id"] == "mean-for-sum"

    def test_start_says_how_the_next_command_finds_the_pack(self, kata: Run, pack: Path) -> None:
        said = kata("--katas", str(pack), "start", "rms-norm").err
        assert f"Give --katas to the next commands too, or set KATA_PATH to {pack}" in said
        assert "KATA_PATH" not in kata("--katas", str(pack), "start", "layernorm").err

    def test_are_unknown_without(self, kata: Run, pack: Path) -> None:
        assert kata("show", "rms-norm").code == 2

    def test_may_be_given_twice_in_several_ways(
        self, kata: Run, pack: Path, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = place / "other"
        kata("dev", "new", "second", "--into", "other")
        monkeypatch.setenv("KATA_PATH", os.pathsep.join([str(pack), str(pack / "katas"), "other"]))
        done = kata("--katas", str(other), "--katas", "other/katas", "list")
        assert done.code == 0
        assert len(re.findall(r"^(rms-norm|second) ", done.out, re.MULTILINE)) == 2

    def test_our_own_folder_is_no_second_pack(self, kata: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KATA_PATH", str(Path(cli.__file__).parents[1]))
        assert kata("list").code == 0

    def test_that_are_not_there_are_a_usage_error(self, kata: Run, place: Path) -> None:
        done = kata("--katas", "nowhere", "list")
        assert (done.code, done.out) == (2, "")
        assert "--katas nowhere: no folder katas/ in it" in done.err

    def test_that_are_gone_from_kata_path_are_left_out_with_a_warning(
        self, kata: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("KATA_PATH", "/nowhere")
        done = kata("list")
        assert done.code == 0
        assert done.err == "warning: KATA_PATH: no folder katas/ in /nowhere; it is left out\n"

    @pytest.mark.parametrize(
        ("fault", "told"),
        [
            (lambda kata: (kata / "kata.toml").write_text("x = "), "katas/rms-norm/kata.toml is no valid TOML"),
            (lambda kata: (kata / "kata.toml").write_text("title = 1"), "katas/rms-norm/kata.toml: "),
            (lambda kata: (kata / "kata.toml").write_bytes(b"\xff"), "cannot read katas/rms-norm/kata.toml"),
            (lambda kata: kata.rename(kata.with_name("layernorm")), "the kata layernorm is there twice"),
            (lambda kata: kata.rename(kata.with_name("No Id")), "katas/No Id: the folder's name is the kata's id"),
        ],
        ids=["no toml", "wrong key", "no text", "taken id", "no id"],
    )
    def test_that_are_broken_are_left_out_of_kata_path_with_one_warning(
        self, kata: Run, pack: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[Path], object], told: str
    ) -> None:
        kata("dev", "new", "second", "--into", "other")
        fault(pack / "katas" / "rms-norm")
        monkeypatch.setenv("KATA_PATH", os.pathsep.join([str(pack), "other"]))
        for arguments in (("list",), ("status",), ("show", "layernorm"), ("start", "layernorm")):
            done = kata(*arguments)
            assert done.code == 0, done.err
            assert done.err.count("warning: ") == 1
            assert f"KATA_PATH: the pack {pack} is left out: {told}" in done.err
        listed = kata("list").out
        assert set(re.findall(r"^(layernorm|second|rms-norm) ", listed, re.MULTILINE)) == {"second", "layernorm"}

    def test_that_are_broken_and_named_are_an_error(self, kata: Run, pack: Path, no_trial: None) -> None:
        (pack / "katas" / "rms-norm" / "kata.toml").write_text("x = ")
        assert kata("--katas", str(pack), "list").code == 4
        for check in (("dev", "check", str(pack)), ("--katas", str(pack), "dev", "check", "rms-norm")):
            assert "Invalid value" in kata(*check).out

    def test_that_are_left_out_are_still_checked_and_mentioned(
        self, kata: Run, pack: Path, no_trial: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (pack / "katas" / "rms-norm" / "kata.toml").write_text("x = ")
        monkeypatch.setenv("KATA_PATH", str(pack))
        for arguments in (("show", "rms-norm"), ("start", "RMS_norm"), ("watch", "rms-norm"), ("hint", "rms-norm")):
            done = kata(*arguments)
            assert done.code == 2
            assert f"rms-norm is a kata of {pack}, which is broken and left out" in done.err
            assert f"Next: kata dev check '{pack}'" in done.err
        assert "there is no kata named 'rms-form'" in kata("show", "rms-form").err
        assert "Invalid value" in kata("dev", "check", "rms-norm").out

    def test_are_kept_in_the_next_step_of_a_check(self, kata: Run, pack: Path, no_trial: None) -> None:
        (pack / "katas" / "rms-norm" / "brief.md").unlink()
        done = kata("--katas", str(pack), "dev", "check", "rms-norm")
        assert done.code == 1
        assert f"Next: mend this, then kata --katas '{pack}' dev check rms-norm\n" in done.err

    def test_that_repeat_an_id_of_ours_are_refused(self, kata: Run, pack: Path) -> None:
        (pack / "katas" / "rms-norm").rename(pack / "katas" / "layernorm")
        done = kata("--katas", str(pack), "list")
        assert done.code == 4
        assert "the kata layernorm is there twice" in done.err

    def test_are_named_by_doctor(self, kata: Run, pack: Path) -> None:
        assert f"katas: 1 in {pack / 'katas'}" in kata("--katas", str(pack), "doctor").out
