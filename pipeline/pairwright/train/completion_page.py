"""A completions benchmark as a page: what it is not evidence of, all conditions, the
differences.
"""

from collections.abc import Iterator

from matplotlib.figure import Figure

from pairwright.estimate import Estimate
from pairwright.report import BLUE, FAINT, Page, Plot, Section, Table, drawing, plot
from pairwright.text import number_of, visible
from pairwright.train.completions import CEILING, Completions, ConditionMean

NO_EVIDENCE = (
    "This measures imitation of a user's writing: how many words a text shares with what the user"
    " wrote. It is not evidence about answers, nor about what the user would like."
)
REFUSED: dict[str, str] = {
    "empty_body": "the body (`narrative`) is empty, or has no word",
    "body_in_posts": "the body is in one of the posts, whole or nearly",
    "body_in_title": "the body is in the title",
    "no_other_profile": "nobody else in the category has earlier posts",
}
HEAD = ("", "ROUGE-1", "ROUGE-L", "posts", "words", "items", "users")
DIFFERENCES = ("", "ROUGE-1", "ROUGE-L", "items", "users")


def page(completions: Completions) -> Page:
    """The whole report."""
    return Page(
        title=f"Completions, {visible(completions.source)}",
        warnings=(NO_EVIDENCE, *warnings(completions)),
        sections=(
            Section(
                "Conditions",
                (*_plots(completions), Table(HEAD, tuple(rows(completions)), note=_NOTE)),
            ),
            Section(
                "Differences", (Table(DIFFERENCES, tuple(differences(completions)), note=_PAIRED),)
            ),
            Section("How it was done", tuple(_method(completions))),
        ),
    )


def warnings(completions: Completions) -> Iterator[str]:
    """What else a reader must know before any number."""
    if completions.simulated:
        yield "A simulated model had a part in it, so it is not a result."
    if completions.limit is not None:
        yield f"Only the first {number_of(completions.limit, 'item was', 'items were')} asked."
    if completions.unchanged:
        yield (
            f"In {completions.unchanged:,} of {number_of(completions.asked, 'item')} the text with"
            " most posts is the one without any: there the policy did not use them."
        )
    if not completions.counted:
        yield "No item has a text and a score in every condition."


def rows(completions: Completions) -> Iterator[tuple[str, ...]]:
    """A row a condition."""
    for mean in completions.means:
        words = f"{mean.words:,.0f}"
        shown = (
            mean.rouge_1.text(),
            mean.rouge_l.text(),
            f"{mean.posts:.1f}",
            words,
        )
        n = (f"{mean.rouge_1.n:,}", f"{mean.rouge_1.clusters:,}")
        yield (visible(mean.condition), *shown, *n)


def differences(completions: Completions) -> Iterator[tuple[str, ...]]:
    """A row a difference."""
    for difference in completions.differences:
        name = f"{visible(difference.first)} less {visible(difference.second)}"
        n = (f"{difference.rouge_1.n:,}", f"{difference.rouge_1.clusters:,}")
        yield (
            name,
            difference.rouge_1.text(sign=True),
            difference.rouge_l.text(sign=True),
            *n,
        )


def missing(completions: Completions) -> Iterator[str]:
    """Rows and items that do not count, and why."""
    for reason, n in completions.source_problems.items():
        yield f"{number_of(n, 'row or post', 'rows or posts')} of the source refused: {reason}."
    for reason, n in completions.refused.items():
        explanation = REFUSED[reason]
        yield f"{number_of(n, 'item was', 'items were')} not asked, {reason}: {explanation}."
    for reason, n in completions.unscored.items():
        yield f"{number_of(n, 'item does', 'items do')} not count, {visible(reason)}."
    if completions.shortened:
        texts = number_of(completions.shortened, "text was", "texts were")
        yield f"{texts} written with fewer posts than chosen: not all fitted."


_NOTE = (
    "F-measures, 0 to 1, with 95 % intervals by user, and none where no two users differ. Posts and"
    " words: means of the posts shown and the words written. Items with fewer posts than a"
    " condition's number are shown all they have."
)
_PAIRED = (
    "Item by item, with 95 % intervals by user, each for itself: among twenty, one misses zero by"
    " chance."
)


def _plots(completions: Completions) -> Iterator[Plot]:
    if completions.means:
        yield _plot(completions.means)


def _plot(means: tuple[ConditionMean, ...]) -> Plot:
    with drawing():
        figure = Figure(figsize=(8.6, 0.4 * len(means) + 1.1), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, name in zip(panels, ("rouge_1", "rouge_l"), strict=True):
            for place, mean in enumerate(means):
                estimate: Estimate = getattr(mean, name)
                if estimate.low is not None and estimate.high is not None:
                    axes.hlines(place, estimate.low, estimate.high, color=BLUE.light)
                axes.plot(estimate.value, place, "o", color=BLUE.light)
            none = getattr(means[0], name).value
            axes.axvline(none, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
            axes.set_xlabel(name.upper().replace("_", "-"))
        panels[0].set_yticks(range(len(means)), [visible(mean.condition)[:40] for mean in means])
        panels[0].invert_yaxis()
        caption = (
            "ROUGE with 95 % intervals by user in each condition. The dashed line is the model"
            " without posts."
        )
        return plot(figure, caption, name="rouge")


def _method(completions: Completions) -> Iterator[str]:
    yield (
        f"Source {visible(completions.source)} ({completions.source_hash}):"
        f" {completions.items:,} items, {completions.asked:,} asked, {completions.counted:,} count."
        f" Users wrote {completions.truth_words:,.0f} words on average; the prompt asks for at most"
        f" {completions.words} in every condition. Model: {visible(completions.policy.model)}."
    )
    yield (
        "none: the title alone. wrong-profile: posts of another user of the same category, as many"
        " as the user's own. posts-K: the user's K posts that are ranked best for the title, all of"
        " them earlier. best-of-N-by-SCORER: of N texts written with the most posts, the one that"
        " the scorer puts highest, with the mean over those that tie; the condition that it is"
        " picked from is the mean over the same N."
    )
    if completions.n > 1:
        yield (
            f"best-of-{completions.n}-by-{CEILING} picks by what is measured: a ceiling that no"
            " scorer can pass in ROUGE-1 with these texts."
        )
    for scorer in completions.scorers:
        yield f"{visible(scorer.name)}: {visible(scorer.model) or 'a baseline'}."
    yield from missing(completions)
