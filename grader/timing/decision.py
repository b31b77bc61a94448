"""Deciding from rounds whether code is slower than it may be: pure statistics, rounds in, decision out.

Noise only ever adds time, so a round counts by the quickest reading of each side, and the two sides take turns within it. A
decision is a vote of rounds that ends as soon as one side leads clearly. No process, no clock and no torch in here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import fmean, median

from grader.verdict import Round

TOO_SLOW, QUICK_ENOUGH, UNDECIDED = "too-slow", "quick-enough", "undecided"

LEAD = 7  # votes: 0 wrong of 1,451 live decisions, and of 18,960 replayed from traces under load
# A round far from the limit is worth more than one vote: (at least this many times off, votes).
FAR = ((8.0, 4), (1.5, 2))
SAME_CONTROL = 1.3  # what differs more is not the same code any more: between processes the same code differs a little
MOST_DROPPED = 0.25  # share of the rounds in which the control was slow: more are no bursts of a neighbour
CLEARLY = 1.5  # times the limit: what takes so long is too slow, however few or mixed the rounds
BEYOND = 1.3  # the same where it is the average that takes so long
BARELY = 1.05  # times the limit: where every round is above it, few are enough
HEAVY = 3.0  # times the median request: what takes so long is no noise of the clock, if it comes again and again
MOST_HEAVY = 0.05  # share of the requests
SURELY_HEAVY, ENOUGH_REQUESTS = 3, 60  # fewer than so many heavy ones may be chance, unless there were so many requests
NEAR = 0.25  # across processes, a ratio within this share of the limit needs more pairs of processes


class Vote:
    """The sequential test "slower than `limit` times"."""

    def __init__(self, limit: float, *, lead: int = LEAD) -> None:
        self.limit = limit
        self.lead = lead
        self.rounds: list[Round] = []
        self._balance = 0  # votes for too slow, less those for quick enough

    def add(self, round: Round) -> None:
        self.rounds.append(round)
        ratio = round.ratio
        off = max(ratio / self.limit, self.limit / ratio)
        votes = next((votes for times, votes in FAR if off >= times), 1)
        self._balance += votes if ratio > self.limit else -votes

    @property
    def decided(self) -> bool:
        return abs(self._balance) >= self.lead

    @property
    def decision(self) -> str:
        if not self.decided:
            return UNDECIDED
        return TOO_SLOW if self._balance > 0 else QUICK_ENOUGH


def turns(groups: int, rng: random.Random, others: str = "", *, pair: str = "AB") -> str:
    """The order of one round: the pair twice for each group, in any order, so that it tells nobody where a round begins.

    `others` come together, anywhere: the two that are compared stay neighbours in time.
    """
    order = "".join(rng.sample(2 * groups * pair, 4 * groups))
    at = rng.randint(0, len(order))
    return order[:at] + "".join(rng.sample(others, len(others))) + order[at:]


def spread(rounds: Sequence[Round]) -> tuple[float, float, float]:
    """Median, lowest tenth and highest tenth of the rounds' ratios."""
    ratios = sorted(each.ratio for each in rounds)
    last = len(ratios) - 1
    return median(ratios), ratios[math.floor(last * 0.1)], ratios[math.ceil(last * 0.9)]


def control_is_slow(control: float, trusted: float) -> bool:
    """Whether a round's control took so much longer than the trusted copy that the round may not vote."""
    return control > SAME_CONTROL * trusted


def control_is_sound(control: float, candidate: float, alone: float, dropped: float = 0.0) -> bool:
    """Whether submission ÷ control may decide. The first three are ratios to the trusted copy of the reference.

    A control that is slower than the trusted copy may have been slowed down on purpose (a quicker one is no advantage to
    anybody), be it in some rounds (`dropped`: their share) only; a submission that is quicker beside the control than it was
    alone may be using it.
    """
    return control <= SAME_CONTROL and alone <= SAME_CONTROL * candidate and dropped <= MOST_DROPPED


def control_agrees(decision: str, candidate: float, limit: float) -> bool:
    """Whether a decision by the control is what submission ÷ trusted copy (`candidate`) says too, as far as that can say it.

    Between processes the same code differs a little; by more only where the control is not what it should be.
    """
    slow_too = candidate * SAME_CONTROL > limit
    quick_too = candidate <= SAME_CONTROL * limit
    return slow_too if decision == TOO_SLOW else quick_too


def conclude(decision: str, ratios: Sequence[float], limit: float, *, uneven: float = 1.0) -> str:
    """The decision of the votes, unless the `ratios` of all rounds say that it cannot be.

    Votes are weighed, so that few rounds may outvote many; and a vote may stay open although the code is hopeless, because a
    round takes so long that there are few of them, or because it is quick now and then. `uneven`: what calls take on average
    ÷ what they usually take.
    """
    ratio = median(ratios)
    if decision != TOO_SLOW and (ratio >= CLEARLY * limit or (uneven > 1 and uneven * ratio >= BEYOND * limit)):
        return TOO_SLOW
    if decision == UNDECIDED and min(ratios) >= BARELY * limit:
        return TOO_SLOW
    if decision == QUICK_ENOUGH and ratio > limit:
        return UNDECIDED
    if decision == TOO_SLOW and ratio <= limit:
        return UNDECIDED
    return decision


def unevenness(mine: Sequence[float], others: Sequence[float]) -> float:
    """How many times longer requests take on average than they usually do; 1 where long ones are as rare as the other side's.

    A round counts by the quickest request: code that computes much now and then would look quick.
    """
    heavy, share_of_others = _heavy(mine), _heavy(others) / len(others)
    if heavy / len(mine) <= max(MOST_HEAVY, 3 * share_of_others) or heavy < SURELY_HEAVY:
        return 1.0
    return fmean(mine) / median(mine)


def unevenness_is_open(mine: Sequence[float], others: Sequence[float]) -> bool:
    """Whether a long request was seen, in these alone, and there are too few requests to say whether it comes again."""
    return _heavy(others) < _heavy(mine) < SURELY_HEAVY and len(mine) < ENOUGH_REQUESTS


def _heavy(taken: Sequence[float]) -> int:
    """How many requests took far longer than the usual one."""
    usual = median(taken)
    return sum(each > HEAVY * usual for each in taken)


def needs_more_pairs(ratio: float, limit: float) -> bool:
    """Whether a ratio across processes is too near the limit to trust one pair of them."""
    return limit * (1 - NEAR) <= ratio <= limit * (1 + NEAR)


def majority(decisions: Sequence[str]) -> str:
    """What most of the pairs say; `undecided` where nothing has more than half."""
    for decision in (TOO_SLOW, QUICK_ENOUGH):
        if 2 * decisions.count(decision) > len(decisions):
            return decision
    return UNDECIDED


def repeats(call: float, wanted: float, most: int) -> int:
    """How many calls of about `call` seconds make a request of `wanted` seconds; at least one, `most` at most."""
    return max(1, min(most, math.ceil(wanted / max(call, 1e-9))))
