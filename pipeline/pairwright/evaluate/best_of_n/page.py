"""Best-of-n as a page: the scaling plot, then every number behind it."""

from matplotlib.figure import Figure

from pairwright.evaluate.best_of_n.curves import BestOfN
from pairwright.pages import Page, render_page
from pairwright.pages.plots import FAINT, WIDTH, Curve, Plot, draw_curves, drawing, plot
from pairwright.records import FULL_ADHERENCE
from pairwright.text import visible


def best_of_n_page(result: BestOfN, *, drawn: bool = True) -> Page:
    """The whole report; a terminal does without the drawing."""
    plots = {"scaling": _plot(result)} if result.best and drawn else {}
    return render_page("best_of_n", plots, result=result, full=FULL_ADHERENCE)


def _plot(result: BestOfN) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, 4.8), layout="constrained")
        axes = figure.add_subplot()
        draw_curves(
            axes,
            [
                Curve(
                    visible(line.scorer.name),
                    [point.k for point in line.points],
                    [point.subsets for point in line.points],
                    dotted=line is result.ceiling,
                )
                for line in result.lines
                if line.points
            ],
        )
        if result.ceiling:
            axes.axhline(result.ceiling.mean, color=FAINT.light, linewidth=0.8, label="at random")
        ticks = [point.k for point in max((line.points for line in result.lines), key=len)]
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.set_xlabel("k, samples that the scorer picks from")
        axes.set_ylabel("adherence of its pick")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
        caption = "Best of k over all subsets of k of the samples, with 95 % intervals by user."
        return plot(figure, caption, name="scaling")
