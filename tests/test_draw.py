"""The draw: repeatable by its seed, drawn towards what is weak or long unseen, fitting into its time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from grader.catalog import Kata, find_katas
from grader.errors import UsageError
from grader.interview.draw import draw, in_order, weigh
from grader.journal.progress import Progress

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KATAS = list(find_katas().values())
MASTERED = Progress(started=True, attempts=3, best=13, required=13, first_pass="2026-02-28T10:00:00.000Z")


def days_ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat()


def mastered(days: float = 1, **changes: object) -> Progress:
    return replace(MASTERED, last_grade=days_ago(days), **changes)  # type: ignore[arg-type]


def firsts(progress: dict[str, Progress], katas: Iterable[Kata] = KATAS, draws: int = 600) -> Counter[str]:
    return Counter(in_order(katas, progress, seed, NOW)[0].id for seed in range(draws))


def test_the_same_seed_draws_the_same() -> None:
    assert draw(KATAS, {}, (45, 45), seed=7, now=NOW) == draw(KATAS, {}, (45, 45), seed=7, now=NOW)


def test_seeds_differ() -> None:
    assert len({tuple(draw(KATAS, {}, (30,), seed=seed, now=NOW)) for seed in range(20)}) > 1


def test_the_order_of_the_catalogue_has_no_say() -> None:
    assert in_order(KATAS, {}, 5, NOW) == in_order(reversed(KATAS), {}, 5, NOW)


def test_a_kata_more_leaves_the_order_of_the_others() -> None:
    for seed in range(20):
        some = in_order(KATAS[1:], {}, seed, NOW)
        assert [kata for kata in in_order(KATAS, {}, seed, NOW) if kata is not KATAS[0]] == some


def test_a_failing_kata_comes_first_more_often_than_one_that_was_passed() -> None:
    progress = {kata.id: mastered() for kata in KATAS}
    progress["layernorm"] = Progress(started=True, attempts=2, best=5, required=13, last_grade=days_ago(1))
    counts = firsts(progress)
    assert all(counts["layernorm"] > 2 * counts[kata.id] for kata in KATAS if kata.id != "layernorm")


def test_a_kata_long_unseen_comes_first_more_often_than_one_of_yesterday() -> None:
    progress = {kata.id: mastered(1) for kata in KATAS} | {"causal-mask": mastered(60)}
    counts = firsts(progress)
    assert all(counts["causal-mask"] > 1.5 * counts[kata.id] for kata in KATAS if kata.id != "causal-mask")


def test_what_was_mastered_yesterday_still_comes_now_and_then() -> None:
    counts = firsts({"layernorm": mastered(1)})
    assert 0 < counts["layernorm"] < min(counts[kata.id] for kata in KATAS if kata.id != "layernorm")


def test_help_makes_heavier_and_says_so() -> None:
    alone, helped, shown = (weigh(p, NOW) for p in (mastered(), mastered(hints=3), mastered(hints=1, gave_up=True)))
    assert alone.value < helped.value < shown.value
    assert helped.reason == "passed with 3 of 3 hints"
    assert shown.reason == "passed after the solution was shown"


def test_the_reason_tells_what_the_journal_shows() -> None:
    assert weigh(Progress(), NOW).reason == "never graded"
    failing = Progress(attempts=2, best=9, required=13, last_grade=days_ago(23))
    assert weigh(failing, NOW).reason == "not passed yet, best 9/13, not seen for 23 days"


def test_a_clock_that_was_set_back_makes_no_weight_smaller_than_one() -> None:
    assert weigh(mastered(-400), NOW).value == 1


@pytest.mark.parametrize("minutes", [(30,), (45,), (45, 45), (20,), (90,)])
def test_a_round_leaves_time_to_talk(minutes: tuple[float, ...]) -> None:
    lengths = {kata.id: kata.minutes for kata in KATAS}
    for seed in range(50):
        rounds = draw(KATAS, {}, minutes, seed=seed, now=NOW)
        assert all(sum(lengths[id] for id in ids) <= 0.6 * each for ids, each in zip(rounds, minutes, strict=True))


def test_no_kata_is_asked_twice() -> None:
    for seed in range(50):
        asked = [id for ids in draw(KATAS, {}, (45, 45), seed=seed, now=NOW) for id in ids]
        assert len(asked) == len(set(asked))


def test_a_very_short_round_gets_the_shortest_kata() -> None:
    assert draw(KATAS, {}, (1,), seed=3, now=NOW) == [(min(KATAS, key=lambda kata: kata.minutes).id,)]


def test_a_difficulty_is_kept() -> None:
    easy = {kata.id for kata in KATAS if kata.difficulty == "easy"}
    for seed in range(20):
        assert set(draw(KATAS, {}, (45,), seed=seed, now=NOW, difficulty="easy")[0]) <= easy


def test_too_few_katas_of_a_difficulty_are_a_usage_error_that_says_how_many_there_are() -> None:
    with pytest.raises(UsageError, match="2 rounds need as many hard katas, and there is only 1 kata"):
        draw(KATAS, {}, (45, 45), seed=0, now=NOW, difficulty="hard")
