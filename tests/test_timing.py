"""Decisions from rounds, on simulated readings: no process, no clock, no luck (every generator is seeded)."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.timing.decision import (
    LEAD,
    QUICK_ENOUGH,
    TOO_SLOW,
    UNDECIDED,
    Vote,
    conclude,
    control_agrees,
    control_is_slow,
    control_is_sound,
    majority,
    needs_more_pairs,
    repeats,
    spread,
    turns,
    unevenness,
    unevenness_is_open,
)
from grader.timing.stopwatch import Lap, StaleFilter
from grader.verdict import Round

CALL = 0.5e-3  # seconds
BUDGET = 80  # rounds in two seconds


class Machine:
    """Readings of a clock as they were recorded: never too short, often too long.

    A neighbour that computes slows everything for a while (`slower`), and a reading has a tail of its own.
    """

    def __init__(self, seed: int, *, slower: float = 1.0, busy: float = 0.0, tail: float = 0.1) -> None:
        self.rng = random.Random(seed)
        self.slower, self.busy, self.tail = slower, busy, tail
        self.factor, self.left = 1.0, 0

    def read(self, seconds: float) -> float:
        if self.left == 0:  # bursts and pauses of 3 to 20 requests
            self.factor = self.slower if self.rng.random() < self.busy else 1.0
            self.left = self.rng.randint(3, 20)
        self.left -= 1
        return seconds * self.factor * (1.003 + self.rng.expovariate(1 / self.tail) * self.rng.random())

    def round(self, ratio: float) -> Round:
        sides: dict[str, list[float]] = {"A": [], "B": []}
        for turn in turns(2, self.rng):
            sides[turn].append(self.read(CALL * (ratio if turn == "A" else 1.0)))
        return Round(min(sides["A"]), min(sides["B"]))


def decide(machine: Machine, ratio: float, limit: float) -> Vote:
    vote = Vote(limit)
    while not vote.decided and len(vote.rounds) < BUDGET:
        vote.add(machine.round(ratio))
    return vote


QUIET = {"tail": 0.02}
BURSTS = {"slower": 1.7, "busy": 0.5, "tail": 0.1}
BUSY = {"slower": 1.7, "busy": 1.0, "tail": 0.3}


@pytest.mark.parametrize("noise", [QUIET, BURSTS, BUSY], ids=["quiet", "bursts", "busy"])
class TestADecision:
    def test_the_same_code_is_not_slower_than_1_1(self, noise: dict[str, float]) -> None:
        decisions = [decide(Machine(seed, **noise), 1.0, 1.1).decision for seed in range(500)]
        assert decisions.count(TOO_SLOW) < 5

    @pytest.mark.parametrize(("true", "limit"), [(1.2, 1.1), (1.5, 1.25), (2.0, 1.5)])
    def test_a_true_slowdown_is_found(self, noise: dict[str, float], true: float, limit: float) -> None:
        decisions = [decide(Machine(seed, **noise), true, limit).decision for seed in range(500)]
        assert decisions.count(TOO_SLOW) >= 495

    def test_code_far_below_the_limit_is_let_pass(self, noise: dict[str, float]) -> None:
        votes = [decide(Machine(seed, **noise), 1.0, 2.0) for seed in range(500)]
        assert all(vote.decision == QUICK_ENOUGH for vote in votes)
        assert statistics.median(len(vote.rounds) for vote in votes) == 4


class TestAVote:
    @given(st.floats(1.01, 1.49))
    def test_needs_a_lead_of_seven_near_the_limit(self, excess: float) -> None:
        vote = Vote(2.0)
        for number in range(1, LEAD + 1):
            vote.add(Round(2.0 * excess, 1.0))
            assert vote.decided == (number == LEAD)
        assert vote.decision == TOO_SLOW

    def test_a_round_for_one_side_takes_back_a_round_for_the_other(self) -> None:
        vote = Vote(2.0)
        for _ in range(100):
            vote.add(Round(2.1, 1.0))
            vote.add(Round(1.9, 1.0))
        assert not vote.decided
        assert vote.decision == UNDECIDED

    def test_a_single_wild_round_decides_nothing(self) -> None:
        vote = Vote(2.0)
        vote.add(Round(1000.0, 1.0))
        assert not vote.decided

    def test_hopeless_code_is_told_in_two_rounds(self) -> None:
        vote = Vote(2.0)
        for _ in range(2):
            vote.add(Round(1000.0, 1.0))
        assert vote.decision == TOO_SLOW

    @given(st.lists(st.floats(0.01, 100), min_size=1, max_size=60), st.floats(1.5, 3))
    def test_does_not_depend_on_the_unit_of_time(self, ratios: list[float], limit: float) -> None:
        votes = Vote(limit), Vote(limit)
        for ratio in ratios:
            votes[0].add(Round(ratio, 1.0))
            votes[1].add(Round(ratio / 1024, 1 / 1024))
        assert votes[0].decision == votes[1].decision


class TestTurns:
    @given(st.integers(0, 1000), st.integers(1, 4))
    def test_both_sides_get_as_many_and_neither_is_always_first(self, seed: int, groups: int) -> None:
        order = turns(groups, random.Random(seed))
        assert order.count("A") == order.count("B") == 2 * groups

    def test_may_come_in_any_order_so_that_none_tells_where_a_round_begins(self) -> None:
        rng = random.Random(1)
        assert len({turns(1, rng) for _ in range(200)}) == 6  # all of AABB's

    def test_either_side_begins_about_half_of_the_rounds(self) -> None:
        rng = random.Random(1)
        first = [turns(1, rng)[0] for _ in range(1000)]
        assert 400 < first.count("A") < 600

    @given(st.integers(0, 1000))
    def test_others_come_together(self, seed: int) -> None:
        order = turns(1, random.Random(seed), "CCD")
        assert sorted(order) == sorted("AABBCCD")
        assert len(order.strip("AB")) == 3

    def test_who_is_alone_takes_both_turns(self) -> None:
        order = turns(2, random.Random(1), "CC", pair="AA")
        assert sorted(order) == sorted("AAAAAAAACC")

    def test_others_come_anywhere(self) -> None:
        rng = random.Random(1)
        assert {turns(1, rng, "C").index("C") for _ in range(100)} == {0, 1, 2, 3, 4}


class TestTheControl:
    def test_as_quick_as_the_trusted_copy_may_decide(self) -> None:
        assert control_is_sound(1.1, candidate=1.0, alone=1.05)

    def test_quicker_than_the_trusted_copy_is_no_advantage(self) -> None:
        assert control_is_sound(0.5, candidate=1.0, alone=1.0)

    def test_slowed_down_may_not_decide(self) -> None:
        assert not control_is_sound(1.4, candidate=1.0, alone=1.0)

    def test_used_by_the_submission_may_not_decide(self) -> None:
        assert not control_is_sound(1.0, candidate=1.0, alone=3.0)

    def test_slowed_down_in_many_rounds_may_not_decide(self) -> None:
        assert control_is_sound(1.0, candidate=1.0, alone=1.0, dropped=0.2)
        assert not control_is_sound(1.0, candidate=1.0, alone=1.0, dropped=1 / 3)

    def test_slow_in_a_round_is_beyond_what_two_processes_differ_by(self) -> None:
        assert control_is_slow(1.4, trusted=1.0)
        assert not control_is_slow(1.2, trusted=1.0)
        assert not control_is_slow(0.2, trusted=1.0)

    @pytest.mark.parametrize("decision", [QUICK_ENOUGH, UNDECIDED])
    def test_lets_no_code_pass_that_is_slow_beside_the_trusted_copy(self, decision: str) -> None:
        assert control_agrees(decision, candidate=6.4, limit=5.0)
        assert not control_agrees(decision, candidate=6.6, limit=5.0)

    def test_condemns_no_code_that_is_quick_beside_the_trusted_copy(self) -> None:
        assert control_agrees(TOO_SLOW, candidate=4.0, limit=5.0)
        assert not control_agrees(TOO_SLOW, candidate=3.5, limit=5.0)


class TestAConclusion:
    """What was found to pass: code 20 times as slow at a limit of 5, the control being slow in some rounds."""

    @pytest.mark.parametrize("decision", [QUICK_ENOUGH, UNDECIDED, TOO_SLOW])
    def test_is_too_slow_where_the_median_is_far_beyond_the_limit(self, decision: str) -> None:
        assert conclude(decision, [7.5], 5.0) == TOO_SLOW

    def test_is_never_quick_enough_where_the_median_is_beyond_the_limit(self) -> None:
        assert conclude(QUICK_ENOUGH, [5.1], 5.0) == UNDECIDED

    def test_is_never_too_slow_where_the_median_is_not(self) -> None:
        assert conclude(TOO_SLOW, [4.9], 5.0) == UNDECIDED

    @pytest.mark.parametrize("ratios", [[4.0], [5.1], [4.9, 7.4, 7.4]])
    def test_stays_open_where_the_votes_do_and_the_rounds_are_no_clear_answer(self, ratios: list[float]) -> None:
        assert conclude(UNDECIDED, ratios, 5.0) == UNDECIDED

    def test_is_too_slow_where_all_of_few_rounds_say_so(self) -> None:
        """What was found to pass: code that sleeps between timed calls until the time for the decision is used up."""
        assert conclude(UNDECIDED, [5.3, 6.0], 5.0) == TOO_SLOW

    @pytest.mark.parametrize(("uneven", "decision"), [(4.0, QUICK_ENOUGH), (6.0, TOO_SLOW)])
    def test_goes_by_the_average_where_some_calls_take_far_longer(self, uneven: float, decision: str) -> None:
        assert conclude(QUICK_ENOUGH, [1.2, 1.1, 1.1], 5.0, uneven=uneven) == decision

    @given(st.lists(st.floats(0.01, 100), min_size=1, max_size=60), st.floats(1.5, 6))
    def test_lets_no_mixture_of_rounds_pass_with_a_median_far_beyond(self, ratios: list[float], limit: float) -> None:
        vote = Vote(limit)
        for ratio in ratios:
            vote.add(Round(ratio, 1.0))
        middle = spread(vote.rounds)[0]
        if middle >= 1.5 * limit:
            assert conclude(vote.decision, ratios, limit) == TOO_SLOW
        if conclude(vote.decision, ratios, limit) == QUICK_ENOUGH:
            assert middle <= limit


class TestUnevenness:
    """What was found to pass as quick: 20 ms of work in every twentieth call."""

    def test_is_told_where_heavy_calls_come_again_and_again(self) -> None:
        assert unevenness([1.0, 1.0, 1.0, 20.0] * 6, [1.0] * 24) == pytest.approx(5.75)

    @pytest.mark.parametrize(
        ("mine", "others"),
        [
            ([1.0, 1.4, 0.9, 2.8] * 6, [1.0] * 24),  # noise
            ([1.0] * 23 + [40.0], [1.0] * 24),  # a single one
            ([1.0, 1.0, 1.0, 20.0] * 6, [1.0, 1.0, 1.0, 1.0, 30.0] * 5),  # the machine's doing
        ],
    )
    def test_is_none_where_they_are_rare_or_the_other_side_has_them_too(
        self, mine: list[float], others: list[float]
    ) -> None:
        assert unevenness(mine, others) == 1.0

    @pytest.mark.parametrize(
        ("mine", "others", "wanted"),
        [
            ([1.0] * 20, [1.0] * 20, False),
            ([1.0] * 19 + [20.0], [1.0] * 20, True),
            ([1.0] * 19 + [20.0], [1.0] * 19 + [20.0], False),  # a neighbour's doing
            ([1.0] * 17 + [20.0] * 3, [1.0] * 20, False),  # known
            ([1.0] * 59 + [20.0], [1.0] * 60, False),  # rare
        ],
    )
    def test_one_long_request_is_waited_for_to_come_again(
        self, mine: list[float], others: list[float], wanted: bool
    ) -> None:
        assert unevenness_is_open(mine, others) is wanted


class TestAcrossWorkers:
    @pytest.mark.parametrize("ratio", [1.51, 2.0, 2.49])
    def test_a_ratio_near_the_limit_needs_more_pairs(self, ratio: float) -> None:
        assert needs_more_pairs(ratio, 2.0)

    @pytest.mark.parametrize("ratio", [0.9, 1.49, 2.51, 10.0])
    def test_a_clear_ratio_does_not(self, ratio: float) -> None:
        assert not needs_more_pairs(ratio, 2.0)

    @pytest.mark.parametrize(
        ("decisions", "result"),
        [
            ([TOO_SLOW], TOO_SLOW),
            ([QUICK_ENOUGH], QUICK_ENOUGH),
            ([UNDECIDED], UNDECIDED),
            ([TOO_SLOW, QUICK_ENOUGH, TOO_SLOW], TOO_SLOW),
            ([TOO_SLOW, QUICK_ENOUGH, QUICK_ENOUGH], QUICK_ENOUGH),
            ([TOO_SLOW, UNDECIDED, QUICK_ENOUGH], UNDECIDED),
        ],
    )
    def test_the_majority_of_pairs_decides(self, decisions: list[str], result: str) -> None:
        assert majority(decisions) == result


class TestStaleReadings:
    def test_are_dropped_and_counted(self) -> None:
        """What was recorded: one reading that has not caught up, and the next one twice as long."""
        stale = StaleFilter()
        laps = [Lap(wall=0.0021, cpu=0.0020, delay=0.0) for _ in range(20)]
        laps[10] = Lap(wall=0.0021, cpu=0.0012, delay=0.0)
        laps[11] = Lap(wall=0.0021, cpu=0.0028, delay=0.0)
        believed = [stale.accepts(lap) for lap in laps]
        assert believed == [number != 10 for number in range(20)]
        assert stale.dropped == 1

    def test_a_reading_of_nothing_is_charged_with_the_time_that_passed(self) -> None:
        lap = Lap(wall=0.0021, cpu=0.0, delay=0.0)
        assert lap.seconds == pytest.approx(0.0021)

    def test_a_machine_that_becomes_faster_is_believed(self) -> None:
        stale = StaleFilter()
        for seconds in (*[0.0034] * 20, *[0.0020] * 20):
            assert stale.accepts(Lap(wall=seconds * 1.02, cpu=seconds, delay=0.0))

    def test_no_time_at_all_is_never_believed_even_where_the_wall_clock_says_nothing(self) -> None:
        stale = StaleFilter()
        assert not stale.accepts(Lap(wall=0.002, cpu=0.0, delay=0.002))
        assert stale.accepts(Lap(wall=0.002, cpu=0.002, delay=0.0))
        assert stale.dropped == 1

    def test_a_wall_clock_is_never_stale(self) -> None:
        stale = StaleFilter()
        assert all(stale.accepts(Lap(wall=seconds)) for seconds in (0.002, 0.002, 0.002, 0.0001))


class TestALap:
    def test_time_taken_by_other_processes_does_not_count(self) -> None:
        lap = Lap(wall=0.020, cpu=0.002, delay=0.018)
        assert lap.seconds == 0.002
        assert not lap.waited

    def test_sleep_counts(self) -> None:
        lap = Lap(wall=0.012, cpu=0.002, delay=0.0)
        assert lap.waited
        assert lap.seconds == pytest.approx(0.012)

    def test_sleep_counts_where_the_delay_is_unknown(self) -> None:
        assert Lap(wall=0.012, cpu=0.002).seconds == pytest.approx(0.012)

    def test_all_threads_count(self) -> None:
        lap = Lap(wall=0.002, cpu=0.006, delay=0.0, main=0.002)
        assert lap.seconds == 0.006
        assert lap.threaded

    def test_the_wall_clock_counts_where_there_is_no_other(self) -> None:
        lap = Lap(wall=0.003)
        assert lap.seconds == 0.003
        assert not lap.waited
        assert not lap.threaded
        assert lap.noise == 1.0


class TestTheSpread:
    def test_is_median_lowest_and_highest_tenth(self) -> None:
        rounds = [Round(float(ratio), 1.0) for ratio in range(1, 12)]
        assert spread(rounds) == (6.0, 2.0, 10.0)

    def test_of_one_round_is_that_round(self) -> None:
        assert spread([Round(1.5, 1.0)]) == (1.5, 1.5, 1.5)


class TestRepeats:
    @pytest.mark.parametrize(("call", "wanted"), [(0.001, 2), (0.0015, 2), (0.002, 1), (0.5, 1), (0.0, 16)])
    def test_fill_a_request(self, call: float, wanted: int) -> None:
        assert repeats(call, 0.002, 16) == wanted
