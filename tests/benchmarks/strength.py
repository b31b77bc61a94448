"""How strong the tests are: `python tests/benchmarks/strength.py [KATA...]` prints one Markdown row a kata.

Mutants are all single-operator mutants of the reference; a mutant is killed where the full set of properties notices it.
Submissions are those of tests/submissions, graded in full. Takes about 10 minutes for all katas; asserts nothing.
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from corpus import Submission, files, read_header  # noqa: E402
from mutation import mutants  # noqa: E402

from grader.catalog import Kata, find_katas, get_kata  # noqa: E402
from grader.diagnosis.mistakes import read_mistakes  # noqa: E402
from grader.examiner import grade  # noqa: E402
from grader.verdict import Status, Verdict  # noqa: E402

HEAD = (
    "| kata | required properties | mutants killed | equivalent mutants | right pass | wrong fail | known mistakes "
    "| named right | wrong names |"
)


def row(kata: Kata) -> str:
    """One line of the table."""
    right = [grade(kata, path) for path in files("right", kata.id)]
    wrong = [(read_header(path), grade(kata, path)) for path in files("wrong", kata.id)]
    known = [(expected_ids(header), ids(verdict)) for header, verdict in wrong]
    listed = [(expected, found) for expected, found in known if expected]
    false = sum(bool(ids(v)) for v in right) + sum(bool(found) and not expected <= found for expected, found in known)
    false += sum(bool(found) for expected, found in known if not expected)
    properties = sum(p.required for p in grade(kata, kata.reference).properties)
    cells = [
        kata.id,
        str(properties),
        *count_mutants(kata),
        f"{sum(v.outcome.value == 'pass' for v in right)} of {len(right)}",
        f"{sum(v.outcome.value == h.verdict for h, v in wrong)} of {len(wrong)}",
        str(len({mistake.reported_id for mistake in read_mistakes(kata)})),
        f"{sum(expected <= found for expected, found in listed)} of {len(listed)}",
        str(false),
    ]
    return "| " + " | ".join(cells) + " |"


def ids(verdict: Verdict) -> set[str]:
    """The mistakes that a verdict names."""
    diagnosis = verdict.diagnosis
    return set() if diagnosis is None else {d.id for d in (diagnosis, *diagnosis.also)} - {""}


def expected_ids(header: Submission) -> set[str]:
    """The one or two known mistakes in a submission; none where it holds another."""
    return (
        set()
        if header.mistake in ("", "unlisted")
        else {m.strip() for m in header.mistake.removeprefix("two:").split("+")}
    )


def count_mutants(kata: Kata) -> tuple[str, str]:
    """Killed of all that are not listed as equivalent, and how many are listed."""
    equivalent = tomllib.loads((TESTS / "equivalent_mutants.toml").read_text(encoding="utf-8")).get(kata.id, {})
    killed = total = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mutant.py")
        for mutant in mutants(kata.reference.read_text(encoding="utf-8")):
            if mutant.name in equivalent:
                continue
            path.write_text(mutant.source, encoding="utf-8")
            verdict = grade(kata, path, explain=False, until_failure=True)
            killed += any(p.status is not Status.PASSED for p in verdict.properties) or not verdict.properties
            total += 1
    return f"{killed} of {total}", str(len(equivalent))


def main(names: list[str]) -> None:
    print(HEAD)
    print("|---" * (HEAD.count("|") - 1) + "|")
    for kata in [get_kata(name) for name in names] or find_katas().values():
        print(row(kata), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
