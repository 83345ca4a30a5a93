"""N-lets as a page: a mark a scorer and response, then every number."""

from collections import Counter
from collections.abc import Iterator

from matplotlib.figure import Figure

from pairwright.evaluate.builders import BuildTie, build_ties, tie_mark, tie_sentence
from pairwright.evaluate.n_lets.figures import NLetFigures, NLetScores, ScorerNLets
from pairwright.evaluate.results import TRIAL
from pairwright.intervals import Interval
from pairwright.modes import mode_title
from pairwright.records import Mode
from pairwright.report import BLUE, FAINT, ORANGE, Page, Plot, Section, Table, drawing, plot
from pairwright.text import number_of, visible

CHOSEN, OTHER = "by the chosen response", "by the other response"


def head(scores: NLetScores) -> tuple[str, ...]:
    """The head of `rows`, with chance beside each share."""
    chance = f"% (chance {100 / scores.users:.1f})"
    return (
        "scorer", "pairs", f"{CHOSEN}, {chance}", f"{OTHER}, {chance}", "gain, points (chance 0)",
        "n", "clusters", "unscored",
    )  # fmt: skip


def n_let_page(scores: NLetScores) -> Page:
    """The page of the n-lets of a release."""
    release = f"{visible(scores.release.name)} {scores.release.version}"
    return Page(
        title=f"The right user of {scores.users}, {release}",
        warnings=tuple(warnings(scores)),
        sections=(
            *(Section(mode_title(mode), (_plot(scores, mode),)) for mode in modes(scores)),
            Section(
                "Every number", (Table(head(scores), tuple(rows(scores)), left=2, note=_NOTE),)
            ),
            Section("How to read it", tuple(_method(scores))),
        ),
    )


def warnings(scores: NLetScores) -> Iterator[str]:
    """What a reader must know before any number."""
    if any(one.simulated for one in scores.scorers):
        yield "The embedded model had a part in it, so it is not a result."
    if scores.release.trial:
        yield TRIAL
    if scores.limit is not None:
        yield f"Only the first {number_of(scores.limit, 'subject was', 'subjects were')} scored."
    for one in scores.scorers:
        if ties := _ties(one, scores):
            yield tie_sentence(visible(one.scorer.name), ties)
    yield from _unknown_choices(scores)
    for reason, n in _inapplicable_pairs(scores).items():
        yield (
            f"{number_of(n, 'pair is', 'pairs are')} part of no figure, because there are too few"
            f" users to show: {reason}."
        )


def modes(scores: NLetScores) -> list[Mode | None]:
    """The modes of which a figure has a value."""
    every = (figure for one in scores.scorers for figure in one.figures)
    return list(dict.fromkeys(figure.mode for figure in every if figure.chosen))


def rows(scores: NLetScores) -> Iterator[tuple[str, ...]]:
    """A row a scorer and mode, in the order of `head`."""
    for one in scores.scorers:
        for figure in one.figures:
            missing = ", ".join(f"{n:,} {why}" for why, n in figure.unscored.items())
            n, clusters = (
                (f"{figure.chosen.n:,}", f"{figure.chosen.clusters:,}")
                if figure.chosen
                else ("0", "0")
            )
            yield (
                _marked(one, scores),
                mode_title(figure.mode),
                _percent(figure.chosen),
                _percent(figure.rejected),
                _percent(figure.gain, "+"),
                n,
                clusters,
                visible(missing),
            )


def sentences(scores: NLetScores) -> Iterator[str]:
    """A line a scorer and mode, for a terminal."""
    chance = f"chance {100 / scores.users:.1f} %"
    for name, mode, chosen, rejected, gain, n, clusters, missing in rows(scores):
        without = f"; without a score: {missing}" if missing else ""
        yield (
            f"{name}, {mode}: right user of {scores.users} picked in {_with_unit(chosen, '%')}"
            f" {CHOSEN}, in {_with_unit(rejected, '%')} {OTHER} ({chance} each); gain"
            f" {_with_unit(gain, 'points')} (chance 0); n = {n}, {clusters} clusters{without}"
        )


def _with_unit(value: str, unit: str) -> str:
    """A figure's unit, before its interval."""
    return value.replace(" (", f" {unit} (", 1)


def _ties(one: ScorerNLets, scores: NLetScores) -> tuple[BuildTie, ...]:
    return build_ties((one.scorer.model, one.scorer.beside), scores.release.builders)


def _marked(one: ScorerNLets, scores: NLetScores) -> str:
    """A scorer's name, with a mark where it has something to do with the build."""
    mark = tie_mark(_ties(one, scores))
    return f"{visible(one.scorer.name)} ({mark})" if mark else visible(one.scorer.name)


def _unknown_choices(scores: NLetScores) -> Iterator[str]:
    """Of people's own choices, how far it is known that strangers would not choose the same."""
    for figure in scores.scorers[0].figures if scores.scorers else ():
        if figure.unknown is not None and figure.strangers:
            yield (
                f"{mode_title(figure.mode)}: of {figure.unknown:,} of"
                f" {number_of(figure.strangers, 'stranger')}"
                f" ({100 * figure.unknown / figure.strangers:.0f} %) the release does not say what"
                " they chose; some of them may have taken the same response, so nobody could"
                " always pick the right user."
            )


def _inapplicable_pairs(scores: NLetScores) -> Counter[str]:
    """Pairs of all modes with too few users, by reason: the same for every scorer."""
    pairs: Counter[str] = Counter()
    for figure in scores.scorers[0].figures if scores.scorers else ():
        pairs.update(figure.apart)
    return pairs


def _percent(interval: Interval | None, sign: str = "") -> str:
    if interval is None or interval.value is None:
        return "none"
    value = f"{100 * interval.value:{sign}.1f}"
    if interval.low is None or interval.high is None:
        return f"{value} (no interval)"
    return f"{value} ({100 * interval.low:{sign}.1f} to {100 * interval.high:{sign}.1f})"


def _plot(scores: NLetScores, mode: Mode | None) -> Plot:
    entries: list[tuple[str, NLetFigures]] = [
        (visible(one.scorer.name), figure)
        for one in scores.scorers
        for figure in one.figures
        if figure.mode == mode and figure.chosen
    ]
    with drawing():
        sheet = Figure(figsize=(8.6, 1.4 + 0.5 * len(entries)), layout="constrained")
        axes = sheet.add_subplot()
        for line, (_, figure) in enumerate(entries):
            for shift, estimate, colour, marker in (
                (-0.15, figure.chosen, BLUE, "o"),
                (0.15, figure.rejected, ORANGE, "X"),
            ):
                if estimate is None or estimate.value is None:
                    continue
                if estimate.low is not None and estimate.high is not None:
                    ends = 100 * estimate.low, 100 * estimate.high
                    axes.hlines(line + shift, *ends, color=colour.light, linewidth=1.8)
                axes.plot(100 * estimate.value, line + shift, marker, color=colour.light)
        axes.axvline(100 / scores.users, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        axes.set_yticks(range(len(entries)), [name for name, _ in entries])
        axes.set_ylim(len(entries) - 0.4, -0.6)
        axes.set_xlim(-2, 102)
        axes.set_xlabel(f"right user of {scores.users} picked, %")
        axes.grid(axis="x")
        handles = [
            axes.plot([], [], marker, color=colour.light, linestyle="", label=label)[0]
            for marker, colour, label in (
                ("o", BLUE, CHOSEN),
                ("X", ORANGE, f"control: {OTHER}"),
            )
        ]
        sheet.legend(handles=handles, loc="outside upper left", ncols=2)
        caption = (
            f"{mode_title(mode)}: how often the user whom the chosen response is for has its"
            f" highest score of {scores.users} users, and how often that of the response that is"
            " not for them,"
            " with 95 % intervals by cluster. The dashed line is chance."
        )
        return plot(sheet, caption, name=f"n-lets-{mode or 'pairs'}")


_NOTE = (
    "A user who shares the highest score with others counts in part. A pair without a score counts"
    " as not picked. The gain is over the pairs with a score."
)


def _method(scores: NLetScores) -> Iterator[str]:
    yield (
        f"Each n-let is one response and {scores.users} users: whom it is for, in twins the"
        " partner, and strangers of the category with histories of about the same length that are"
        " older than the question. Of each the scorer is shown as many posts, selected for the"
        " question by the same rules."
    )
    yield (
        "The user who asked a question has often written about its topic, so the user can be found"
        " without the response. So look at the gain: a scorer that uses only the question picks the"
        " user as often by the other response."
    )
