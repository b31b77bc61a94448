"""A log–log plot out of characters: its marks lie where their numbers are, and nothing depends on colour or Unicode."""

from __future__ import annotations

import io
import math
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

from grader.output import Output
from grader.render import bench
from grader.render.page import Page
from grader.render.plot import LABELS, ROWS, legend, plot, tick_label
from grader.timing.bench import LIBRARY, REFERENCE, YOURS, BenchResult, Line, Point, slope

samples = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("samples.py"))))

SIZES = (128, 256, 512, 1024, 2048)
WIDTHS = (40, 60, 80, 116, 120)


def line(who: str = YOURS, exponent: float = 1.0, seconds: float = 1e-4, name: str = "yours") -> Line:
    return Line(who, name, SIZES, tuple(seconds * (size / SIZES[0]) ** exponent for size in SIZES))


def marks(rows: list[str], mark: str) -> list[tuple[int, int]]:
    """(column, row) of every mark, from left to right."""
    found = [(x, y) for y, row in enumerate(rows[:ROWS]) for x, cell in enumerate(row) if cell == mark]
    return sorted(found)


class TestMarks:
    @pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("ascii_only", [False, True])
    def test_of_a_power_lie_on_a_straight_line(self, exponent: float, width: int, ascii_only: bool) -> None:
        rows = plot([line(exponent=exponent)], "L = S", width, ascii_only=ascii_only)
        found = marks(rows, "#" if ascii_only else "●")
        assert len(found) == len(SIZES)
        (x0, y0), (x1, y1) = found[0], found[-1]
        for x, y in found:
            assert abs(y - (y0 + (x - x0) / (x1 - x0) * (y1 - y0))) <= 1

    def test_of_a_steeper_code_climb_faster(self) -> None:
        both = [line(exponent=2.0), line(REFERENCE, exponent=1.0)]
        rows = plot(both, "L", 60)
        climbed = [marks(rows, mark)[0][1] - marks(rows, mark)[-1][1] for mark in "●○" if marks(rows, mark)]
        assert climbed[0] > climbed[1]

    def test_of_every_code_differ_in_shape(self) -> None:
        lines = [line(seconds=4e-4), line(REFERENCE, seconds=1e-4), line(LIBRARY, seconds=2e-5)]
        for ascii_only, shapes in ((False, "●○+"), (True, "#o+")):
            rows = plot(lines, "L", 60, ascii_only=ascii_only)
            assert [len(marks([row[LABELS + 1 :] for row in rows], mark)) for mark in shapes] == [len(SIZES)] * 3

    def test_that_fall_together_are_told(self) -> None:
        assert len(marks(plot([line(), line(REFERENCE)], "L", 60), "◉")) == len(SIZES)

    def test_of_one_size_are_shown_all_the_same(self) -> None:
        rows = plot([Line(YOURS, "yours", (64,), (1e-5,))], "L", 60)
        assert len(marks(rows, "●")) == 1
        assert "64" in rows[-2]

    def test_of_times_that_hardly_differ_do_not_fill_the_height(self) -> None:
        flat = Line(YOURS, "yours", SIZES, (1e-5, 1.1e-5, 1e-5, 1.05e-5, 1.1e-5))
        heights = {y for _, y in marks(plot([flat], "L", 60), "●")}
        assert max(heights) - min(heights) <= 1


class TestGuides:
    @pytest.mark.parametrize(("exponent", "name"), [(1.0, "∝ L"), (2.0, "∝ L²")])
    def test_of_the_true_slope_pass_under_the_marks(self, exponent: float, name: str) -> None:
        rows = plot([line(exponent=exponent)], "L", 80)
        assert any(re.search(rf"{name}($| )", row) for row in rows)
        dotted = [
            (x, y) for y, row in enumerate(rows[:ROWS]) for x, cell in enumerate(row) if "\u2800" < cell <= "\u28ff"
        ]
        for x, y in marks(rows, "●")[1:-1]:
            assert any(abs(x - other) <= 2 and abs(y - height) <= 1 for other, height in dotted)

    def test_are_named_in_ascii_too(self) -> None:
        text = "\n".join(plot([line(exponent=1.5)], "L = S", 60, ascii_only=True))
        assert "~L" in text
        assert "~L^2" in text


class TestAxes:
    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("ascii_only", [False, True])
    def test_fit_the_width_and_name_sizes_and_times(self, width: int, ascii_only: bool) -> None:
        lines = [line(), line(REFERENCE, 2.0), line(LIBRARY, 1.0, 1e-6)]
        rows = plot(lines, "L = S", width, ascii_only=ascii_only)
        assert max(map(cell_len, rows)) <= width
        assert rows[-1].strip() == "L = S"
        assert "2048" in rows[-2]
        assert len(re.findall(r"\d+ [mµun]?s [┤+]", "\n".join(rows))) >= 2
        if ascii_only:
            assert "\n".join(rows).isascii()

    def test_names_of_sizes_never_touch(self) -> None:
        many = tuple(2**power for power in range(4, 18))
        rows = plot([Line(YOURS, "yours", many, tuple(1e-7 * size for size in many))], "N", 40)
        assert set(rows[-2].split()) <= {str(size) for size in many}
        assert str(many[-1]) in rows[-2].split()

    def test_labels_lie_at_their_height(self) -> None:
        rows = plot([line(exponent=2.0, seconds=1e-4)], "L", 60)
        (height,) = [y for y, row in enumerate(rows) if row.startswith("100 µs")]
        assert marks(rows, "●")[0][1] == height

    @pytest.mark.parametrize(
        ("step", "power", "text"),
        [(1, 0, "1 s"), (5, 1, "50 s"), (2, -1, "200 ms"), (1, -3, "1 ms"), (2, -4, "200 µs"), (1, -9, "1 ns")],
    )
    def test_labels_are_exact(self, step: int, power: int, text: str) -> None:
        assert tick_label(step, power) == text


class TestLegend:
    def test_names_every_mark(self) -> None:
        lines = [line(), line(LIBRARY, name="F.layer_norm")]
        assert legend(lines, "L") == "● yours  + F.layer_norm  ◉ several  dotted: time ∝ L and ∝ L²"
        assert legend(lines, "L", ascii_only=True).isascii()


class TestSlope:
    @pytest.mark.parametrize("exponent", [0.0, 1.0, 1.97])
    def test_of_a_power_is_its_exponent(self, exponent: float) -> None:
        made = line(exponent=exponent)
        assert slope(made.sizes, made.seconds) == pytest.approx(exponent)

    def test_is_that_of_the_largest_sizes(self) -> None:
        overhead = Line(YOURS, "yours", SIZES, (1.0, 1.0, 1.0, 4.0, 16.0))
        assert overhead.slope == pytest.approx(2.0)

    def test_of_one_size_is_unknown(self) -> None:
        assert slope((64,), (1.0,)) is None
        assert slope((64, 64), (1.0, 2.0)) is None


def screen(result: BenchResult, width: int = 120, **environ: str) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    out = Output(stream, stream, {"COLUMNS": str(width), **environ})
    out.show(bench.screen(Page(out.look.width, ascii_only=not out.look.unicode), result))
    return stream.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined,no-any-return]


class TestScreen:
    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("environ", [{}, {"TERM": "dumb"}, {"FORCE_COLOR": "1"}])
    def test_fits_its_width_and_has_a_plot_and_a_table_for_each_mode(self, width: int, environ: dict[str, str]) -> None:
        text = re.sub(r"\x1b\[[0-9;]*m", "", screen(samples.benched(), width, **environ))
        assert max(map(cell_len, text.splitlines())) <= width
        for title in ("forward, float32", "forward + backward, float32"):
            assert title in text
        assert len(re.findall(r"\(1\.26[–-]1\.54\)", text)) == 2 * len(samples.SIZES)
        assert text.isascii() == ("TERM" in environ)
        assert "…" not in text

    def test_puts_two_modes_beside_each_other_where_there_is_room(self) -> None:
        assert re.search(
            r"^forward, float32 +forward \+ backward, float32$", screen(samples.benched(), 116), re.MULTILINE
        )
        assert not re.search(r"^forward, float32 +forward", screen(samples.benched(), 115), re.MULTILINE)

    def test_says_the_figures_and_how_they_grow(self) -> None:
        text = screen(samples.benched(), 80)
        assert re.search(r"^ +L = S +yours +reference +library +yours ÷ reference$", text, re.MULTILINE)
        assert re.search(r"^ +128 +140 µs +100 µs +70.0 µs +1.40 \(1.26–1.54\)$", text, re.MULTILINE)
        assert "  From L = 256 on, time grows like L^2.00 (yours), L^2.00 (reference)," in text

    def test_leaves_the_library_out_where_there_is_none(self) -> None:
        text = screen(samples.benched(points=samples.points(1e-4, library=None, library_name="")))
        assert "library" not in text
        assert "● yours  ○ the reference  ◉ several" in text

    def test_says_what_a_reader_must_not_overlook(self) -> None:
        noisy = samples.benched(
            points=samples.points(1e-4, noise=2.0, note="computes in other threads"), reason="no memory"
        )
        text = screen(noisy)
        assert "The processor was ours for 50% of the time at worst" in text
        assert "forward: computes in other threads" in text
        assert "Not everything was timed: no memory" in text
        assert "not checked" not in text
        assert "code whose answers were not checked" in screen(samples.benched(verdict=""))


class TestResult:
    def test_a_point_has_the_seconds_of_all_three_codes(self) -> None:
        first = samples.points(1e-4, ratio=1.5, library=3.0)[0]
        assert (first.yours, first.reference) == pytest.approx((1.5e-4, 1e-4))
        assert first.library == pytest.approx(5e-5)

    def test_panels_follow_dtype_and_mode_in_the_order_of_measuring(self) -> None:
        half = samples.points(1e-4, dtype="bfloat16")
        panels = samples.benched(points=(*samples.benched().points, *half)).panels
        assert [(panel.dtype, panel.mode) for panel in panels] == [
            ("float32", "forward"), ("float32", "forward + backward"), ("bfloat16", "forward"),
        ]  # fmt: skip
        assert all(math.isfinite(seconds) for panel in panels for each in panel.lines for seconds in each.seconds)

    def test_a_point_without_rounds_is_in_no_panel(self) -> None:
        empty = Point(4096, samples.speed(rounds=()))
        (panel,) = samples.benched(points=(*samples.points(1e-4), empty)).panels
        assert [point.size for point in panel.points] == list(samples.SIZES)
