"""The plots of `kata bench` as a PNG or SVG file, drawn by matplotlib, which is an optional extra.

Draws on the Agg and SVG canvases only, so that no display is needed and no window opens; neither pyplot nor a user's
matplotlibrc is asked for anything. Imported only where a file was asked for.
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.render.plot import tick_label
from grader.timing.bench import LIBRARY, REFERENCE, YOURS, BenchResult, Line, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST = 10.0  # largest ÷ smallest time that a panel spans

# Colours of Okabe and Ito, which people with any colour vision can tell apart; marks and dashes differ as well.
_STYLES: dict[str, dict[str, Any]] = {
    YOURS: {"color": "#D55E00", "marker": "o", "linestyle": "-", "linewidth": 2.2, "markersize": 7, "zorder": 4},
    REFERENCE: {"color": "#0072B2", "marker": "s", "linestyle": "--", "linewidth": 1.6, "markersize": 6, "zorder": 3},
    LIBRARY: {"color": "#009E73", "marker": "^", "linestyle": "-.", "linewidth": 1.6, "markersize": 6, "zorder": 2},
}
_SETTINGS = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "torch-kata",  # the same figure is the same file
}


def require_matplotlib() -> None:
    """Raise UsageError, with the command that helps, where there is no matplotlib."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise UsageError(f"--png and --svg need matplotlib: {error}", "pip install 'torch-kata[plot]'") from None


def draw(bench: BenchResult, format: str) -> bytes:
    """The file's content: a row of panels for each dtype, a panel for each mode."""
    import matplotlib
    from matplotlib.figure import Figure

    panels = bench.panels
    dtypes = list(dict.fromkeys(panel.dtype for panel in panels))
    modes = list(dict.fromkeys(panel.mode for panel in panels))
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # not by reading them one by one: that of the backend is found by trying which one starts
        matplotlib.rcParams.update(_SETTINGS)
        figure = Figure(figsize=(5.8 * len(modes), 4.9 * len(dtypes) + 0.6), facecolor="white", layout="constrained")
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.1)
        grid: Any = figure.subplots(len(dtypes), len(modes), squeeze=False)
        for axes in grid.flat:
            axes.set_visible(False)
        for panel in panels:
            _draw_panel(grid[dtypes.index(panel.dtype)][modes.index(panel.mode)], panel, bench.size_name)
        unchecked = "" if bench.checked else ", answers not checked"
        figure.suptitle(f"{bench.kata}: time of a call{unchecked}\n{_machine(bench)}", fontsize=12)
        target = io.BytesIO()
        figure.savefig(target, format=format, dpi=150, metadata={"Date": None} if format == "svg" else None)
    return target.getvalue()


def _draw_panel(axes: Axes, panel: Panel, size_name: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    variable = size_name.partition(" ")[0]
    axes.set_visible(True)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    for line in panel.lines:
        axes.plot(line.sizes, line.seconds, label=_label(line.name, line.slope, variable), **_STYLES[line.who])
    low, high = axes.get_ylim()
    if high / low < LEAST:
        middle = (low * high) ** 0.5
        low, high = middle / LEAST**0.5, middle * LEAST**0.5
    axes.set_ylim(low, high)
    _draw_guides(axes, panel.lines[0], variable)
    sizes = sorted({size for line in panel.lines for size in line.sizes})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(10, (1.0,) if high / low > 300 else (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(_tick))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, which="major", color="#DDDDDD", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title(f"{panel.mode}, {panel.dtype}")
    axes.set_xlabel(size_name)
    axes.set_ylabel("time of a call")
    # Below the axes: wherever it lay inside, some data would lie under it.
    axes.legend(frameon=False, fontsize=10, loc="upper center", bbox_to_anchor=(0.5, -0.14))


def _draw_guides(axes: Axes, yours: Line, variable: str) -> None:
    """Slope 1 and 2 through the last of your points, each named where it enters the picture."""
    if len(yours.sizes) < 2:
        return
    first, last, bottom = yours.sizes[0], yours.sizes[-1], axes.get_ylim()[0]
    guides = ((1, rf"$\propto {variable}$", (0, 9)), (2, rf"$\propto {variable}^2$", (12, 0)))
    for exponent, name, offset in guides:
        start = max(first, last * (bottom / yours.seconds[-1]) ** (1 / exponent))
        ends = [yours.seconds[-1] * (size / last) ** exponent for size in (start, last)]
        axes.plot((start, last), ends, color="#777777", linestyle=":", linewidth=1.3, zorder=1)
        axes.annotate(name, (start, ends[0]), offset, textcoords="offset points", color="#555555", va="bottom")


def _tick(seconds: float, _: object = None) -> str:
    power = math.floor(math.log10(seconds) + 1e-9)
    return tick_label(round(seconds / 10**power), power)


def _label(name: str, slope: float | None, variable: str) -> str:
    return name if slope is None else f"{name}, grows like {variable}$^{{{slope:.2f}}}$"


def _machine(bench: BenchResult) -> str:
    known = [
        bench.machine.get("cpu", ""),
        bench.device,
        bench.machine.get("gpu", ""),
        *(f"{k} {bench.machine[k]}" for k in ("torch",) if k in bench.machine),
    ]
    return ", ".join(part for part in known if part)
