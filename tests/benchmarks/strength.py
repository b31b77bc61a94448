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

from corpus import files, read_header  # noqa: E402
from mutation import mutants  # noqa: E402

from grader.catalog import Kata, find_katas, get_kata  # noqa: E402
from grader.examiner import grade  # noqa: E402
from grader.mistakes import read_mistakes  # noqa: E402
from grader.verdict import Status  # noqa: E402

HEAD = "| kata | required properties | mutants killed | right pass | wrong fail | known mistakes | named right | wrong names |"


def row(kata: Kata) -> str:
    """One line of the table."""
    right = [grade(kata, path) for path in files("right", kata.id)]
    wrong = [(read_header(path), grade(kata, path)) for path in files("wrong", kata.id)]
    listed = [(header, verdict) for header, verdict in wrong if header.listed]
    named = sum(header.mistake in ids(verdict) for header, verdict in listed)
    contract = {mistake.reported_id for mistake in read_mistakes(kata)}
    false = sum(bool(ids(v)) for v in right)
    false += sum(bool(ids(v)) and h.mistake not in ids(v) for h, v in listed)
    properties = sum(p.required for p in grade(kata, kata.reference).properties)
    cells = [
        kata.id,
        str(properties),
        count_mutants(kata),
        f"{sum(v.outcome.value == 'pass' for v in right)} of {len(right)}",
        f"{sum(v.outcome.value == h.verdict for h, v in wrong)} of {len(wrong)}",
        str(len(contract)),
        f"{named} of {len(listed)}",
        str(false),
    ]
    return "| " + " | ".join(cells) + " |"


def ids(verdict: object) -> set[str]:
    diagnosis = getattr(verdict, "diagnosis", None)
    return set() if diagnosis is None else {d.id for d in (diagnosis, *diagnosis.also)} - {""}


def count_mutants(kata: Kata) -> str:
    """Killed of all that are not listed as equivalent."""
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
    return f"{killed} of {total}"


def main(names: list[str]) -> None:
    print(HEAD)
    print("|---" * (HEAD.count("|") - 1) + "|")
    for kata in [get_kata(name) for name in names] or find_katas().values():
        print(row(kata), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
