"""One comparison of a submission with the reference: its workers, their warm-up, the rounds.

Two workers. In the trusted one lie the reference and the library operator; in the other the submission and, once that has
shown how quick it is alone, a copy of the reference ("control"). Within one process the same code repeats to under 1 %, between
two it differs by up to 10 %: so submission ÷ control decides, while the control is as quick as the trusted reference and the
submission no quicker beside the control than it was alone, the control's answers are right, and submission ÷ trusted reference
does not say otherwise. Else submission ÷ trusted reference decides, in fresh workers.

What it costs to repeat a call and to store its results is measured in the trusted worker and taken off everywhere. Reached
through `speed.py`; trusted side only.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median

from grader.catalog import Kata
from grader.timing import decision as timing
from grader.timing.decision import Vote, turns
from grader.timing.pace import pace_of
from grader.timing.ring import Material
from grader.timing.stopwatch import StaleFilter
from grader.timing.timed_worker import Floor, Overhead, Subject, Timed, TimedCallFailed, TimedWorker
from grader.verdict import Round, Speed

ALONE = 2  # rounds of the submission before the control is there
BLANKS = 5  # requests that measure what repeating costs
FULL_ROUNDS = 6  # after them the trusted side is asked less often, and the library no more
PAIRS = 3  # of fresh workers, at most
MOST_GROUPS = 4
VERY_SLOW_REQUEST = 0.2  # seconds: then one request of each side makes a round


@dataclass(slots=True)
class Yard:
    """What one mode is measured with: the trusted side, and the submission once it is there."""

    material: Material
    limit: float
    overhead: Overhead
    repeats: int
    reference: Subject
    library: dict[str, Subject]  # under "D", where there is one
    candidate: Subject | None = None
    alone: float = math.inf  # submission ÷ trusted reference before the control was there


class ControlWrong(Exception):
    """The copy of the reference in the submission's worker answers wrongly: it is not the reference any more."""


def ratio_of(rounds: Sequence[Mapping[str, float]], side: str, other: str) -> float:
    """How many times longer one side took than the other: median over the rounds."""
    return median(each[side] / each[other] for each in rounds if other in each) if rounds else math.inf


class Comparison:
    """One submission, one device, one dtype, one size; all modes."""

    def __init__(
        self,
        kata: Kata,
        source: bytes,
        device: str,
        materials: Mapping[str, Material],
        limits: Mapping[str, float],
        budget: float,
        rng: random.Random,
        deadline: float = math.inf,
    ) -> None:
        """What is compared.

        Args:
            limits: how many times the reference is too slow, by mode.
            deadline: when the submission may compute no more (`time.monotonic`), in whichever worker.
        """
        self.kata = kata
        self.source = source
        self.device = device
        self.materials = materials
        self.limits = limits
        self.budget = budget
        self.rng = rng
        self.deadline = deadline
        self.pace = pace_of(device)
        self.alarms: set[str] = set()
        self.floor = Floor()

    def run(self, *, across: bool, until_slow: bool = False) -> tuple[tuple[Speed, ...], dict[str, str]]:
        """The speeds by mode; and the mode that could not be timed, with the reason, where that is the submission's fault.

        With `until_slow` the modes after one that is too slow are left out.
        """
        speeds: list[Speed] = []
        faults: dict[str, str] = {}
        mode = next(iter(self.materials))
        with self._open(trusted=True) as trusted, ExitStack() as stack:
            if self.kata.library is not None:
                trusted.load_also(self.kata.library.read_bytes(), "library")
            yards = {mode: self._yard(trusted, mode) for mode in self.materials}
            try:
                mine = None if across else stack.enter_context(self._open(trusted=False))
                if mine is not None:
                    for mode, yard in yards.items():  # noqa: B007 - the mode is told where it fails
                        self._add_candidate(mine, yard)
                        self._see_alone(yard)
                    mine.load_also(self.kata.reference.read_bytes(), "control")
                for mode, yard in yards.items():
                    speeds.append(self._decide_across(mode, yard) if mine is None else self._decide(mode, yard, mine))
                    if until_slow and speeds[-1].decision == timing.TOO_SLOW:
                        break
            except TimedCallFailed as failed:
                faults[mode] = str(failed)
        return tuple(speeds), faults

    @contextmanager
    def _open(self, *, trusted: bool) -> Iterator[TimedWorker]:
        """A worker with the reference, or with the submission, whose alarms are kept."""
        source = self.kata.reference.read_bytes() if trusted else self.source
        with TimedWorker(
            self.kata,
            source,
            device=self.device,
            trusted=trusted,
            rng=self.rng,
            floor=self.floor,
            deadline=self.deadline,
        ) as host:
            try:
                yield host
            finally:
                self.alarms |= set(host.worker.alarms())

    def _yard(self, trusted: TimedWorker, mode: str) -> Yard:
        """Warm up the trusted worker in one mode, and measure there what repeating a call costs."""
        material = self.materials[mode]
        reference = trusted.subject(f"reference {material.plan}", material)
        blank = trusted.subject(f"blank {material.plan}", material, blank=True)
        repeats = timing.repeats(reference.warm_up(self.pace.request), self.pace.request, reference.ring.places)
        library = {}
        if self.kata.library is not None and not material.other:
            library["D"] = trusted.subject(f"library {material.plan}", material, prefix="library")
            library["D"].warm_up(self.pace.request)
        blank.warm_up(self.pace.request)
        fixed = self._least(blank, 0)
        each = 0.0 if material.stores_count else (self._least(blank, repeats) - fixed) / repeats
        overhead = Overhead(max(fixed, 0.0), max(each, 0.0))
        yard = Yard(material, self.limits[mode], overhead, repeats, reference, library)
        for subject in (reference, *library.values()):
            self._calibrate(subject, yard, repeats)
        return yard

    def _least(self, blank: Subject, repeats: int) -> float:
        """The quickest of a few requests, in seconds."""
        blank.repeats = repeats
        blank.stale = StaleFilter()
        taken = [timed.lap.seconds for _ in range(BLANKS) if (timed := blank.time()) is not None]
        return min(taken)

    def _calibrate(self, subject: Subject, yard: Yard, repeats: int) -> None:
        subject.repeats = repeats
        subject.overhead = yard.overhead

    def _add_candidate(self, mine: TimedWorker, yard: Yard) -> Subject:
        """Warm up the submission."""
        yard.candidate = mine.subject(f"candidate {yard.material.plan}", yard.material)
        yard.candidate.pays = True
        call = yard.candidate.warm_up(self.pace.request)
        repeats = timing.repeats(call, 2 * self.pace.request, yard.repeats)
        self._calibrate(yard.candidate, yard, repeats)
        return yard.candidate

    def _see_alone(self, yard: Yard) -> None:
        """How quick the submission is where no copy of the reference is within its reach.

        It takes the control's turns too: code that takes turns with another process is slower than code that stays.
        """
        assert yard.candidate is not None
        sides = {"A": yard.candidate, "C": yard.reference}
        rounds = [taken for _ in range(ALONE) if (taken := self._round(sides))]
        yard.alone = ratio_of(rounds, "A", "C")

    def _decide(self, mode: str, yard: Yard, mine: TimedWorker) -> Speed:
        started = time.monotonic()
        assert yard.candidate is not None
        control = mine.subject(f"control {yard.material.plan}", yard.material, prefix="control")
        control.warm_up(self.pace.request)
        self._calibrate(control, yard, yard.repeats)
        sides = {"A": yard.candidate, "B": control, "C": yard.reference}
        try:
            vote, rounds = self._vote(sides | yard.library, yard.limit, checked="AB")
        except ControlWrong:
            return self._decide_across(mode, yard)
        dropped = 1 - len(vote.rounds) / len(rounds) if rounds else 1.0
        beside = ratio_of(rounds, "A", "C")
        sound = timing.control_is_sound(ratio_of(rounds, "B", "C"), beside, yard.alone, dropped)
        if sound and timing.control_agrees(vote.decision, beside, yard.limit):
            library = ratio_of(rounds, "C", "D") * timing.spread(vote.rounds)[0] if yard.library else None
            return self._speed(mode, yard, [vote], "control", library, list(sides.values())[:2], started)
        return self._decide_across(mode, yard)

    def _decide_across(self, mode: str, yard: Yard) -> Speed:
        """Submission ÷ trusted reference, each alone in its worker."""
        started = time.monotonic()
        votes: list[Vote] = []
        subjects: list[Subject] = []
        library = None
        while len(votes) < PAIRS:
            with self._open(trusted=False) as mine, ExitStack() as stack:
                reference = yard.reference if not votes else self._yard_again(stack, yard)
                sides = {"A": self._add_candidate(mine, yard), "B": reference}
                vote, rounds = self._vote(sides | (yard.library if not votes else {}), yard.limit)
            if yard.library and not votes:
                library = ratio_of(rounds, "A", "D")
            votes.append(vote)
            subjects += sides.values()
            if len(votes) == 1 and not timing.needs_more_pairs(timing.spread(vote.rounds)[0], yard.limit):
                break
        return self._speed(mode, yard, votes, "trusted", library, subjects, started)

    def _yard_again(self, stack: ExitStack, yard: Yard) -> Subject:
        """The reference in a fresh worker."""
        trusted = stack.enter_context(self._open(trusted=True))
        reference = trusted.subject("reference", yard.material)
        reference.warm_up(self.pace.request)
        self._calibrate(reference, yard, yard.repeats)
        return reference

    def _vote(
        self, sides: Mapping[str, Subject], limit: float, *, checked: str = "A"
    ) -> tuple[Vote, list[dict[str, float]]]:
        """Rounds until A against B is decided or the budget is spent; and what each side took in each round.

        A round in which the control (B where there is a C) is slow does not vote.
        """
        vote = Vote(limit, lead=self.pace.lead)
        rounds: list[dict[str, float]] = []
        ends = time.monotonic() + self.budget * self.pace.patience
        while not rounds or (time.monotonic() < ends and not (vote.decided and self._is_even(sides))):
            if len(rounds) >= FULL_ROUNDS:
                sides = {side: subject for side, subject in sides.items() if side != "D"}
            taken = self._round(sides, sparing=len(rounds) >= FULL_ROUNDS, checked=checked)
            if taken:
                rounds.append(taken)
                if "C" not in taken or not timing.control_is_slow(taken["B"], taken["C"]):
                    vote.add(Round(taken["A"], taken["B"]))
        return vote, rounds

    def _is_even(self, sides: Mapping[str, Subject]) -> bool:
        """Whether enough is known of requests that take far longer than others."""
        mine, others = ([lap.longest for lap in sides[side].laps] for side in "AB")
        return not timing.unevenness_is_open(mine, others)

    def _round(self, sides: Mapping[str, Subject], *, sparing: bool = False, checked: str = "A") -> dict[str, float]:
        """Seconds of a call of each side, in its quickest request; empty where all readings of a side were stale.

        The answers of that request are checked for the sides `checked`: the submission, and the control that lies beside it.
        Raises ControlWrong where the latter's are wrong.
        """
        quickest: dict[str, Timed] = {}
        for turn in self._turns(sides, sparing):
            timed = sides[turn].time()
            if timed is not None and (turn not in quickest or timed.seconds < quickest[turn].seconds):
                quickest[turn] = timed
        if "A" in quickest:
            sides["A"].check(quickest["A"])
        if "B" in checked and "B" in quickest and not sides["B"].is_right(quickest["B"]):
            raise ControlWrong
        return {turn: timed.seconds for turn, timed in quickest.items()} if len(quickest) == len(sides) else {}

    def _turns(self, sides: Mapping[str, Subject], sparing: bool) -> str:
        pair = [sides["A"], sides.get("B", sides["A"])]
        both = [subject.laps[-1].seconds if subject.laps else self.pace.request for subject in pair]
        if max(both) > VERY_SLOW_REQUEST:
            return "".join(self.rng.sample(list(sides), len(sides)))
        most = 1 if sides["A"].ring.material.other else MOST_GROUPS
        groups = max(1, min(most, round(self.pace.round / (2 * sum(both)))))
        others = "C" * ("C" in sides) * (2 if sparing else max(2, groups)) + "DD" * ("D" in sides)
        return turns(groups, self.rng, others, pair="AB" if "B" in sides else "AA")

    def _speed(
        self,
        mode: str,
        yard: Yard,
        votes: Sequence[Vote],
        against: str,
        library: float | None,
        subjects: Sequence[Subject],
        started: float,
    ) -> Speed:
        rounds = [each for vote in votes for each in vote.rounds]
        decision = timing.majority([vote.decision for vote in votes])
        ratio, low, high = timing.spread(rounds)
        case = yard.material.case
        shapes = [f"{name} {tuple(tensor.shape)}" for name, tensor in case.tensors.items()]
        laps = [lap for subject in subjects for lap in subject.laps]
        uneven = timing.unevenness(*([lap.longest for lap in subject.laps] for subject in subjects[:2]))
        return Speed(
            mode=mode,
            call=", ".join([case.describe(), *shapes]),
            dtype=str(case.dtype).removeprefix("torch."),
            limit=yard.limit,
            decision=timing.conclude(decision, [each.ratio for each in rounds], yard.limit, uneven=uneven),
            ratio=ratio,
            low=low,
            high=high,
            against=against,
            rounds=tuple(rounds),
            library=library,
            library_name="" if library is None else self.kata.operator_label,
            noise=sum(lap.wall for lap in laps) / sum(lap.cpu or lap.wall for lap in laps),
            dropped=sum(subject.stale.dropped for subject in subjects),
            seconds=round(time.monotonic() - started, 3),
            note=_note(subjects[0], uneven * ratio if uneven > 1 else None),
            events=_events(subjects[::2], subjects[1::2]),
            device_memory=max(subject.peak for subject in subjects[::2]) or None,
        )


def _note(candidate: Subject, average: float | None) -> str:
    """What was seen in most requests of the submission; `average`: its ratio where that is far from the usual one."""
    laps = candidate.laps
    notes = []
    if sum(lap.waited for lap in laps) > len(laps) / 2:
        notes.append("it waits without computing, and that time counts")
    if sum(lap.threaded for lap in laps) > len(laps) / 2:
        notes.append("it computes in other threads, and their time counts")
    if average is not None:
        notes.append(f"some calls take far longer: {average:.3g} × the reference on average")
    return "; ".join(notes)


def _events(candidates: Sequence[Subject], references: Sequence[Subject]) -> Round | None:
    """What the device's events say of both sides; None where either has none."""
    mine = [seconds for subject in candidates for seconds in subject.events]
    theirs = [seconds for subject in references for seconds in subject.events]
    return Round(median(mine), median(theirs)) if mine and theirs else None
