"""The HTML report: one file that needs nothing else, harmless whatever is in it, readable on a phone, in the dark, on paper."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from functools import cache
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest
import sessions
from browser import Page, browser, find_browser

from grader.desk import Desk
from grader.output import Output
from grader.render.report_chart import MOST, bars, columns, timeline
from grader.render.report_html import FOLDER, html_report, visible
from grader.report.command import find, make
from grader.report.model import Report

STORIES = pytest.mark.parametrize("story", sessions.ALL)
VOID = {"meta", "col"}
BROWSER = find_browser()


def report_of(told: sessions.Told) -> Report:
    desk = Desk(Output(StringIO(), StringIO(), {}))
    desk.__dict__["journal"] = told.journal
    return make(desk, find(desk, told.id))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Report]:
    """The report of each story, made once: nobody changes it. That of "onsite" has sessions before it."""

    def make_report(story: str) -> Report:
        home = tmp_path_factory.mktemp(story)
        if story == "onsite":
            sessions.overtime(home, sessions.BEGUN - timedelta(days=9))
            sessions.normal(home, sessions.BEGUN - timedelta(days=2))
        return report_of(sessions.ALL[story](home))

    return cache(make_report)


@pytest.fixture(scope="module")
def files(reports: Callable[[str], Report], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of each story as a file."""

    def write(story: str) -> Path:
        path = tmp_path_factory.mktemp("pages") / f"{story}.html"
        path.write_text(html_report(reports(story)), encoding="utf-8")
        return path

    return cache(write)


class Outline(HTMLParser):
    """Elements with their attributes; every element must be closed by its own end tag."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}


class TestOneFile:
    @STORIES
    def test_no_element_can_run_or_load_anything(self, story: str, files: Callable[[str], Path]) -> None:
        outline = Outline(files(story).read_text(encoding="utf-8"))
        assert not outline.tags() & {
            "script",
            "img",
            "iframe",
            "object",
            "embed",
            "link",
            "base",
            "form",
            "image",
            "use",
        }
        for tag, attributes in outline.elements:
            for name, value in attributes.items():
                assert not name.startswith("on"), (tag, name)
                assert name not in ("src", "srcset", "style", "xlink:href", "formaction"), (tag, name)
                if name == "href":
                    assert value is not None
                    assert value.startswith(("#", "https://")), value

    def test_the_policy_allows_our_style_sheet_and_nothing_else(self, files: Callable[[str], Path]) -> None:
        text = files("normal").read_text(encoding="utf-8")
        [policy] = [
            attributes["content"]
            for tag, attributes in Outline(text).elements
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
        assert style is not None
        digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
        assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        assert text.index("Content-Security-Policy") < text.index("<style>")

    def test_our_style_sheet_names_no_address(self) -> None:
        style = (FOLDER / "report.css").read_text(encoding="utf-8")
        assert not re.search(r"url\(|@import|https?:|</", style)

    def test_the_template_has_no_way_around_the_escaping(self) -> None:
        template = (FOLDER / "report.html.jinja").read_text(encoding="utf-8")
        assert not re.search(r"\|\s*(safe|join|replace|format|e\b)|autoescape|Markup", template)

    def test_what_is_invisible_is_shown_as_its_escape(self) -> None:
        assert visible("a\u202eb\x1b[0m\u200bc\nd") == "a\\u202eb\\x1b[0m\\u200bc\nd"
        assert visible(None) == ""


class TestCharts:
    @STORIES
    def test_everything_lies_within_the_picture(self, story: str, reports: Callable[[str], Report]) -> None:
        chart = timeline(reports(story))
        across = [band.x for band in chart.bands] + [band.x + band.width for band in chart.bands]
        across += [dot.x for curve in chart.curves for dot in curve.dots] + list(chart.saves)
        across += [rule.x for rule in (*chart.ticks, *chart.deadlines, *chart.rounds)]
        assert all(0 <= x <= 100.01 for x in across)
        assert 1 <= len(chart.ticks) <= 8

    @STORIES
    def test_bars_are_as_long_as_their_times(self, story: str, reports: Callable[[str], Report]) -> None:
        report = reports(story)
        drawn = [bar for rows in bars(report) for bar in rows]
        assert max(max(bar.width + bar.over, bar.mark) for bar in drawn) == pytest.approx(100, abs=0.5)
        for bar, phase in zip(drawn, report.phases, strict=True):
            assert (bar.width == 0) == (phase.seconds == 0)
            assert (bar.over > 0) == (phase.overtime > 0)

    def test_a_passing_grade_is_at_the_top_and_filled(self, reports: Callable[[str], Report]) -> None:
        [curve] = timeline(reports("normal")).curves
        heights = [dot.y for dot in curve.dots]
        assert [dot.good for dot in curve.dots] == [False, True, True]
        assert heights[0] > heights[1] == heights[2]

    def test_what_was_reached_holds_to_the_end_of_the_round(self, reports: Callable[[str], Report]) -> None:
        report = reports("onsite")
        first, second = timeline(report).curves
        assert first.lines[-1][2] == pytest.approx(report.rounds[0].end / report.elapsed * 100, abs=0.01)
        assert second.lines[-1][2] == 100

    def test_the_trend_is_as_high_as_the_share(self, reports: Callable[[str], Report]) -> None:
        drawn = columns(reports("onsite").trend)
        assert [column.height for column in drawn] == [72.7, 100, 86.4]
        assert [column.this for column in drawn] == [False, False, True]

    def test_a_session_of_many_saves_has_no_more_marks_than_can_be_told_apart(self, tmp_path: Path) -> None:
        told = sessions.Told(tmp_path, sessions.plan((30, sessions.LAYERNORM))).begin()
        for number in range(MOST * 2):
            told.wait(0.1).save(f"x = {number}\n").hint(1)
        chart = timeline(report_of(told.hand_in("x = 1\n").finish()))
        assert max(len(chart.saves), len(chart.hints)) <= MOST

    def test_the_chart_ends_with_the_session_and_not_with_whoever_comes_days_later(self, tmp_path: Path) -> None:
        told = sessions.Told(tmp_path, sessions.plan((30, sessions.LAYERNORM))).begin()
        told.wait(5).save(sessions.WRONG).wait(1).event("leave", data={"how": "key"}).wait(7200)
        told.deadline(sessions.WRONG).hand_in(sessions.WRONG).event("finish", data={"away": True})
        chart = timeline(report_of(told))
        assert [tick.label for tick in chart.ticks][-1] == "30"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if BROWSER is None:
        pytest.skip("no Chromium is installed (apt-get install chromium, or KATA_BROWSER)")
    with ExitStack() as stack:
        try:
            page = stack.enter_context(browser(BROWSER, tmp_path_factory.mktemp("profile")))
        except (OSError, RuntimeError, TimeoutError) as error:
            if "KATA_BROWSER" in os.environ:
                raise
            pytest.skip(f"{BROWSER} does not start here: {error}")
        yield page


# Ratio of contrast by WCAG 2.2 of every piece of text that is shown, with the text.
CONTRAST = """
(() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [.2126, .7152, .0722][at], 0);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body, body *")) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own || element.closest("svg") || !element.getClientRects().length) continue;
    const [one, other] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
    found.push([(Math.max(one, other) + .05) / (Math.min(one, other) + .05), element.textContent.slice(0, 40)]);
  }
  return found.sort((a, b) => a[0] - b[0])[0];
})()
"""


class TestInABrowser:
    @STORIES
    def test_nothing_runs_and_nothing_is_fetched(self, story: str, page: Page, files: Callable[[str], Path]) -> None:
        page.open(files(story))
        assert page.complaints() == []
        assert page.requested() == [files(story).as_uri()]
        assert page.evaluate("document.title").startswith("Interview ")
        assert page.evaluate("document.querySelectorAll('script, img, iframe, [onload], [onerror]').length") == 0
        assert page.evaluate("document.querySelectorAll('a[href]:not([href^=\"#\"])').length") == 0

    @STORIES
    @pytest.mark.parametrize("width", [320, 390, 1280])
    def test_no_page_is_wider_than_its_window(
        self, story: str, width: int, page: Page, files: Callable[[str], Path]
    ) -> None:
        page.open(files(story), width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    @pytest.mark.parametrize("dark", [False, True])
    @pytest.mark.parametrize("story", ["onsite", "overtime", "paused"])
    def test_text_can_be_read_in_the_light_and_in_the_dark(
        self, story: str, dark: bool, page: Page, files: Callable[[str], Path]
    ) -> None:
        page.open(files(story), dark=dark)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(21, 24, 28)" if dark else "rgb(251, 250, 247)")
        contrast, text = page.evaluate(CONTRAST)
        assert contrast >= 4.5, text

    def test_code_stands_side_by_side_on_a_screen_and_in_one_column_on_a_phone(
        self, page: Page, files: Callable[[str], Path]
    ) -> None:
        lines = "[...document.querySelectorAll('.diff .mine, .diff .theirs')]"
        across = f"{lines}.map(e => Math.round(e.getBoundingClientRect().left))"
        page.open(files("onsite"), width=1280)
        assert len(set(page.evaluate(across))) == 2
        page.open(files("onsite"), width=390)
        assert len(set(page.evaluate(across))) == 1

    def test_it_prints_black_on_white_even_from_a_dark_screen(self, page: Page, files: Callable[[str], Path]) -> None:
        page.open(files("onsite"), dark=True)
        assert page.pdf().startswith(b"%PDF")
        page.call(
            "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
        )
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        contrast, text = page.evaluate(CONTRAST)
        assert contrast >= 4.5, text
        page.call("Emulation.setEmulatedMedia", media="")

    def test_the_picture_has_curves_of_visible_size(self, page: Page, files: Callable[[str], Path]) -> None:
        page.open(files("onsite"))
        sizes = page.evaluate(
            "[...document.querySelectorAll('figure > svg')].map(e => [e.clientWidth, e.clientHeight])"
        )
        assert all(width > 400 and height > 100 for width, height in sizes)
        width, height = struct.unpack(">II", page.screenshot()[16:24])
        assert (width, height) == (1200, 900)
