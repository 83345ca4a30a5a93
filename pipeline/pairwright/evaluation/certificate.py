"""The same scorers on generated twins and on natural ones: do both rank them alike?

Generated twins have answers to questions that a user asked, which natural twins lack. Natural twins
have people's own choices. A scorer's rank on one is compared with its rank on the other.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from matplotlib.figure import Figure
from pydantic import Field
from scipy.special import ndtr
from statsmodels.stats.multitest import multipletests

from pairwright.errors import InputError
from pairwright.estimate import p_text, p_value
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.ranking import SET_APART, BoardEntry, Ranking
from pairwright.evaluation.board.sign_flips import POWER
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.correlation.correlations import (
    CLAIMS_FROM,
    Correlation,
    Correlations,
    DownstreamFacts,
    correlate,
)
from pairwright.evaluation.correlation.measures import PRIMARY
from pairwright.evaluation.correlation.table import LEAST_MODELS, ModelTable
from pairwright.evaluation.measure.figure import ScorerFigure
from pairwright.evaluation.release import ReleaseRef, tie_mark
from pairwright.intervals import LEVEL, newcombe, z_of
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, GREY, WIDTH, Plot, draw_cross, drawing, plot
from pairwright.records import Mode, Record

SCORERS_NEEDED = {0.9: 13, 0.8: 15, 0.7: 19, 0.6: 25, 0.5: 34, 0.4: 53}
"""By true Spearman correlation, the fewest independent scorers whose correlation the certificate
claims with a probability of `POWER` or more.

From 2,000 simulated certificates for each number of scorers, so these probabilities have a standard
error of 0.9 points. Scores are normal and have no errors of measurement, and the rule is that of
the certificate: at least `CLAIMS_FROM` scorers, p of orders below .05, and a jackknife interval
beyond zero and beyond chance. `benchmarks/correlations.py --needed` makes the table.
"""


TwinOrigin = Literal["generated", "natural"]
SIDES: tuple[TwinOrigin, ...] = ("generated", "natural")


class CertificateScorer(Record):
    """One scorer on both releases. Accuracies are shares from 0 to 1, with 95 % intervals."""

    scorer: str
    family: str
    generated: ScorerFigure
    natural: ScorerFigure
    generated_twins: int = 0
    natural_twins: int = 0
    difference: float
    """The accuracy on natural twins less that on generated ones."""
    low: float | None
    high: float | None
    """The 95 % interval of the difference: the two releases are taken to have different users
    (`intervals.newcombe`)."""
    adjusted: float | None = None
    """p of the difference after Holm over the scorers; None where there is no interval."""

    @property
    def differs(self) -> bool:
        """Whether p after Holm is below .05."""
        return self.adjusted is not None and self.adjusted < LEVEL

    @property
    def in_words(self) -> str:
        """The difference with its interval."""
        if self.low is None or self.high is None:
            return f"{self.difference:+.3f}"
        return f"{self.difference:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


def scorer_differences(
    matched: Sequence[tuple[BoardEntry, BoardEntry]], families: Mapping[str, str]
) -> tuple[CertificateScorer, ...]:
    """The scorers with their entries on generated and on natural twins, best on generated first."""
    scorers = [_difference(own, other, families) for own, other in matched]
    scorers.sort(key=lambda one: (-(one.generated.value or 0.0), one.scorer))
    tests = {one.scorer: p for one in scorers if (p := _p(one)) is not None}
    levels = multipletests(list(tests.values()), method="holm")[1] if tests else ()
    adjusted = dict(zip(tests, map(float, levels), strict=True))
    return tuple(one.model_copy(update={"adjusted": adjusted.get(one.scorer)}) for one in scorers)


def _difference(
    own: BoardEntry, other: BoardEntry, families: Mapping[str, str]
) -> CertificateScorer:
    name = own.about.scorer.name
    generated, natural = own.figure("accuracy", "twin"), other.figure("accuracy", "natural")
    assert generated, "a ranked row has an accuracy"
    assert natural, "a ranked row has an accuracy"
    found = newcombe(natural, generated)
    twins = own.figure("both_right", "twin"), other.figure("both_right", "natural")
    return CertificateScorer(
        scorer=name,
        family=families.get(name, name),
        generated=generated,
        natural=natural,
        generated_twins=twins[0].n if twins[0] else 0,
        natural_twins=twins[1].n if twins[1] else 0,
        difference=found.value or 0.0,
        low=found.low,
        high=found.high,
    )


def _p(one: CertificateScorer) -> float | None:
    """p of a difference from its interval: normal, with the length towards zero as that of 1.96
    standard errors (Altman and Bland 2011, BMJ 343, d2304). It is below .05 where the interval
    leaves out zero."""
    if one.low is None or one.high is None:
        return None
    towards = one.difference - one.low if one.difference > 0 else one.high - one.difference
    if not towards:
        return None
    return 2 * float(ndtr(-abs(one.difference) / towards * z_of(LEVEL)))


class PostsRule(Record):
    """Which posts of a history the scorers of one side were shown."""

    history: str
    """Hash of the rules; empty for all posts that fit."""
    as_people: bool
    """Whether they are the posts that people saw in the release's study."""


class Certificate(Record):
    """How scorers on generated twins go with the same scorers on natural ones."""

    generated: ReleaseRef
    natural: ReleaseRef
    condition: ConditionName
    limit: int | None = None
    split: str | None = None
    """The part that was scored, of both releases."""
    generated_posts: PostsRule | None = None
    """None where no posts are shown, or all scores are those of a file."""
    natural_posts: PostsRule | None = None
    users_in_both: int = 0
    """Pseudonyms that are in both releases."""
    scorers: tuple[CertificateScorer, ...]
    """Best on the generated twins first."""
    left_out: dict[str, str]
    """Why a scorer does not count, by name."""
    apart: dict[str, str] = Field(default={})
    """What those of them that are set apart have to do with the models that built a release."""
    correlations: Correlations | None
    """None with fewer than three scorers, or if all scorers have the same accuracy."""
    seed: int

    @property
    def families(self) -> int:
        """The number of families of scorers, which count as independent."""
        return len({one.family for one in self.scorers})

    @property
    def measures(self) -> tuple[Correlation, ...]:
        """The correlations; none where there are none."""
        if self.correlations is None:
            return ()
        (measures,) = self.correlations.found.values()
        return measures

    @property
    def primary(self) -> Correlation | None:
        """The correlation that is decided on; None where there is none."""
        return next((one for one in self.measures if one.measure == PRIMARY), None)

    @property
    def findable(self) -> float | None:
        """The smallest correlation of SCORERS_NEEDED that so many independent scorers find with a
        probability of `POWER`; None where they find none of it."""
        found = [rho for rho, needed in SCORERS_NEEDED.items() if needed <= self.families]
        return min(found, default=None)

    @property
    def one_valued(self) -> tuple[TwinOrigin, ...]:
        """The sides on which all scorers have the same accuracy, so that they have no order."""
        return tuple(side for side in SIDES if len({one.value for one in self.figures(side)}) == 1)

    @property
    def unclear(self) -> dict[TwinOrigin, ScorerFigure]:
        """The sides on which at least half of the variance of the accuracies is that of their
        errors, so that the order is unclear; each with the figure of the fewest clusters."""
        return {
            side: min(self.figures(side), key=lambda one: one.clusters)
            for side in SIDES
            if _order_unclear(self.figures(side))
        }

    def figures(self, side: TwinOrigin) -> tuple[ScorerFigure, ...]:
        """The accuracies on one side, in the order of the scorers."""
        return tuple(getattr(one, side) for one in self.scorers)


def compare_scorers(
    generated: Leaderboard,
    natural: Leaderboard,
    condition: ConditionName = "profile",
    families: Mapping[str, str] | None = None,
    *,
    users_in_both: int = 0,
    seed: int = 0,
    done: Callable[[], None] = lambda: None,
) -> Certificate:
    """Compare the scorers that are ranked on both leaderboards in one condition.

    `families` maps a scorer to its family; a scorer that it does not name is a family of its own.
    Baselines do not count: one that cannot see the user is at one half on both by arithmetic.
    Raises InputError where a leaderboard has no such ranking, and where the two are of different
    limits or splits.
    """
    for key in ("limit", "split"):
        own, other = (str(getattr(one, key) or "none") for one in (generated, natural))
        if own != other:
            raise InputError(
                f"the results on {generated.release.name} are of {key} {own}, and those on"
                f" {natural.release.name} of {key} {other}",
                where=f"{natural.release.name} {natural.release.version}",
                fix=f"Evaluate both with the same --{key}, or without.",
            )
    matched, left_out = _match_scorers(generated, natural, condition)
    entries = (*natural.entries.values(), *generated.entries.values())
    marks = {one.about.scorer.name: tie_mark(one.build_ties) for one in entries if one.build_ties}
    scorers = scorer_differences(matched, families or {})
    return Certificate(
        generated=generated.release,
        natural=natural.release,
        condition=condition,
        limit=generated.limit,
        split=generated.split,
        generated_posts=_posts_rule([own for own, _ in matched]),
        natural_posts=_posts_rule([other for _, other in matched]),
        users_in_both=users_in_both,
        scorers=scorers,
        left_out=dict(sorted(left_out.items())),
        apart={
            name: mark
            for name, mark in sorted(marks.items())
            if SET_APART in left_out.get(name, "")
        },
        correlations=_correlations(scorers, seed, done),
        seed=seed,
    )


def _posts_rule(entries: Sequence[BoardEntry]) -> PostsRule | None:
    """The rule of one side: results of one leaderboard share it."""
    for about in (one.about for one in entries):
        if CONDITIONS[about.condition].shows_posts and not about.scorer.of_file:
            return PostsRule(history=about.history, as_people=about.as_people)
    return None


def _ranking(board: Leaderboard, mode: Mode, condition: ConditionName) -> Ranking:
    for ranking in board.rankings:
        if (ranking.mode, ranking.condition) == (mode, condition):
            return ranking
    there = ", ".join(f"{one.mode} in {one.condition}" for one in board.rankings)
    raise InputError(
        f"there is no result on pairs of mode {mode} in condition {condition}; the results are:"
        f" {there}",
        where=f"{board.release.name} {board.release.version}",
        fix="GENERATED is of a release with twins, NATURAL of one with natural twins; evaluate both"
        " in the same condition.",
    )


def _match_scorers(
    generated: Leaderboard, natural: Leaderboard, condition: ConditionName
) -> tuple[list[tuple[BoardEntry, BoardEntry]], dict[str, str]]:
    """The scorers that are ranked on both, and why the others are left out, by name."""
    sides, left_out = [], dict[str, str]()
    boards: tuple[tuple[Leaderboard, Mode], ...] = ((generated, "twin"), (natural, "natural"))
    for name, (board, mode) in zip(SIDES, boards, strict=True):
        ranking = _ranking(board, mode, condition)
        entries = [board.entries[one] for one in (*ranking.ranked, *ranking.unranked)]
        sides.append({one.about.scorer.name: one for one in entries})
        for one, why in ranking.unranked.items():
            left_out[board.entries[one].about.scorer.name] = f"not ranked on {name} twins: {why}"
    own, others = sides
    for side, here, there in (("generated", own, others), ("natural", others, own)):
        alone = here.keys() - there.keys()
        left_out |= dict.fromkeys(alone, f"has a result on {side} twins alone")
    matched = []
    for scorer in own.keys() & others.keys():
        if own[scorer].baseline:
            left_out[scorer] = "a baseline"
        elif own[scorer].about.scorer.deciding != others[scorer].about.scorer.deciding:
            left_out[scorer] = "another model, revision or settings on the other release"
        elif scorer not in left_out:
            matched.append((own[scorer], others[scorer]))
    return matched, left_out


def _correlations(
    scorers: Sequence[CertificateScorer], seed: int, done: Callable[[], None]
) -> Correlations | None:
    x = np.array([one.generated.value for one in scorers], np.float64)
    y = np.array([one.natural.value for one in scorers], np.float64)
    if len(scorers) < LEAST_MODELS or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    table = ModelTable(
        names=tuple(one.scorer for one in scorers),
        benchmarks={"Accuracy on generated twins": x},
        downstream=y,
        lineages=tuple(one.family for one in scorers),
    )
    return correlate(
        table,
        "accuracy on natural twins",
        DownstreamFacts(judge="none: people's own choices", overlap="none", lineage="--families"),
        gain="rank",
        p=0.9,
        seed=seed,
        primary=PRIMARY,
        done=done,
    )


def _order_unclear(figures: Sequence[ScorerFigure]) -> bool:
    """Whether at least half of the variance of the accuracies is that of their errors."""
    if len(figures) < 2:
        return False
    variance = float(np.var([one.value or 0.0 for one in figures], ddof=1))
    errors = [
        ((one.high - one.low) / (2 * z_of(LEVEL))) ** 2
        for one in figures
        if one.low is not None and one.high is not None
    ]
    return bool(errors) and sum(errors) / len(errors) >= variance / 2


LABELLED = 30
"""Scorers up to which each point has its name beside it."""


def certificate_page(certificate: Certificate, *, drawn: bool = True) -> Page:
    """The page of a certificate; a terminal does without the drawing."""
    return render_page(
        "certificate",
        {"scatter": _scatter(certificate)} if certificate.scorers and drawn else {},
        certificate=certificate,
        needed=SCORERS_NEEDED,
        power=POWER,
        claims_from=CLAIMS_FROM,
        least=LEAST_MODELS,
        p_text=p_text,
        p_value=p_value,
    )


def _scatter(certificate: Certificate) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
        axes = figure.add_subplot()
        axes.plot((0, 1), (0, 1), color=GREY.light, linewidth=1, linestyle="--")
        for one in certificate.scorers:
            draw_cross(axes, one.generated, one.natural, BLUE)
            if len(certificate.scorers) <= LABELLED:
                axes.annotate(
                    one.scorer[:30], (one.generated.value or 0.0, one.natural.value or 0.0),
                    xytext=(5, 4), textcoords="offset points", fontsize=8,
                )  # fmt: skip
        ends = [
            end
            for one in certificate.scorers
            for side in (one.generated, one.natural)
            for end in (side.low, side.high, side.value)
            if end is not None
        ]
        low_end, high_end = max(0.0, min(ends) - 0.03), min(1.0, max(ends) + 0.03)
        axes.set_xlim(low_end, high_end)
        axes.set_ylim(low_end, high_end)
        axes.set_xlabel("accuracy on generated twins")
        axes.set_ylabel("accuracy on natural twins")
        caption = (
            "Each scorer on both, with 95 % intervals by couple. On the dashed line it is as"
            " accurate on one as on the other."
        )
        return plot(figure, caption, name="scatter")
