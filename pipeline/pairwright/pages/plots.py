"""Plots: the colours of pages, and the drawings that several pages share.

A plot is SVG whose text stays text. Every estimate is drawn with its interval.
"""

import io
import itertools
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure

from pairwright.stats import Estimate

WIDTH = 5.4
"""Inches, of every plot: on a telephone it is scaled down and can still be read."""


class Plot(NamedTuple):
    """A drawing with a caption that says what is to be seen."""

    svg: Markup
    caption: str


FAINT, PAPER = "#6a727b", "#ffffff"
# Okabe and Ito's palette (2008), which people with any colour vision distinguish.
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, GREY = "#56b4e9", "#999999"
_STYLE = Path(__file__).with_suffix(".mplstyle")


@contextmanager
def drawing() -> Iterator[None]:
    """The style of plots, for making figures in."""
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(mpl.rc_params_from_file(_STYLE, use_default_template=False))
        # A script that the measuring font lacks is drawn by the reader's own fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def plot(figure: Figure, caption: str, *, name: str) -> Plot:
    """The figure as SVG. Call it inside `drawing`.

    `name` sets its ids apart from those of the page's other plots.
    """
    file = io.StringIO()
    figure.savefig(
        file, format="svg", transparent=True,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )  # fmt: skip
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'(?<= id=")|(?<=href="#)|(?<=url\(#)', f"{name}-", svg)
    svg = svg.replace("*{stroke-linejoin", "svg *{stroke-linejoin", 1)
    named = f'<svg role="img" aria-label="{escape(caption)}" '
    return Plot(Markup(svg.replace("<svg ", named, 1)), caption)


class Dot(NamedTuple):
    """An estimate on the line of its label."""

    label: str
    estimate: Estimate
    colour: str = BLUE


def draw_panel(
    dots: Sequence[Dot],
    *,
    unit: str,
    reference: float | None,
    ends: tuple[float, float],
    caption: str,
    name: str,
) -> Plot:
    """Estimates times 100 on one axis from end to end, the first one on top; a dashed line at the
    share `reference`, if there is one."""
    with drawing():
        figure = Figure(figsize=(WIDTH, 1.2 + 0.36 * len(dots)), layout="constrained")
        axes = figure.add_subplot()
        for line, (_, estimate, colour) in enumerate(dots):
            value, low, high = estimate.value, estimate.low, estimate.high
            if low is not None and high is not None:
                axes.hlines(line, 100 * low, 100 * high, color=colour, linewidth=1.8)
            if value is not None:
                axes.plot(100 * value, line, "o", color=colour, markersize=5, clip_on=False)
        axes.set_yticks(range(len(dots)), [dot.label for dot in dots])
        axes.set_ylim(len(dots) - 0.4, -0.6)
        axes.grid(axis="x")
        if reference is not None:
            axes.axvline(100 * reference, color=FAINT, linestyle=(0, (4, 3)), zorder=0)
        axes.set_xlim(*ends)
        axes.set_xlabel(unit)
        return plot(figure, caption, name=name)


class Curve(NamedTuple):
    """Estimates over a number, as a line with its band."""

    label: str
    xs: Sequence[float]
    estimates: Sequence[Estimate]
    dotted: bool = False
    """A line of reference: dotted, without marks and band."""


def draw_curves(
    curves: Sequence[Curve], labels: tuple[str, str], *, caption: str, name: str
) -> Plot:
    """The curves with their 95 % bands, over a logarithmic axis with a mark at each x of the first;
    `labels` are those of both axes. Lines and colours come again, so that twenty can be
    distinguished."""
    colours = (BLUE, ORANGE, GREEN, RED, SKY)
    looks = itertools.cycle(itertools.product(("-", "--", ":", "-."), colours))
    with drawing():
        figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for curve in curves:
            xs, values = curve.xs, [one.value or 0.0 for one in curve.estimates]
            if curve.dotted:
                axes.plot(xs, values, color=GREY, linestyle=":", label=curve.label)
                continue
            line, colour = next(looks)
            axes.plot(xs, values, "o", linestyle=line, color=colour, label=curve.label)
            both = list(zip(curve.estimates, values, strict=True))
            low = [value if one.low is None else one.low for one, value in both]
            high = [value if one.high is None else one.high for one, value in both]
            axes.fill_between(xs, low, high, color=colour, alpha=0.12, linewidth=0)
        axes.set_xscale("log", base=2)
        axes.set_xticks(curves[0].xs, [f"{x:g}" for x in curves[0].xs])
        axes.minorticks_off()
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        figure.legend(loc="outside lower left", ncols=2)
        return plot(figure, caption, name=name)
