"""The two clocks: no setting of the wall's clock, no sleep and no reboot gives anybody time."""

from __future__ import annotations

import time

from grader.interview.clock import Elapsed, Reading, SystemClock


def passed(*readings: Reading) -> float:
    elapsed = Elapsed.start(readings[0])
    for reading in readings[1:]:
        elapsed = elapsed.moved(reading)
    return elapsed.seconds


def test_both_clocks_agree_on_a_quiet_machine() -> None:
    assert passed(Reading(100, 7, "a"), Reading(160, 67, "a")) == 60


def test_a_wall_clock_that_is_set_back_gives_no_time() -> None:
    elapsed = Elapsed.start(Reading(10_000, 0, "a")).moved(Reading(6_400, 60, "a"))
    assert elapsed.seconds == 60
    assert elapsed.set_back


def test_a_sleep_that_the_ticks_did_not_count_is_counted_by_the_wall() -> None:
    assert passed(Reading(0, 0, "a"), Reading(60, 60, "a"), Reading(3_660, 61, "a")) == 3_660


def test_time_switched_off_between_two_boots_counts_by_the_wall() -> None:
    assert passed(Reading(0, 500, "a"), Reading(60, 560, "a"), Reading(360, 5, "b"), Reading(420, 65, "b")) == 420


def test_what_passed_before_a_reboot_stays_passed_when_the_clock_is_set_back_meanwhile() -> None:
    elapsed = Elapsed.start(Reading(1_000, 0, "a"))
    for reading in (Reading(1_300, 300, "a"), Reading(200, 4, "b"), Reading(230, 34, "b")):
        elapsed = elapsed.moved(reading)
    assert elapsed.seconds == 330
    assert elapsed.set_back


def test_time_never_runs_back_when_readings_of_two_processes_cross() -> None:
    elapsed = Elapsed.start(Reading(0, 0, "a")).moved(Reading(10, 10, "a")).moved(Reading(9.5, 9.5, "a"))
    assert elapsed.seconds == 10
    assert not elapsed.set_back


def test_a_small_correction_is_no_setting_back() -> None:
    assert not Elapsed.start(Reading(100, 0, "a")).moved(Reading(109, 10, "a")).set_back


def test_ticks_of_an_unknown_boot_are_never_compared() -> None:
    assert passed(Reading(0, 0, ""), Reading(10, 99_999, "")) == 10


def test_a_reading_comes_back_from_its_document() -> None:
    reading = Reading(1_700_000_000.123, 55.5, "boot")
    assert Reading.of(reading.document(), 0.0) == reading


def test_a_document_that_is_none_gives_the_wall_clock_alone() -> None:
    for strange in (None, [], {"wall": "x"}, {"wall": 1.0, "ticks": None, "boot": "b"}):
        assert Reading.of(strange, 12.0) == Reading(12.0, 0.0, "")


def test_the_machine_has_ticks_that_only_run_forward_and_one_boot() -> None:
    clock = SystemClock()
    first, second = clock.read(), clock.read()
    assert second.ticks >= first.ticks
    assert first.boot == second.boot != ""
    assert abs(first.wall - time.time()) < 60
