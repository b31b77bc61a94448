"""The candidate's files are never overwritten, and the file to grade is found without guessing."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from grader import workspace
from grader.catalog import Kata, find_katas
from grader.errors import UnusableSubmission, UsageError

NOW = datetime(2026, 1, 2, 3, 4, 5)
KATAS = find_katas()
LAYERNORM, MASK = KATAS["layernorm"], KATAS["causal-mask"]


def find(
    argument: str | None, folder: Path, kata: Kata | None = None, started: list[tuple[str, Path]] | None = None
) -> tuple[str, Path, str]:
    target = workspace.find_submission(argument, kata, folder, KATAS, started or [])
    return target.kata.id, target.path, target.shown


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestStart:
    def test_writes_the_stub_under_the_katas_name(self, tmp_path: Path) -> None:
        path, written = workspace.start(MASK, tmp_path)
        assert (path, written) == (tmp_path / "causal_mask.py", True)
        assert path.read_text(encoding="utf-8") == MASK.stub
        assert names(tmp_path) == ["causal_mask.py"]

    def test_never_overwrites(self, tmp_path: Path) -> None:
        (tmp_path / "layernorm.py").write_text("mine", encoding="utf-8")
        assert workspace.start(LAYERNORM, tmp_path) == (tmp_path / "layernorm.py", False)
        assert (tmp_path / "layernorm.py").read_text(encoding="utf-8") == "mine"

    @pytest.mark.parametrize("what", ["folder", "dangling link"])
    def test_leaves_whatever_has_the_name(self, tmp_path: Path, what: str) -> None:
        target = tmp_path / "layernorm.py"
        target.mkdir() if what == "folder" else target.symlink_to(tmp_path / "nowhere")
        assert not workspace.start(LAYERNORM, tmp_path)[1]
        assert names(tmp_path) == ["layernorm.py"]

    def test_loses_a_race_gracefully(self, tmp_path: Path) -> None:
        fresh = tmp_path / "fresh"
        fresh.write_text("ours", encoding="utf-8")
        (tmp_path / "layernorm.py").write_text("theirs", encoding="utf-8")
        assert not workspace._take_free_name(fresh, tmp_path / "layernorm.py")
        assert (tmp_path / "layernorm.py").read_text(encoding="utf-8") == "theirs"

    def test_works_without_hard_links(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "link", refuse)
        path, written = workspace.start(LAYERNORM, tmp_path)
        assert written
        assert path.read_text(encoding="utf-8") == LAYERNORM.stub
        assert not workspace.start(LAYERNORM, tmp_path)[1]

    def test_obeys_the_umask(self, tmp_path: Path) -> None:
        path, _ = workspace.start(LAYERNORM, tmp_path)
        mask = os.umask(0)
        os.umask(mask)
        assert path.stat().st_mode & 0o777 == 0o666 & ~mask

    def test_says_where_it_cannot_write(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"cannot write layernorm\.py"):
            workspace.start(LAYERNORM, tmp_path / "nowhere")


class TestReset:
    def test_backs_up_and_writes_a_fresh_stub(self, tmp_path: Path) -> None:
        (tmp_path / "layernorm.py").write_text("mine", encoding="utf-8")
        path, backup = workspace.reset(LAYERNORM, tmp_path, NOW)
        assert path.read_text(encoding="utf-8") == LAYERNORM.stub
        assert backup == tmp_path / "layernorm.py.20260102-030405.bak"
        assert backup.read_text(encoding="utf-8") == "mine"
        assert names(tmp_path) == ["layernorm.py", backup.name]

    def test_two_resets_in_one_second_keep_both_files(self, tmp_path: Path) -> None:
        (tmp_path / "layernorm.py").write_text("first", encoding="utf-8")
        workspace.reset(LAYERNORM, tmp_path, NOW)
        (tmp_path / "layernorm.py").write_text("second", encoding="utf-8")
        _, backup = workspace.reset(LAYERNORM, tmp_path, NOW)
        texts = {path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
        assert texts == {"first", "second", LAYERNORM.stub}
        assert backup is not None
        assert backup.read_text(encoding="utf-8") == "second"

    def test_without_a_file_it_only_writes(self, tmp_path: Path) -> None:
        path, backup = workspace.reset(LAYERNORM, tmp_path, NOW)
        assert backup is None
        assert path.read_text(encoding="utf-8") == LAYERNORM.stub

    def test_a_folder_in_the_way_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "layernorm.py").mkdir()
        with pytest.raises(UsageError, match="is a folder"):
            workspace.reset(LAYERNORM, tmp_path, NOW)

    def test_a_link_is_replaced_and_its_target_kept(self, tmp_path: Path) -> None:
        (tmp_path / "real").write_text("mine", encoding="utf-8")
        (tmp_path / "layernorm.py").symlink_to("real")
        _, backup = workspace.reset(LAYERNORM, tmp_path, NOW)
        assert (tmp_path / "real").read_text(encoding="utf-8") == "mine"
        assert backup is not None
        assert backup.read_text(encoding="utf-8") == "mine"

    def test_a_kill_before_the_last_step_loses_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "layernorm.py").write_text("mine", encoding="utf-8")
        script = (
            "import os, pathlib, datetime; from grader import workspace, catalog\n"
            "os.replace = lambda *_: os._exit(9)\n"
            "workspace.reset(catalog.get_kata('layernorm'), pathlib.Path.cwd(), datetime.datetime(2026, 1, 2))\n"
        )
        root = Path(workspace.__file__).parents[1]
        done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(root)})
        assert done.returncode == 9
        assert (tmp_path / "layernorm.py").read_text(encoding="utf-8") == "mine"
        assert (tmp_path / "layernorm.py.20260102-000000.bak").read_text(encoding="utf-8") == "mine"


class TestFind:
    def test_nothing_means_the_kata_last_started_here(self, tmp_path: Path) -> None:
        for name in ("layernorm.py", "causal_mask.py"):
            (tmp_path / name).touch()
        started = [("causal-mask", tmp_path / "causal_mask.py"), ("layernorm", tmp_path / "layernorm.py")]
        assert find(None, tmp_path, started=started)[0] == "causal-mask"
        assert find(None, tmp_path, started=started[::-1])[0] == "layernorm"

    def test_a_started_file_that_is_gone_does_not_count(self, tmp_path: Path) -> None:
        (tmp_path / "layernorm.py").touch()
        started = [("causal-mask", tmp_path / "causal_mask.py"), ("layernorm", tmp_path / "layernorm.py")]
        assert find(None, tmp_path, started=started) == ("layernorm", tmp_path / "layernorm.py", "layernorm.py")

    def test_a_file_started_elsewhere_does_not_count(self, tmp_path: Path) -> None:
        (tmp_path / "there").mkdir()
        (tmp_path / "there" / "layernorm.py").touch()
        with pytest.raises(UsageError, match="no kata was started in this folder") as caught:
            find(None, tmp_path, started=[("layernorm", tmp_path / "there" / "layernorm.py")])
        assert "kata start" in caught.value.next_step

    def test_without_a_journal_a_lone_file_with_a_katas_name_is_found(self, tmp_path: Path) -> None:
        (tmp_path / "causal_mask.py").touch()
        (tmp_path / "notes.py").touch()
        assert find(None, tmp_path)[0] == "causal-mask"

    def test_two_such_files_are_ambiguous(self, tmp_path: Path) -> None:
        (tmp_path / "causal_mask.py").touch()
        (tmp_path / "layernorm.py").touch()
        with pytest.raises(
            UsageError, match=r"several katas are in this folder: causal_mask\.py, layernorm\.py"
        ) as caught:
            find(None, tmp_path)
        assert caught.value.next_step == "kata grade causal-mask"

    @pytest.mark.parametrize("argument", ["causal-mask", "causal_mask", "Causal-Mask"])
    def test_a_kata_means_its_file_here(self, tmp_path: Path, argument: str) -> None:
        assert find(argument, tmp_path) == ("causal-mask", tmp_path / "causal_mask.py", "causal_mask.py")

    @pytest.mark.parametrize("argument", ["causal_mask.py", "./causal-mask.py", "sub/Causal_Mask.py"])
    def test_a_path_tells_its_kata_by_its_name(self, tmp_path: Path, argument: str) -> None:
        assert find(argument, tmp_path) == ("causal-mask", tmp_path / argument, argument)

    @pytest.mark.parametrize(
        "argument", ["my answer.py", "注意力.py", "-x.py", "layernorm", "no suffix", "causal_mask.py"]
    )
    def test_with_a_kata_named_the_argument_is_a_path(self, tmp_path: Path, argument: str) -> None:
        assert find(argument, tmp_path, LAYERNORM) == ("layernorm", tmp_path / argument, argument)

    def test_a_kata_named_alone_means_its_file_here(self, tmp_path: Path) -> None:
        assert find(None, tmp_path, LAYERNORM) == ("layernorm", tmp_path / "layernorm.py", "layernorm.py")

    def test_an_absolute_path_is_taken_as_it_is(self, tmp_path: Path) -> None:
        path = tmp_path / "layernorm.py"
        assert find(str(path), Path("/")) == ("layernorm", path, str(path))

    def test_a_started_file_is_known_by_any_way_to_it(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").touch()
        (tmp_path / "link.py").symlink_to("mine.py")
        started = [("layernorm", tmp_path / "mine.py")]
        assert find("mine.py", tmp_path, started=started)[0] == "layernorm"
        assert find("link.py", tmp_path, started=started)[0] == "layernorm"

    def test_a_name_near_a_katas_is_not_taken_for_it(self, tmp_path: Path) -> None:
        (tmp_path / "layernorm-2.py").touch()
        with pytest.raises(UsageError, match="which kata") as caught:
            find("layernorm-2.py", tmp_path)
        assert caught.value.next_step.startswith("kata grade layernorm-2.py --kata KATA")

    def test_an_unknown_kata_suggests_the_nearest(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="did you mean layernorm"):
            find("layernrom", tmp_path)

    @pytest.mark.parametrize("argument", ["gone.py", "sub/gone", "x" * 300 + ".py", "a folder.py"])
    def test_what_is_no_file_is_unusable_whatever_the_kata(self, tmp_path: Path, argument: str) -> None:
        (tmp_path / "a folder.py").mkdir()
        with pytest.raises(UnusableSubmission):
            find(argument, tmp_path)

    def test_a_file_that_defines_the_entry_symbols_gets_the_command_that_grades_it(self, tmp_path: Path) -> None:
        (tmp_path / "right.py").write_text("import torch\n\nclass LayerNorm(torch.nn.Module):\n    pass\n")
        with pytest.raises(UsageError) as caught:
            find("right.py", tmp_path)
        assert caught.value.next_step == "kata grade right.py --kata layernorm"

    def test_a_file_of_a_pack_that_is_not_here_is_told_as_such(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").touch()
        for argument in (None, "mine.py"):
            with pytest.raises(UsageError, match="is for my-kata, a kata of a pack that is not known here"):
                find(argument, tmp_path, started=[("my-kata", tmp_path / "mine.py")])

    def test_a_missing_file_of_a_known_kata_is_the_graders_to_refuse(self, tmp_path: Path) -> None:
        assert find("layernorm", tmp_path)[1] == tmp_path / "layernorm.py"


@pytest.mark.parametrize(
    ("argument", "quoted"), [("a.py", "a.py"), ("a b.py", "'a b.py'"), ("-x.py", "./-x.py"), ("a'b", "'a'\"'\"'b'")]
)
def test_a_file_name_is_quoted_for_the_shell(argument: str, quoted: str) -> None:
    assert workspace.quote(argument) == quoted
