"""A training as a page: what was learned from what, and which checkpoint was chosen why."""

from matplotlib.figure import Figure

from pairwright.report import BLUE, GREEN, GREY, Block, Page, Plot, Section, Table, drawing, plot
from pairwright.text import visible
from pairwright.training.gold import format_interval
from pairwright.training.planner_checkpoints import TrainingReport, TrainingStart


def page(report: TrainingReport) -> Page:
    """The whole page."""
    return Page(
        title=f"A planner trained from {visible(report.begun.settings.model)}",
        warnings=warnings(report),
        sections=(
            Section("Checkpoints", (_matches(report), _checkpoints(report), *_chosen(report))),
            Section("Loss", (_losses(report),)),
            Section("What it was trained on", tuple(_data(report))),
            Section("Settings", (_settings(report.begun),)),
        ),
    )


def warnings(report: TrainingReport) -> tuple[str, ...]:
    if any(score.unreadable < score.items for score in report.checkpoints):
        return ()
    return (
        "No checkpoint wrote a plan that can be read: none is better than another, and the earliest"
        " is kept. Train for longer, or raise [selection] new_tokens if plans are cut short.",
    )


def _matches(report: TrainingReport) -> Plot:
    with drawing():
        figure = Figure(figsize=(8.6, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for score in report.checkpoints:
            colour = GREEN if score.step == report.chosen else BLUE
            if score.f1 and score.f1.low is not None and score.f1.high is not None:
                axes.vlines(score.step, score.f1.low, score.f1.high, color=colour.light)
            if score.f1 and score.f1.value is not None:
                axes.plot(score.step, score.f1.value, "o", color=colour.light)
            axes.plot(score.step, score.worst, "x", color=GREY.light, clip_on=False)
        axes.set_xlabel("step")
        axes.set_ylabel("F1")
        axes.set_xticks(
            [score.step for score in report.checkpoints][:: len(report.checkpoints) // 12 + 1]
        )
        axes.set_ylim(bottom=0)
        caption = (
            "How the plans of each checkpoint match the gold aspects of validation items: F1 with"
            " its 95 % interval by user over plans that could be read (points; the chosen one is"
            " green), and over all items with 0 for those that could not (crosses)."
        )
        return plot(figure, caption, name="checkpoints")


def _checkpoints(report: TrainingReport) -> Table:
    return Table(
        ("step", "precision", "recall", "F1", "over all items", "unreadable", "items"),
        tuple(
            (
                f"{score.step:,}", format_interval(score.precision),
                format_interval(score.recall), format_interval(score.f1),
                f"{score.worst:.3f}", f"{score.unreadable:,}", f"{score.items:,}",
            )
            for score in report.checkpoints
        ),
        left=0,
        note="In brackets: 95 % interval by user, and n. Precision leaves out empty plans.",
    )  # fmt: skip


def _chosen(report: TrainingReport) -> tuple[Block, ...]:
    how = (
        "shared content words"
        if report.begun.settings.selection.match == "words"
        else "cosine of embeddings"
    )
    return (
        f"checkpoint-{report.chosen} is chosen: its F1 over all items is highest, a plan that"
        f" cannot be read counting 0. Two aspects are compared by their {how}; each is held"
        " against the nearest of the other list. Such numbers compare checkpoints of one training;"
        " `pairwright train score` compares planners.",
    )


def _losses(report: TrainingReport) -> Plot:
    with drawing():
        figure = Figure(figsize=(8.6, 3.0), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(
            [s for s, _ in report.losses], [loss for _, loss in report.losses], color=BLUE.light
        )
        axes.set_xlabel("step")
        axes.set_ylabel("loss, nats a token")
        return plot(figure, "Training loss over the tokens of the targets alone.", name="loss")


def _data(report: TrainingReport) -> tuple[Block, ...]:
    data = report.begun.data
    counts = (
        *((f"not used: {reason}", n) for reason, n in data.refused.items()),
        *((f"aspect in no target: {reason}", n) for reason, n in data.dropped.items()),
        ("fewer posts than the policy shows, for want of room", data.shortened),
        *((f"validation, not used: {reason}", n) for reason, n in report.refused.items()),
    )
    return (
        f"{data.items:,} items of {data.users:,} users with {data.aspects:,} aspects in their"
        f" targets; {data.learned:,} of {data.tokens:,} tokens are targets, which alone the loss"
        " counts.",
        Table(("", "n"), tuple((name, f"{n:,}") for name, n in counts)),
    )


def _settings(begun: TrainingStart) -> Table:
    settings = begun.decides()
    del settings["data"]
    rows = [
        (f"{key}.{name}" if name else key, "none" if value is None else visible(str(value)))
        for key, setting in settings.items()
        for name, value in (setting.items() if isinstance(setting, dict) else [("", setting)])
    ]
    return Table(("", ""), tuple(rows), left=2)
