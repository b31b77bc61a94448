"""Katas are found by their kata.toml; a broken one is named by file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import catalog
from grader.errors import GraderError, UsageError

SIX = ["head-split-merge", "causal-mask", "layernorm", "scaled-dot-product", "linear-attention", "multi-head-attention"]

GOOD = """
title = "A title"
summary = "A summary"
difficulty = "easy"
minutes = 5
tags = ["one"]

[[entry]]
name = "f"
kind = "function"
signature = "f(x)"

[forbidden]
operator_label = "torch.f"
operators = ["torch.f", "aten::f"]
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A folder of katas from elsewhere, with one kata in it."""
    folder = tmp_path / "katas" / "my-kata"
    folder.mkdir(parents=True)
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "my_kata.py").write_text("def f(x): ...\n", encoding="utf-8")
    (folder / "kata.toml").write_text(GOOD, encoding="utf-8")
    (folder / "hints.md").write_text("# Hints\n\n## 1. A\n\na\n\n## 2. B\n\nb\n\n## 3. C\n\nc\n", encoding="utf-8")
    (folder / "brief.md").write_text("# Brief\n", encoding="utf-8")
    return tmp_path


def test_the_six_katas_come_in_teaching_order() -> None:
    assert list(catalog.find_katas()) == SIX


def test_every_kata_has_what_the_commands_read() -> None:
    for kata in catalog.find_katas().values():
        assert kata.brief.strip()
        assert kata.brief_in("zh").strip()
        assert len(kata.hints) == catalog.HINTS
        assert kata.solution.strip()
        compile(kata.stub, kata.file_name, "exec")
        for entry in kata.entries:
            assert entry.name in kata.stub


@pytest.mark.parametrize(
    "name", ["scaled-dot-product", "scaled_dot_product", "Scaled-Dot_Product", " scaled-dot-product "]
)
def test_hyphen_underscore_and_capitals_do_not_matter(name: str) -> None:
    assert catalog.get_kata(name).id == "scaled-dot-product"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("layernrom", "layernorm"), ("mask", "causal-mask"), ("multihead-attention", "multi-head-attention")],
)
def test_an_unknown_id_suggests_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UsageError) as caught:
        catalog.get_kata(name)
    assert f"did you mean {nearest}?" in caught.value.message
    assert caught.value.next_step == "kata list"


def test_an_id_like_no_other_gets_no_suggestion() -> None:
    with pytest.raises(UsageError) as caught:
        catalog.get_kata("zzzz")
    assert "did you mean" not in caught.value.message


def test_a_pack_of_katas_is_found_beside_our_own(pack: Path) -> None:
    kata = catalog.find_katas([pack])["my-kata"]
    assert kata.title == "A title"
    assert kata.entries == (catalog.Entry("f", "function", "f(x)"),)
    assert kata.forbidden == ("torch.f", "aten::f")
    assert kata.file_name == "my_kata.py"
    assert kata.solution == "def f(x): ...\n"
    assert kata.hints == (("A", "a"), ("B", "b"), ("C", "c"))


def test_a_kata_that_is_there_twice_is_an_error(pack: Path) -> None:
    with pytest.raises(GraderError, match=r"my-kata is there twice"):
        catalog.find_katas([pack, pack])


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "A title"', "", "title: missing"),
        ('title = "A title"', "title = 3", "title: str wanted, int found"),
        ("minutes = 5", "minutes = true", "minutes: int wanted, bool found"),
        ("minutes = 5", "minutes = 0", "minutes: at least 1 wanted"),
        ('difficulty = "easy"', 'difficulty = "trivial"', "difficulty: one of easy, medium, hard wanted"),
        ('tags = ["one"]', "tags = [1]", "tags: a list of strings wanted"),
        ('tags = ["one"]', 'tags = ["one"]\ncolour = "red"', "colour: unknown key"),
        ('kind = "function"', 'kind = "class"', "entry 1.kind: one of function, module wanted"),
        ('kind = "function"', 'kind = "function"\nargs = 1', "entry 1.args: unknown key"),
        ('operators = ["torch.f", "aten::f"]', "", "forbidden.operators: missing"),
        ("[forbidden]", "[verboten]", "forbidden: missing"),
        ("minutes = 5", "minutes = = 5", "no valid TOML"),
    ],
)
def test_a_broken_kata_toml_is_named_by_file_and_key(pack: Path, old: str, new: str, complaint: str) -> None:
    file = pack / "katas" / "my-kata" / "kata.toml"
    file.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(GraderError) as caught:
        catalog.find_katas([pack])
    assert str(file) in caught.value.message
    assert complaint in caught.value.message


TIMING = """
[timing]
limit = 2
size = 128
sizes = [64, 128]
"""


def test_a_kata_may_say_what_is_timed(pack: Path) -> None:
    assert catalog.find_katas([pack])["my-kata"].bench is None
    (pack / "katas" / "my-kata" / "kata.toml").write_text(GOOD + TIMING, encoding="utf-8")
    assert catalog.find_katas([pack])["my-kata"].bench == catalog.Bench(2.0, 128, (64, 128))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("limit = 2", "limit = 1.49", "timing.limit: at least 1.5 wanted, 1.49 found"),
        ("limit = 2", "limit = nan", "timing.limit: at least 1.5 wanted, nan found"),
        ("limit = 2", 'limit = "2"', "timing.limit: float wanted, str found"),
        ("size = 128", "size = 0", "timing.size: at least 1 wanted, 0 found"),
        ("[64, 128]", "[64]", "timing.sizes: at least two whole numbers wanted"),
        ("[64, 128]", "[128, 64]", "timing.sizes: at least two whole numbers wanted, from small to large"),
        ("limit = 2", "limit = 2\nseed = 1", "timing.seed: unknown key"),
    ],
)
def test_a_broken_timing_table_is_named_by_file_and_key(pack: Path, old: str, new: str, complaint: str) -> None:
    file = pack / "katas" / "my-kata" / "kata.toml"
    file.write_text(GOOD + TIMING.replace(old, new), encoding="utf-8")
    with pytest.raises(GraderError) as caught:
        catalog.find_katas([pack])
    assert str(file) in caught.value.message
    assert complaint in caught.value.message


def test_a_folder_with_a_name_that_is_no_id_is_an_error(pack: Path) -> None:
    (pack / "katas" / "my-kata").rename(pack / "katas" / "My Kata")
    with pytest.raises(GraderError, match="lower case"):
        catalog.find_katas([pack])


def test_a_folder_without_kata_toml_is_no_kata(pack: Path) -> None:
    (pack / "katas" / "notes").mkdir()
    assert "notes" not in catalog.find_katas([pack])


def test_a_ladder_that_lacks_a_rung_is_an_error(pack: Path) -> None:
    file = pack / "katas" / "my-kata" / "hints.md"
    file.write_text("## 1. A\n\na\n", encoding="utf-8")
    with pytest.raises(GraderError, match="3 rungs"):
        _ = catalog.find_katas([pack])["my-kata"].hints


def test_a_brief_that_is_not_translated_is_a_usage_error(pack: Path) -> None:
    kata = catalog.find_katas([pack])["my-kata"]
    assert kata.brief == "# Brief\n"
    with pytest.raises(UsageError, match="no brief in the language zh"):
        kata.brief_in("zh")


def test_a_pack_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="no katas in"):
        catalog.find_katas([tmp_path / "nowhere"])
