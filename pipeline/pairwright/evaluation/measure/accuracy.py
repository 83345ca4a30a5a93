"""The figures of one result: accuracy and what it leaves open, twins, gains; whether a judge's
verdict depends on the order of the responses.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.decision import (
    POINTS,
    Choice,
    PairDecision,
)
from pairwright.evaluation.measure.calibration import calibration_figures
from pairwright.evaluation.measure.figure import (
    FIGURES,
    Group,
    Halves,
    ModeDecisions,
    ScorerFigure,
    average,
    by_mode,
    coverage,
    every_mode,
    figure_of,
    mode_group,
    points,
    share,
)
from pairwright.evaluation.measure.flips import flip_figures
from pairwright.evaluation.scorers.scorer import BLIND
from pairwright.intervals import Floats, cluster_numbers, difference, mean
from pairwright.modes import MODES, is_twin
from pairwright.modes import mode_pairs as mode_pairs_in_words
from pairwright.records import Mode, content_id
from pairwright.text import number_of

T = TypeVar("T")
_OTHER: dict[Choice, Choice] = {"chosen": "rejected", "rejected": "chosen", "tie": "tie"}


def order_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures of the pairs with a verdict in both orders; none where no judge compared."""
    compared = [(one, one.orders) for one in mode_pairs.scored if one.orders is not None]
    if not compared:
        return
    group, clusters = mode_group(mode_pairs.mode), [one.clusters for one, _ in compared]
    same = [float(forward == backward) for _, (forward, backward) in compared]
    yield share("swap_consistency", group, same, clusters)
    first = [first_place_points(one) for one, _ in compared]
    yield share("first_position", group, first, clusters)
    verdicts = [_blind_names(one, orders) for one, orders in compared]
    terms = kappa_terms([a for a, _ in verdicts], [b for _, b in verdicts])
    if terms is not None:
        yield average("order_kappa", group, terms, clusters, least=-1)
    else:
        none = mean(np.zeros(len(compared)), cluster_numbers(clusters), least=0)
        bare = none.model_copy(update={"value": None, "low": None, "high": None})
        yield figure_of("order_kappa", group, bare, "every verdict is the same, in either order")


def first_place_points(decision: PairDecision) -> float:
    """The share of a judge's two verdicts for the response in the first place."""
    assert decision.orders is not None, "only of judges that compare"
    forward, backward = decision.orders
    return (POINTS[forward] + 1 - POINTS[backward]) / 2


def is_position_bias(figure: ScorerFigure) -> bool:
    """Whether a figure is a position bias: the interval of `first_position` leaves out one half."""
    if figure.name != "first_position" or figure.low is None or figure.high is None:
        return False
    return figure.low > 0.5 or figure.high < 0.5


def position_bias_text(figure: ScorerFigure) -> str:
    """The pairs and the value of a `first_position` that is a position bias."""
    return f"{mode_pairs_in_words(figure.mode)}, {figure.percent(1)}, n = {figure.n:,}"


def kappa_terms(first: Sequence[Hashable], second: Sequence[Hashable]) -> Floats | None:
    """One term a pair of ratings, shape (n,): their mean is Cohen's kappa, and their spread is its
    standard error. None where agreement by chance is whole.

    Cohen 1960, Educ. Psychol. Meas. 20, 37-46, (po - pe) / (1 - pe); each term is kappa plus what
    its pair weighs in the first-order expansion (the delta method of Fleiss, Cohen and Everitt
    1969, Psychol. Bull. 72, 323-327), so that sums by cluster give an interval by cluster.
    """
    n, left, right = len(first), Counter(first), Counter(second)
    chance = sum(left[name] * right[name] for name in left) / n**2
    if chance == 1:
        return None
    same = np.array([a == b for a, b in zip(first, second, strict=True)], np.float64)
    expected = np.array(
        [(right[a] + left[b]) / n for a, b in zip(first, second, strict=True)], np.float64
    )
    agreed = float(same.mean())
    kappa = (agreed - chance) / (1 - chance)
    weight = (1 - agreed) / (1 - chance) ** 2
    terms: Floats = kappa + (same - agreed) / (1 - chance) - weight * (expected - 2 * chance)
    return terms


def _blind_names(one: PairDecision, orders: tuple[Choice, Choice]) -> tuple[Choice, Choice]:
    """The verdicts with the responses called by a coin that the subject's id throws. By their own
    names the better judge would have the lower kappa: who always says "chosen" agrees by chance.
    Both halves of a twin call a response the same."""
    coin = int(content_id("side", one.twin_id or one.id)[-1], 16) % 2 == 0
    if coin == one.asked:
        return orders
    return _OTHER[orders[0]], _OTHER[orders[1]]


HALVES = ("asked", "counterfactual")
"""The halves of a twin that was asked for: whether it is the user's own question."""


def half_group(mode: Mode | None, half: str) -> Group:
    """One half of each of a mode's twins."""
    return Group(mode, f"{mode_group(mode).name}, {half}")


def accuracies(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The accuracies of the mode, of each half of its twins, and of each configuration."""
    group = mode_group(mode_pairs.mode)
    yield accuracy_figure("accuracy", group, mode_pairs.due)
    yield accuracy_figure("accuracy_of_scored", group, mode_pairs.scored)
    if mode_pairs.mode and is_twin(mode_pairs.mode) and not MODES[mode_pairs.mode].own_choice:
        for half, of_asker in zip(HALVES, (True, False), strict=True):
            some = [one for one in mode_pairs.due if one.asked is of_asker]
            yield accuracy_figure("accuracy", half_group(mode_pairs.mode, half), some)
    for config, some in _by_config(mode_pairs.due, lambda one: one):
        yield accuracy_figure("accuracy", Group(mode_pairs.mode, config), some)


def bounds_and_ties(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """Coverage, ties, and the accuracy that ties and pairs without a score could still make."""
    group = mode_group(mode_pairs.mode)
    yield coverage(mode_pairs)
    tied = [one for one in mode_pairs.scored if one.choice == "tie"]
    unstable = sum(one.unstable for one in tied)
    note = f"{unstable:,} of {len(tied):,} are verdicts that change with the order"
    ties = [float(one.choice == "tie") for one in mode_pairs.scored]
    clusters = [one.clusters for one in mode_pairs.scored]
    yield share("ties", group, ties, clusters, note if unstable else "")
    for name, open_as in (("worst_case", 0.0), ("best_case", 1.0)):
        settled = [
            open_as if one.choice in (None, "tie") else points(one) for one in mode_pairs.due
        ]
        yield share(name, group, settled, [one.clusters for one in mode_pairs.due])


def accuracy_figure(name: str, group: Group, decisions: Sequence[PairDecision]) -> ScorerFigure:
    """The accuracy of decisions; those without a score count as wrong."""
    return share(name, group, list(map(points, decisions)), [one.clusters for one in decisions])


def _by_config(
    given: Iterable[T], pair_of: Callable[[T], PairDecision]
) -> Iterable[tuple[str, list[T]]]:
    """Pairs or twins by configuration: one domain in one mode."""
    configs: dict[str, list[T]] = {}
    for one in given:
        configs.setdefault(pair_of(one).config, []).append(one)
    return configs.items()


def twin_figures(mode_pairs: ModeDecisions) -> Iterator[ScorerFigure]:
    """The figures of all twins, and of those of each configuration."""
    group, twins = mode_group(mode_pairs.mode), [(a, b) for a, b in mode_pairs.units]
    yield from _of_twins(group, twins)
    yield _both_right("both_right_of_scored", group, [(a, b) for a, b in mode_pairs.whole])
    for config, some in _by_config(twins, lambda twin: twin[0]):
        yield from _of_twins(Group(mode_pairs.mode, config), some)


def _of_twins(group: Group, twins: Sequence[Halves]) -> Iterator[ScorerFigure]:
    yield _both_right("both_right", group, twins)
    signs = [
        (np.sign(interaction(*twin)) + 1) / 2
        if all(half.choice is not None for half in twin)
        else 0.0
        for twin in twins
    ]
    yield share("interaction", group, signs, [first.clusters for first, _ in twins])


def _both_right(name: str, group: Group, twins: Sequence[Halves]) -> ScorerFigure:
    """Nobody is right on both halves of more twins than on one half: where the interval of the
    halves, which allows for more, reaches lower, so does this one."""
    both = [float(a.choice == b.choice == "chosen") for a, b in twins]
    figure = share(name, group, both, [first.clusters for first, _ in twins])
    halves = accuracy_figure(name, group, [half for twin in twins for half in twin])
    if None in (figure.low, figure.high, halves.low, halves.high):
        return figure
    bounds = {end: min(getattr(one, end) for one in (figure, halves)) for end in ("low", "high")}
    return figure.model_copy(update=bounds)


def interaction(first: PairDecision, second: PairDecision) -> float:
    """[s(u, r_u) - s(u, r_v)] + [s(v, r_v) - s(v, r_u)], over four, of the scores of both halves;
    of a comparing judge the sum of its two margins. Of scores the sum is exact, so that it is 0
    for a scorer that scores a response alike for both users."""
    if first.orders is not None or second.orders is not None:
        return (first.margin or 0.0) + (second.margin or 0.0)
    sides = ((first.chosen, 1), (first.rejected, -1), (second.chosen, 1), (second.rejected, -1))
    # A quarter of each, so that no sum of great scores is too great.
    return math.fsum(sign * score / 4 for score, sign in sides if score is not None)


def gains(
    profile: Sequence[PairDecision],
    other: Sequence[PairDecision],
    name: str = "gain",
    *,
    of_twins: bool = False,
) -> tuple[ScorerFigure, ...]:
    """Accuracy of `profile` less that of `other`, on the pairs that have a score in both, of twins
    on those that are whole in both: of each mode, and of its configs.

    Only where `of_twins` has it are there any of twins: without a user their accuracy is one half,
    so a gain over that says no more than the accuracy.
    """
    figures = []
    for mode_pairs, joined in join_decisions(profile, other):
        if is_twin(mode_pairs.mode) and not of_twins:
            continue
        short = len(mode_pairs.given) - len(joined)
        note = f"{number_of(short, 'pair has', 'pairs have')} no score in one of the two"
        figures.append(_gain(name, mode_group(mode_pairs.mode), joined, note if short else ""))
        figures += [
            _gain(name, Group(mode_pairs.mode, config), some)
            for config, some in _by_config(joined, lambda both: both[0])
        ]
    return tuple(figures)


def join_decisions(
    decisions: Sequence[PairDecision], control: Sequence[PairDecision]
) -> Iterator[tuple[ModeDecisions, list[tuple[PairDecision, PairDecision]]]]:
    """Each mode of `decisions`, with the pairs of its units that are scored whole in both: each
    pair's decision, and the one in the control."""
    there = {one.id: one for mode_pairs in by_mode(control) for one in mode_pairs.scored}
    for mode_pairs in by_mode(decisions):
        joined = [unit for unit in mode_pairs.whole if all(one.id in there for one in unit)]
        yield mode_pairs, [(one, there[one.id]) for unit in joined for one in unit]


def _gain(name: str, group: Group, joined: Sequence[Halves], note: str = "") -> ScorerFigure:
    differences = [points(own) - points(other) for own, other in joined]
    clusters = cluster_numbers([own.clusters for own, _ in joined])
    return figure_of(name, group, difference(np.array(differences, np.float64), clusters), note)


def figures_of(decisions: Sequence[PairDecision]) -> tuple[ScorerFigure, ...]:
    """All figures of one result: of each mode in turn, those of the whole mode before those of its
    configurations; and the flips."""
    figures: list[ScorerFigure] = []
    for mode_pairs in by_mode(decisions):
        figures += accuracies(mode_pairs)
        figures += bounds_and_ties(mode_pairs)
        figures += order_figures(mode_pairs)
        figures += twin_figures(mode_pairs) if is_twin(mode_pairs.mode) else ()
        figures += calibration_figures(mode_pairs)
    return (*figures, *flip_figures(decisions))


def without_error(
    condition: ConditionName,
    scorer: str,
    decisions: Sequence[PairDecision],
    figures: Sequence[ScorerFigure],
) -> Iterator[ScorerFigure]:
    """The figures of a result, without an interval where they are what they are by construction.

    A scorer that cannot see the user gives both halves of a twin the same scores, and the chosen
    response of one half is the rejected one of the other. So it is right on exactly one half, or
    tied on both. An interval around such a figure would say that it could have come out otherwise.
    A scorer may draw at random, or leave out one half; then its figures are estimates.
    """
    record = CONDITIONS[condition]
    blind = not (record.shows_posts or record.about_user) or scorer in BLIND
    even = {
        mode_pairs.mode
        for mode_pairs in every_mode(decisions)
        if blind
        and is_twin(mode_pairs.mode)
        and all(sum(map(points, unit)) == 1 for unit in mode_pairs.units)
    }
    for one in figures:
        kind = FIGURES.get(one.name, FIGURES["gain"])
        # The halves by themselves have an error each.
        halves = {half_group(one.mode, half).name for half in HALVES}
        if one.mode in even and one.group not in halves and one.value == kind.identity is not None:
            yield one.model_copy(update={"low": None, "high": None, "by_identity": True})
        else:
            yield one
