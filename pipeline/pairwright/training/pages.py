"""The pages of trainings and of comparisons of planners: templates with their plots."""

from matplotlib.figure import Figure as Drawing

from pairwright.pages import Page, render_page
from pairwright.pages.plots import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    ORANGE,
    WIDTH,
    Colour,
    Dot,
    Plot,
    draw_dots,
    drawing,
    plot,
)
from pairwright.text import visible
from pairwright.training.plan_scores import MATCHES, MEANING, Match, Name, PlanScores
from pairwright.training.planner_checkpoints import TrainingReport

WORDS: dict[Name, str] = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "other": "precision, somebody else's",
}
_LOOKS: dict[Name, tuple[str, Colour]] = {
    "precision": ("o", BLUE),
    "recall": ("D", GREEN),
    "f1": ("s", ORANGE),
    "other": ("x", GREY),
}


def plan_scores_page(scores: PlanScores, *, drawn: bool = True) -> Page:
    """Planners side by side."""
    plots = {f"match-{match}": _match_plot(scores, match) for match in scores.matches if drawn}
    first = next(iter(scores.matches), None)
    ranked = [
        figures["f1"]
        for figures in (scores.of(first) if first else {}).values()
        if figures["f1"].mean and figures["f1"].mean.value is not None
    ]
    best = max(ranked, key=lambda one: (one.mean and one.mean.value) or 0.0, default=None)
    return render_page(
        "plan_scores", plots, scores=scores, best=best, words=WORDS, meanings=MEANING,
        matched_by=MATCHES,
    )  # fmt: skip


def planner_page(report: TrainingReport, *, drawn: bool = True) -> Page:
    """What a planner was trained on, and which checkpoint was chosen why."""
    decided = report.begun.decides()
    del decided["data"]
    settings = [
        (f"{key}.{name}" if name else key, "none" if value is None else str(value))
        for key, setting in decided.items()
        for name, value in (setting.items() if isinstance(setting, dict) else [("", setting)])
    ]
    plots = {"checkpoints": _checkpoints_plot(report), "loss": _loss_plot(report)} if drawn else {}
    return render_page("planner", plots, report=report, decided=settings)


def _match_plot(scores: PlanScores, match: Match) -> Plot:
    dots = [
        Dot(visible(planner), mean, colour, marker, WORDS[name])
        for planner, figures in scores.of(match).items()
        for name, (marker, colour) in _LOOKS.items()
        if (mean := figures[name].mean)
    ]
    caption = (
        f"Planned against gold aspects, matched by {match}, with 95 % intervals by user. The cross"
        " is precision against another user's gold aspects."
    )
    return draw_dots(dots, unit="%", reference=None, caption=caption, name=f"match-{match}")


def _checkpoints_plot(report: TrainingReport) -> Plot:
    with drawing():
        figure = Drawing(figsize=(WIDTH, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for score in report.checkpoints:
            colour = GREEN if score.step == report.chosen else BLUE
            if score.f1 and score.f1.low is not None and score.f1.high is not None:
                axes.vlines(score.step, score.f1.low, score.f1.high, color=colour.light)
            if score.f1 and score.f1.value is not None:
                axes.plot(score.step, score.f1.value, "o", color=colour.light)
            axes.plot(score.step, score.worst, "x", color=GREY.light, clip_on=False)
        steps = [score.step for score in report.checkpoints]
        axes.set_xticks(steps[:: len(steps) // 12 + 1])
        axes.set_xlabel("step")
        axes.set_ylabel("F1")
        axes.set_ylim(bottom=0)
        axes.axhline(0, color=FAINT.light, linewidth=0.5)
        caption = (
            "How the plans of each checkpoint match the gold aspects of validation items: F1 with"
            " its 95 % interval by user over plans that could be read (points; the chosen one is"
            " green), and over all items with 0 for those that could not (crosses)."
        )
        return plot(figure, caption, name="checkpoints")


def _loss_plot(report: TrainingReport) -> Plot:
    with drawing():
        figure = Drawing(figsize=(WIDTH, 3.0), layout="constrained")
        axes = figure.add_subplot()
        steps, losses = zip(*report.losses, strict=True) if report.losses else ((), ())
        axes.plot(steps, losses, color=BLUE.light)
        axes.set_xlabel("step")
        axes.set_ylabel("loss, nats a token")
        return plot(figure, "Training loss over the tokens of the targets alone.", name="loss")
