"""What a person reads about time: one line a mode, in words and figures that agree, at any width."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

from grader.output import Output
from grader.render import terminal, timing
from grader.render.jsonout import dumps, verdict_document
from grader.render.page import Page
from grader.verdict import Growth, PropertyResult, Round, Status, Timing, Verdict
from grader.verdict_json import verdict_of

samples = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("samples.py"))))

WIDTHS = (40, 60, 80, 100, 120)


def block(measured: Timing | None, width: int = 120, **environ: str) -> str:
    """The block about time alone."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    out = Output(stream, stream, {"COLUMNS": str(width), **environ})
    shown = timing.timing(Page(out.look.width, ascii_only=not out.look.unicode), measured)
    if shown is not None:
        out.show(shown)
    return stream.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined,no-any-return]


def screen(verdict: Verdict, width: int = 100) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    out = Output(stream, stream, {"COLUMNS": str(width)})
    out.show(terminal.screen(Page(width), verdict))
    return stream.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined,no-any-return]


class TestModes:
    def test_one_line_says_ratio_spread_library_and_decision(self) -> None:
        lines = block(samples.timing()).splitlines()
        assert lines[0] == "Time ÷ reference  limit 2 ×, LayerNorm(512)(x), x (8, 128, 512), float32"
        assert lines[1] == (
            "  forward             ███░░░│░░  1.08 × the reference (0.97–1.19), 0.41 × F.layer_norm · quick enough"
        )
        assert "forward + backward  ████░░│░░  1.31 × the reference" in lines[2]

    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("kind", ["timed", "undecided", "slow", "untimed"])
    def test_every_width_has_every_figure(self, kind: str, width: int) -> None:
        measured = samples.ALL[kind]().timing
        text = block(measured, width)
        words = " ".join(text.split())
        assert max(cell_len(line) for line in text.splitlines()) <= width
        for speed in measured.speeds:
            assert f"{timing.ratio(speed.ratio)} ×" in words
            assert f"({timing.ratio(speed.low)}–{timing.ratio(speed.high)})" in words
            assert f"{timing.ratio(speed.library)} ×" in words
            assert speed.decision.replace("-", " ") in words

    @pytest.mark.parametrize("width", [80, 120])
    def test_the_block_of_a_quick_answer_is_short(self, width: int) -> None:
        assert len(block(samples.timing(), width).splitlines()) <= 7

    def test_says_no_more_than_about_the_same_where_a_shared_machine_cannot_tell(self) -> None:
        text = block(samples.timing(speeds=(samples.speed(ratio=1.03, library=0.96),)))
        assert "≈ 1 × the reference (0.93–1.13), ≈ 1 × F.layer_norm · quick enough" in text

    def test_without_a_library_operator_there_is_no_comparison_with_one(self) -> None:
        text = block(samples.timing(speeds=(samples.speed(library=None, library_name=""),)), 80)
        assert "library" not in text
        assert "1.08 × the reference (0.97–1.19) · quick enough" in text

    def test_modes_that_were_called_differently_share_no_heading(self) -> None:
        mixed = (samples.speed(), samples.speed("forward + backward", dtype="bfloat16"))
        assert block(samples.timing(speeds=mixed)).splitlines()[0] == "Time"

    def test_a_further_call_has_a_line_under_its_name_and_leaves_the_heading_alone(self) -> None:
        mask = samples.speed("causal_mask", call="causal_mask(128)", library=None, library_name="")
        lines = block(samples.timing(speeds=(*samples.timing().speeds, mask))).splitlines()
        assert lines[0] == "Time ÷ reference  limit 2 ×, LayerNorm(512)(x), x (8, 128, 512), float32"
        assert lines[3] == "  causal_mask         ███░░░│░░  1.08 × the reference (0.97–1.19) · quick enough"

    def test_a_limit_that_is_not_the_heading_s_stands_in_the_line(self) -> None:
        long = samples.speed("at N = 4096", limit=20.0, library=None, library_name="")
        lines = block(samples.timing(speeds=(*samples.timing().speeds, long))).splitlines()
        assert "  limit 2 ×, " in lines[0]
        assert [line.endswith("· quick enough (limit 20 ×)") for line in lines[1:4]] == [False, False, True]

    def test_shapes_that_repeat_are_told_once(self) -> None:
        call = "f(query, key, value, mask), query (2, 64), key (2, 64), value (2, 32), mask (2, 32)"
        heading = block(samples.timing(speeds=(samples.speed(call=call),))).splitlines()[0]
        assert heading.endswith("f(query, key, value, mask), query, key (2, 64), value, mask (2, 32), float32")

    def test_ascii_is_enough(self) -> None:
        text = block(samples.timing(), TERM="dumb")
        assert text.isascii()
        assert "###...|..  1.08 x the reference (0.97-1.19)" in text

    def test_colour_only_repeats_the_word(self) -> None:
        coloured = block(samples.slow().timing, FORCE_COLOR="1")
        assert "\x1b[1;31mtoo slow" in coloured
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == block(samples.slow().timing)


class TestBar:
    @pytest.mark.parametrize(
        ("ratio", "drawn"),
        [
            (0.01, "█░░░░░│░░"),
            (1.0, "███░░░│░░"),
            (1.99, "██████│░░"),
            (2.0, "██████│░░"),
            (2.001, "██████│█░"),
            (2.6, "██████│██"),
            (1000.0, "██████│█▶"),
        ],
    )
    def test_is_filled_beyond_the_mark_exactly_where_the_limit_is_passed(self, ratio: float, drawn: str) -> None:
        assert timing.bar(ratio, 2.0) == drawn


class TestUndecided:
    def test_says_why_that_it_passed_and_what_to_do(self) -> None:
        words = " ".join(block(samples.undecided().timing).split())
        assert "1.97 × the reference (1.40–2.90), 0.75 × F.layer_norm · undecided" in words
        assert "forward + backward: no clear answer in 2.0 s (the processor was ours for 48% of the time)" in words
        assert "so this was let pass" in words
        assert words.endswith("Close other programs, or give it more time: --timing-budget 10")

    def test_is_said_once_for_all_modes(self) -> None:
        both = tuple(samples.speed(mode, decision="undecided", high=2.4) for mode in ("forward", "forward + backward"))
        text = block(samples.timing(speeds=both))
        assert text.count("no clear answer") == 1
        assert "  forward; forward + backward: no clear answer in 0.2 s" in text

    def test_where_all_rounds_agree_there_were_only_too_few_of_them(self) -> None:
        words = " ".join(block(samples.timing(speeds=(samples.speed(ratio=17.2, decision="undecided"),))).split())
        assert "forward: too few rounds for a decision in 0.2 s, so this was let pass." in words
        assert "Close other programs" not in words

    @pytest.mark.parametrize(("spent", "offered"), [(0.5, 10), (2.0, 10), (10.0, 30), (30.0, 120), (500.0, 120)])
    def test_offers_much_more_time_than_was_spent(self, spent: float, offered: int) -> None:
        assert timing.more_time(samples.speed(seconds=spent)) == offered

    def test_does_not_blame_others_on_a_quiet_machine(self) -> None:
        assert "processor" not in block(
            samples.timing(speeds=(samples.speed(decision="undecided", high=2.4, noise=1.1),))
        )


class TestTooSlow:
    def test_the_failed_property_says_by_how_much_and_what_to_look_at(self) -> None:
        _, _, text = " ".join(screen(samples.slow()).split()).partition("Failure: speed-forward ")
        assert text.startswith(
            "The forward pass takes at most 2 times as long as the readable reference. it takes 3.10 times"
        )
        assert "Look for a Python loop" in text.partition("Gradients")[0]

    @pytest.mark.parametrize(
        ("speeds", "advice"),
        [
            ([("forward", 3.1)], "copies"),
            ([("forward", 40.0)], "Python loop over rows"),
            ([("forward + backward", 40.0)], "autograd"),
            ([("forward + backward", 40.0), ("forward", 3.1)], "copies"),
            ([("forward + backward", 40.0), ("causal_mask", 40.0)], "autograd"),
            ([("causal_mask", 40.0)], "Only causal_mask takes so long"),
            ([("with a mask", 40.0)], "Only the call with a mask takes so long"),
            ([("at N = 4096", 40.0)], "something in the code grows faster than the reference"),
        ],
    )
    def test_the_advice_follows_from_where_and_how_much(self, speeds: list[tuple[str, float]], advice: str) -> None:
        measured = samples.timing(speeds=tuple(samples.speed(mode, r, "too-slow") for mode, r in speeds))
        law = PropertyResult("speed", "", "timing", True, Status.FAILED)
        assert advice in timing.what_to_look_at(measured, law)

    def test_a_tensor_of_gigabytes_is_to_blame_rather_than_a_loop(self) -> None:
        law = PropertyResult("speed", "", "timing", True, Status.FAILED)
        slow = (samples.speed(ratio=40.0, decision="too-slow"),)
        memory = "holds an H×L×S×E tensor: 32 GB at H = 8, L = S = 4096, E = 64"
        advice = timing.what_to_look_at(samples.timing(speeds=slow, memory=memory), law)
        assert "an H×L×S×E tensor of 32 GB" in advice
        assert "loop" not in advice
        ordinary = "holds an H×L×S tensor: 512 MB at H = 8, L = S = 4096"
        assert "Python loop" in timing.what_to_look_at(samples.timing(speeds=slow, memory=ordinary), law)

    def test_a_failure_in_values_gets_no_advice_about_speed(self) -> None:
        failed = samples.result(samples.LAWS[0], Status.FAILED)
        assert timing.what_to_look_at(samples.slow().timing, failed) == ""
        assert timing.what_to_look_at(None, failed) == ""

    def test_other_notes_are_passed_on(self) -> None:
        measured = samples.timing(speeds=(samples.speed(note="waits without computing"),))
        assert "  forward: waits without computing\n" in block(measured)


class TestGrowthAndMemory:
    def test_are_one_line_each(self) -> None:
        text = block(samples.timing())
        assert "  growth              work grows like L^2.00, peak memory like L^1.98 from L = 128 to 1024\n" in text
        assert "  memory              holds an L×S matrix: 64 MB at L = 4096\n" in text

    def test_what_grows_too_fast_says_what_is_allowed(self) -> None:
        text = block(samples.slow().timing)
        assert "peak memory grows like N^1.00 from N = 128 to 1024\n" in text
        assert "work grows like N^2.00 from N = 128 to 1024 · too steep, at most N^1.2\n" in text

    def test_of_the_backward_pass_is_told_where_it_is_too_much(self) -> None:
        backward = samples.growth("work", 2.0, "forward + backward", limit=1.2)
        text = block(samples.timing(growth=(samples.growth("work", 1.0), backward)))
        assert "work grows like L^1.00 from" in text
        assert "(forward + backward) · too steep" in text

    def test_of_the_backward_pass_is_told_where_it_is_another(self) -> None:
        forward = samples.growth("work", 1.0)
        for exponent, told in ((1.05, False), (0.8, True), (1.2, True)):
            backward = samples.growth("work", exponent, "forward + backward")
            text = block(samples.timing(growth=(forward, backward)))
            line = f"with the backward pass: work grows like L^{exponent:.2f} from L = 128 to 1024\n"
            assert (line in text) is told
            assert ("with the backward pass" in text) is told

    def test_matrix_products_are_told_in_millions(self) -> None:
        flops = Growth("floating-point operations", "FLOP", "forward", (256, 512), (4194304.0, 16777216.0), 2.0)
        assert "  FLOPs               16.8 million in matrix products at L = 512, like L^2.00\n" in block(
            samples.timing(growth=(flops,))
        )
        assert "FLOPs" not in block(samples.timing(growth=(dataclasses.replace(flops, values=(0.0, 0.0)),)))

    def test_counts_at_other_sizes_say_so(self) -> None:
        later = dataclasses.replace(samples.growth("CPU time", 1.5), sizes=(2048, 4096))
        text = block(samples.timing(growth=(samples.growth("work", 1.0), later)))
        assert "work grows like L^1.00 from L = 128 to 1024, CPU time like L^1.50 from L = 2048 to 4096" in text


class TestWithoutTiming:
    def test_what_was_skipped_has_one_line_with_the_reason(self) -> None:
        assert block(samples.untimed().timing) == "  timing skipped: a required property failed\n"

    def test_what_was_left_out_or_found_nothing_has_no_line(self) -> None:
        assert block(None) == ""
        assert block(Timing()) == ""


class TestOnAGpu:
    """What the device's events and allocator say is shown where it adds something, and never as the decision."""

    EVENTS = Round(candidate=0.0011, reference=0.001)

    def test_events_that_contradict_the_clock_are_told(self) -> None:
        apart = samples.speed(ratio=3.1, decision="too-slow", events=self.EVENTS)
        words = " ".join(block(samples.timing(speeds=(apart,))).split())
        assert "forward: device events say 1.10 ×; they see one stream alone, so the wall clock decides" in words
        assert "3.10 × the reference" in words
        assert "too slow" in words

    def test_events_that_agree_with_the_clock_have_no_line(self) -> None:
        text = block(samples.timing(speeds=(samples.speed(ratio=1.3, events=self.EVENTS),)))
        assert "events" not in text

    @pytest.mark.parametrize(("ratio", "told"), [(1.6, False), (1.7, True), (0.8, False), (0.7, True)])
    def test_events_contradict_from_half_as_much_again_on_either_side(self, ratio: float, told: bool) -> None:
        assert ("events" in block(samples.timing(speeds=(samples.speed(ratio=ratio, events=self.EVENTS),)))) is told

    def test_memory_is_told_in_one_line_for_all_modes(self) -> None:
        both = (samples.speed(device_memory=3 << 20), samples.speed("forward + backward", device_memory=9 << 20))
        assert (
            "  on the GPU          besides inputs and results, forward up to 3 MB, forward + backward up to 9 MB\n"
            in block(samples.timing(speeds=both))
        )

    @pytest.mark.parametrize("width", [40, 60, 120])
    def test_fits_every_width(self, width: int) -> None:
        measured = samples.timing(speeds=(samples.speed(ratio=3.1, events=self.EVENTS, device_memory=3 << 20),))
        assert max(cell_len(line) for line in block(measured, width).splitlines()) <= width

    def test_is_in_json_and_comes_back(self) -> None:
        measured = samples.timing(speeds=(samples.speed(events=self.EVENTS, device_memory=3 << 20), samples.speed()))
        document = json.loads(dumps(verdict_document(dataclasses.replace(samples.timed(), timing=measured))))
        told, silent = document["timing"]["speeds"]
        assert told["events"] == {"candidate": 0.0011, "reference": 0.001}
        assert told["device_memory"] == 3 << 20
        assert silent["events"] is silent["device_memory"] is None
        back = verdict_of(document).timing
        assert back is not None
        assert back.speeds[0].events == self.EVENTS
        assert back.speeds[1].events is None


class TestFigures:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (2e-9, "2.00 ns"),
            (1.234e-5, "12.3 µs"),
            (9.996e-4, "1.00 ms"),
            (0.027, "27.0 ms"),
            (0.105, "105 ms"),
            (12.34, "12.3 s"),
        ],
    )
    def test_durations_have_three_digits_and_a_unit(self, seconds: float, text: str) -> None:
        assert timing.duration(seconds) == text


class TestJson:
    def test_has_every_round_the_machine_and_the_noise(self) -> None:
        document = json.loads(dumps(verdict_document(samples.timed())))["timing"]
        assert document["machine"] == samples.MACHINE
        first = document["speeds"][0]
        assert (first["mode"], first["decision"], first["limit"], first["noise"]) == (
            "forward",
            "quick-enough",
            2.0,
            1.02,
        )
        assert [set(each) for each in first["rounds"]] == [{"candidate", "reference"}] * 3
        assert document["growth"][0]["sizes"] == list(samples.SIZES)
        assert document["memory"] == "holds an L×S matrix: 64 MB at L = 4096"

    def test_says_why_there_is_none(self) -> None:
        assert (
            json.loads(dumps(verdict_document(samples.untimed())))["timing"]["skipped"] == "a required property failed"
        )
