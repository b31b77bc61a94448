"""What a person reads after a grade, at any width, and that a candidate's text never passes for the grader's."""

from __future__ import annotations

import dataclasses
import io
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

from grader.output import Output
from grader.render import terminal
from grader.render.jsonout import verdict_document
from grader.render.page import Page
from grader.verdict import (
    AUDIT,
    Argument,
    CandidateException,
    Counterexample,
    ForbiddenCall,
    Frame,
    Isolation,
    PropertyResult,
    Status,
    TensorView,
    Verdict,
)

samples = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("samples.py"))))

WIDTHS = (60, 80, 100, 120)
NEXT = "edit layernorm.py, then kata grade"


def screen(verdict: Verdict, width: int = 80, **environ: str) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    out = Output(stream, stream, {"COLUMNS": str(width), **environ})
    page = Page(out.look.width, ascii_only=not out.look.unicode)
    out.show(terminal.screen(page, verdict, next_step=NEXT))
    return stream.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined,no-any-return]


def between(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end, text.index(start))]


class TestEveryScreen:
    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("kind", samples.ALL)
    def test_fits_its_width_and_ends_with_the_next_command(self, kind: str, width: int) -> None:
        text = screen(samples.ALL[kind](), width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
        assert text.endswith(f"\nNext: {NEXT}\n")

    @pytest.mark.parametrize("kind", samples.ALL)
    def test_has_no_escape_sequence_without_colour_and_says_the_same(self, kind: str) -> None:
        plain = screen(samples.ALL[kind]())
        coloured = screen(samples.ALL[kind](), FORCE_COLOR="1")
        assert "\x1b" not in plain
        stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()

    @pytest.mark.parametrize("kind", samples.ALL)
    def test_uses_no_colour_that_vanishes_on_white_or_black(self, kind: str) -> None:
        codes = set(";".join(re.findall(r"\x1b\[([0-9;]*)m", screen(samples.ALL[kind](), FORCE_COLOR="1"))).split(";"))
        assert codes <= {"0", "1", "22", "31", "32", "35"}  # bold, red, green, magenta; no dim, no yellow

    @pytest.mark.parametrize("kind", samples.ALL)
    @pytest.mark.parametrize("width", [60, 120])
    def test_is_ascii_on_a_dumb_terminal(self, kind: str, width: int) -> None:
        text = screen(samples.ALL[kind](), width, TERM="dumb")
        assert text.isascii()


class TestWhatIsSaidOnce:
    @pytest.mark.parametrize("width", WIDTHS)
    def test_what_a_stretch_property_asks_for(self, width: int) -> None:
        stretch = samples.result(samples.STRETCH, Status.FAILED, message="float16 overflows")
        verdict = samples.passing(properties=(*(samples.result(law) for law in samples.LAWS), stretch))
        text = " ".join(screen(verdict, width).split())
        assert text.count(" ".join(stretch.description.split())) == 1
        assert stretch.description.split()[0] not in between(text, "PASS", "Not yet")

    def test_a_second_stretch_property_keeps_its_description_in_the_table(self) -> None:
        failed = samples.result(samples.STRETCH, Status.FAILED)
        other = dataclasses.replace(failed, id="is-a-view", description="The split copies nothing.")
        assert other.description in screen(samples.passing(properties=(failed, other)), 120)

    def test_the_number_of_properties_is_the_same_with_and_without_timing_and_audit(self) -> None:
        def counts(*more: PropertyResult) -> str:
            return terminal.counts(samples.passing(properties=(*properties, *more)))

        properties = samples.passing().properties
        timed = PropertyResult("speed-forward", "", "timing", True, Status.PASSED)
        audit = PropertyResult(AUDIT, "", "robustness", True, Status.PASSED, "3 calls traced")
        assert counts() == "11/11 properties"
        assert counts(timed) == "11/11 properties + 1/1 timing"
        assert counts(audit) == "11/11 properties + 1/1 audit"
        assert counts(timed, audit) == "11/11 properties + 1/1 timing + 1/1 audit"


class TestAudit:
    def test_one_that_passed_is_told_with_what_was_traced(self) -> None:
        audit = PropertyResult(AUDIT, "", "robustness", True, Status.PASSED, "3 calls traced, all operators listed")
        verdict = samples.passing(properties=(*samples.passing().properties, audit))
        assert "\n  audit passed: 3 calls traced, all operators listed\n" in screen(verdict)
        assert "audit" not in screen(samples.passing())

    def test_what_was_called_comes_before_the_audit_that_only_says_that_something_is_wrong(self) -> None:
        audit = PropertyResult(AUDIT, "", "robustness", True, Status.FAILED, "an operator is not listed")
        called = samples.result(samples.LAWS[-1], Status.FAILED, message="the code calls F.layer_norm in line 15")
        verdict = samples.failing(properties=(audit, called))
        assert verdict.first_failure is called
        text = screen(verdict)
        assert f"First failure: {called.id}" in text
        assert text.index(f"✗ failed  {called.id}") < text.index(f"✗ failed  {AUDIT}")


def test_a_call_without_a_line_says_why_it_has_none() -> None:
    calls = (ForbiddenCall("aten::layer_norm", "recorder"), ForbiddenCall("F.layer_norm", "recorder", 15))
    assert "which knows no line" in screen(samples.failing(forbidden=calls[:1]))
    assert "which knows no line" not in screen(samples.failing(forbidden=calls[1:]))


def test_what_the_sandbox_forbids_is_said_to_be_forbidden() -> None:
    def raising(kind: str) -> Verdict:
        error = CandidateException(kind, "[Errno 13] Permission denied: 'log.txt'", (Frame(3, "f", "open('log.txt')"),))
        failed = samples.result(samples.LAWS[0], Status.FAILED, message="raised", exception=error)
        return samples.failing(properties=(failed,))

    assert "The sandbox forbids it" in screen(raising("PermissionError"))
    assert "sandbox" not in screen(raising("FileNotFoundError"))


class TestWhichFailureIsFirst:
    """The one that is shown is the first of the table whose input a person can read."""

    large = TensorView("key", "float32", (261, 3))
    unreadable = Counterexample("f(key)", (Argument("key", large),))

    def test_one_that_is_too_large_to_print_comes_after_those_that_can_be_read(self) -> None:
        long = samples.result(samples.LAWS[0], Status.FAILED, message="wrong", counterexample=self.unreadable)
        short = samples.result(samples.LAWS[3], Status.FAILED, message="wrong", counterexample=samples.EXAMPLE)
        verdict = samples.failing(properties=(long, short))
        assert verdict.first_failure is short
        text = screen(verdict)
        assert f"First failure with an input small enough to read: {short.id}" in text
        assert "too large to print" not in text
        assert verdict_document(verdict)["first_failure"] == short.id

    def test_is_the_first_of_the_table_whatever_the_order_of_the_results(self) -> None:
        failed = [samples.result(law, Status.FAILED, counterexample=samples.EXAMPLE) for law in samples.LAWS]
        for properties in (failed, failed[::-1]):
            verdict = samples.failing(properties=tuple(properties))
            assert verdict.first_failure is not None
            rows = re.findall(r"✗ failed +([\w-]+)", screen(verdict, 60))
            assert rows[0] == verdict.first_failure.id
            assert "First failure: " in screen(verdict)

    def test_one_on_a_device_without_values_is_no_large_one(self) -> None:
        meta = TensorView("mask", "bool", (2, 2), None, "meta")
        assert Counterexample("causal_mask(2)", (), got=meta).readable
        assert not self.unreadable.readable

    def test_a_stretch_property_never_comes_before_a_required_one(self) -> None:
        stretch = samples.result(samples.STRETCH, Status.FAILED, counterexample=samples.EXAMPLE)
        required = samples.result(samples.LAWS[-1], Status.FAILED, counterexample=self.unreadable)
        assert samples.failing(properties=(stretch, required)).first_failure is required


class TestHeadline:
    @pytest.mark.parametrize(
        ("kind", "line"),
        [
            ("passing", "✓ PASS  layernorm  11/11 properties + 1/1 stretch, speed not measured  1.2 s"),
            ("failing", "✗ FAIL  layernorm  8/11 properties + 0/1 stretch  1.2 s"),
            ("unusable", "! UNUSABLE  layernorm  1.2 s"),
            ("not_audited", "? NOT AUDITED  layernorm  11/11 properties + 0/1 audit + 1/1 stretch  1.2 s"),
            ("grader_error", "! GRADER ERROR  layernorm  2/3 properties  1.2 s"),
        ],
    )
    def test_says_the_verdict_in_words_on_the_first_line(self, kind: str, line: str) -> None:
        assert screen(samples.ALL[kind]()).splitlines()[0] == line

    def test_is_one_line_on_a_narrow_terminal(self) -> None:
        verdict = samples.failing(kata="multi-head-attention", seconds=12.34)
        assert screen(verdict, 60).splitlines()[0] == "✗ FAIL  multi-head-attention  8/11 properties  12.3 s"


class TestProperties:
    def test_a_pass_counts_what_passed_and_names_it_where_there_is_room(self) -> None:
        wide, narrow = screen(samples.passing(), 120), screen(samples.passing(), 60)
        assert re.search(r"robustness +✓ passed +4 properties", narrow)
        for id, _, description in samples.LAWS:
            assert id in " ".join(wide.split())
            assert description[:40] not in wide

    def test_what_was_let_pass_undecided_is_not_called_passed(self) -> None:
        text = screen(samples.undecided(), 60)
        assert text.startswith("✓ PASS  layernorm  11/11 + 1/1 timing + 1 undecided  1.2 s\n")
        assert re.search(r"○ undecided +speed-forward-backward\n", text)
        assert re.search(r"✓ passed +speed-forward\n", text)

    def test_says_that_speed_was_not_measured_as_shortly_as_it_must(self) -> None:
        assert screen(samples.passing(), 60).startswith("✓ PASS  layernorm  11/11 properties, untimed  1.2 s\n")
        assert "not measured" not in screen(samples.timed(), 100)
        assert "untimed" not in screen(samples.failing(), 60)

    def test_the_stub_as_it_came_is_told_in_one_line(self) -> None:
        blank = CandidateException("NotImplementedError", "", (Frame(15, "forward", "raise NotImplementedError"),))
        failed = [samples.result(law, Status.FAILED, message="raised", exception=blank) for law in samples.LAWS]
        text = screen(samples.failing(properties=tuple(failed)))
        assert "\n  Nothing is written yet: line 15 raises NotImplementedError.\n\n" in text
        assert len(text.splitlines()) == 5
        another = samples.result(samples.LAWS[0], Status.FAILED, message="the output is wrong")
        assert "Nothing is written" not in screen(samples.failing(properties=(another, *failed[1:])))

    def test_a_failure_is_not_drowned_by_what_passed(self) -> None:
        text = screen(samples.failing(), 60)
        assert re.search(r"✗ failed +matches-formula", text)
        assert re.search(r"✓ passed +4 properties", text)
        assert "repeatable" not in text

    def test_a_stretch_property_never_alarms(self) -> None:
        text = screen(samples.failing(), FORCE_COLOR="1")
        (line,) = [line for line in text.splitlines() if "half-precision" in line]
        assert "○ not yet" in line
        assert "(stretch)" in line
        assert "\x1b[1;31m" not in line

    def test_a_pass_with_an_open_stretch_says_that_it_is_not_needed(self) -> None:
        open_stretch = samples.result(samples.STRETCH, samples.failing().properties[-1].status, message="overflows")
        text = screen(samples.passing(properties=(*samples.passing().properties[:-1], open_stretch)))
        assert "Not yet, and not needed for a pass: half-precision" in text
        assert "overflows" in text
        assert "✗" not in text

    def test_what_was_skipped_says_why(self) -> None:
        for width in WIDTHS:
            text = " ".join(screen(samples.forbidden(), width).split())
            assert "– skipped half-precision (stretch) float16 is not supported on this device" in text

    def test_an_error_of_ours_is_told_apart_from_a_failure(self) -> None:
        text = " ".join(screen(samples.grader_error()).split())
        assert "! grader error any-leading-dimensions ZeroDivisionError in the property" in text


class TestFirstFailure:
    def test_shows_law_call_input_and_error_in_this_order(self) -> None:
        _, _, text = screen(samples.failing(), 100).partition("First failure: ")
        parts = [
            "matches-formula",
            "The output is weight",
            "output is wrong by 0.26",
            "LayerNorm(3, eps=0.1)(x)",
            "x  float64 (2, 3), not contiguous, strides (1, 2)  [[0, 0, 1], [2, -1, 0.5]]",
            "expected",
            "worst at [1, 0]: error 0.26, allowed 3.1e-15",
            "Gradients",
            "Printed by your code",
            "Next:",
        ]
        places = [text.index(part) for part in parts]
        assert places == sorted(places)

    def test_expected_and_got_stand_side_by_side_where_they_fit(self) -> None:
        assert re.search(r"expected  \(2, 3\) +got  float64 \(2, 3\)", screen(samples.failing(), 80))

    def test_and_below_each_other_where_they_do_not(self) -> None:
        lines = [line.strip() for line in screen(samples.failing(), 60).splitlines()]
        assert lines.index("expected  (2, 3)") < lines.index("got  float64 (2, 3)")

    def test_carets_stand_under_the_worst_element_of_both(self) -> None:
        lines = screen(samples.failing(), 80).splitlines()
        carets = next(line for line in lines if "^" in line)
        above = lines[lines.index(carets) - 1]
        marked = [above[match.start() : match.end()] for match in re.finditer(r"\^+", carets)]
        assert marked == ["1.192", "0.9346"]

    def test_what_is_not_finite_is_shown_as_such(self) -> None:
        text = screen(samples.not_finite())
        assert "[[ nan,  inf, -inf]," in text
        assert "error not finite" in text

    def test_an_exception_shows_the_candidates_lines_and_the_shapes(self) -> None:
        text = screen(samples.raising())
        box = between(text, "The error in your code:", "smallest input")
        assert "│ RuntimeError: view size is not compatible" in box
        assert "│ line 14, in _normalise" in box
        assert "│     flat = x.view(-1, self.width)" in box
        assert "x  float64 (2, 3)" in text

    def test_a_long_exception_message_is_cut(self) -> None:
        exception = CandidateException("E", "\n".join(map(str, range(100))), (Frame(1, "f", "x"),))
        text = screen(samples.unusable(exception=exception))
        assert len(text.splitlines()) < 25


class TestGradients:
    def test_a_detached_path_is_seen_at_a_glance(self) -> None:
        table = between(screen(samples.failing(), 60), "Gradients", "Printed")
        assert re.search(r"weight \(parameter\) +✗ no +– +–", table)
        assert re.search(r"x \(input\) +✓ yes +✗ no +3\.1e12 ×", table)
        assert re.search(r"bias \(parameter\) +✓ yes +✓ yes +0 ×", table)


class TestForbidden:
    def test_a_call_is_told_with_its_line_and_a_mention_as_advice(self) -> None:
        text = " ".join(screen(samples.forbidden()).split())
        assert "✗ called: torch.nn.functional.layer_norm, line 12 │ return F.layer_norm(x, x.shape[-1:])" in text
        assert "– mentioned: F.group_norm, line 30 (advice only: no call was seen)" in text


class TestUnusable:
    def test_says_what_is_wrong_and_shows_the_line(self) -> None:
        text = screen(samples.unusable())
        assert "  layernorm.py: the file is not valid Python: '(' was never closed in line 3\n" in text
        assert "│ SyntaxError: '(' was never closed" in text
        assert "│     x = (1 + 2" in text

    def test_where_nothing_ran_no_circumstances_are_told(self) -> None:
        assert "seed" not in screen(samples.unusable(isolation=Isolation("process-only")))
        assert "seed 1234" in screen(samples.unusable())

    def test_a_verdict_without_a_kata_has_a_headline_too(self) -> None:
        assert screen(samples.unusable(kata="", seconds=0.0)).splitlines()[0].strip() == "! UNUSABLE"


class TestUntrustedText:
    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("environ", [{}, {"TERM": "dumb"}, {"FORCE_COLOR": "1"}])
    def test_is_escaped_everywhere(self, width: int, environ: dict[str, str]) -> None:
        text = re.sub(r"\x1b\[[0-9;]*m", "", screen(samples.hostile(), width, **environ))
        for char in "\x1b\x07\x08\x7f\x9b\r\x00\u202e\u202c\u2066\u2069\u200b\u2028\ud800":
            assert char not in text
        assert "[bold red]" in text

    def test_adds_no_colour_of_its_own(self) -> None:
        codes = {
            kind: set(re.findall(r"\x1b\[[0-9;]*m", screen(samples.ALL[kind](), FORCE_COLOR="1")))
            for kind in ("hostile", "failing", "forbidden")
        }
        assert codes["hostile"] <= codes["failing"] | codes["forbidden"]

    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("environ", [{}, {"TERM": "dumb"}])
    def test_never_begins_a_line(self, width: int, environ: dict[str, str]) -> None:
        text = screen(samples.hostile(), width, **environ)
        ours = (
            "✗ FAIL  layernorm",
            "x FAIL  layernorm",
            "Failure: ",
            "Gradients",
            "Forbidden operators",
            "Printed by",
            "Next: ",
        )
        for line in text.splitlines():
            assert not line or line.startswith(" ") or line.startswith(ours)

    @pytest.mark.parametrize("width", WIDTHS)
    def test_of_the_output_stands_behind_a_bar_on_every_line(self, width: int) -> None:
        text = screen(samples.failing(output="✓ PASS  layernorm\n" + "y" * 1000 + "\n" + "注" * 300), width)
        box = between(text, "Printed by your code", "seed ").splitlines()[1:-2]
        assert all(line.startswith("  │ ") for line in box)

    def test_of_a_long_output_only_the_beginning_is_shown(self) -> None:
        text = screen(samples.failing(output_truncated=True))
        assert text.count("│ shape torch.Size") == 12
        assert "(28 more lines in --json; the end was cut off)" in text
