"""The pytest plugin that gives properties their `candidate` and `oracle`.

Two users: the examiner, which passes an open examination and runs pytest with a closed configuration; and an author, who runs
`pytest katas/layernorm/properties.py --submission my.py`. Loaded in every pytest session of an environment that has
torch-kata installed, so it must import nothing heavy at the top.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from grader.candidate import Candidate
    from grader.examiner import Examination
    from grader.oracle import Oracle

EXAMINATION: pytest.StashKey[Examination] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("torch-kata")
    group.addoption("--submission", metavar="FILE", help="grade FILE with a kata's properties.py")
    group.addoption("--kata-seed", metavar="N", type=int, default=None, help="seed of the properties' inputs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give every property its fixed seed."""
    for item in items:
        function: Any = getattr(item, "obj", None)
        if hasattr(function, "law") and hasattr(function, "hypothesis"):
            import hypothesis

            examination = config.stash.get(EXAMINATION, None)
            base = examination.seed if examination else config.getoption("--kata-seed") or 0
            hypothesis.seed(zlib.crc32(f"{base}:{item.name}".encode()))(function)


@pytest.fixture(scope="module")
def kata_examination(request: pytest.FixtureRequest) -> Iterator[Examination]:
    """The open examination: the examiner's, or one of the file given with --submission."""
    given = request.config.stash.get(EXAMINATION, None)
    if given is not None:
        yield given
        return
    submission = request.config.getoption("--submission")
    if submission is None:
        pytest.skip("properties examine a file: pass --submission FILE")
    from grader.catalog import content_root, get_kata
    from grader.examiner import Examination

    root = request.path.parent.parent.parent
    kata = get_kata(request.path.parent.name, extra=[] if root == content_root() else [root])
    seed = request.config.getoption("--kata-seed")
    with Examination.open(kata, Path(submission), seed=seed) as examination:
        yield examination


@pytest.fixture(scope="module")
def candidate(kata_examination: Examination) -> Candidate:
    """The submission; calling it with a case runs the case in the worker."""
    return kata_examination.candidate


@pytest.fixture(scope="module")
def oracle(kata_examination: Examination) -> Oracle:
    """The reference in float64."""
    return kata_examination.oracle
