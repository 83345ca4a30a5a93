"""What people say of the aspects: whether the posts carry them, and which response delivers them.

On all sampled subjects, before any decision. Shares of answers draw dyads and annotators; shares
of aspects take people by their majority, so they draw dyads alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pairwright.report import Block, Table
from pairwright_human_eval.records import BOTH, CANNOT_TELL, NEITHER
from pairwright_human_eval.report.answers import Answers, AspectVote
from pairwright_human_eval.report.by_question import SUPPORT
from pairwright_human_eval.report.claims import groups
from pairwright_human_eval.report.findings_records import (
    DeliveryShares,
    FoilComparison,
    Measure,
    SupportShares,
)
from pairwright_human_eval.report.number_text import percent, percent_points
from pairwright_human_eval.report.records import StudyReport
from pairwright_human_eval.report.resample import Draws, ratio, ratio_difference


class AspectAnswers(NamedTuple):
    """One aspect of one pair, with all its answers."""

    dyad: str
    votes: list[AspectVote]


def support_shares(answers: Answers, draws: Draws) -> tuple[SupportShares, ...]:
    """Of all and by mode. An aspect is there if more than half of its answers say so."""
    return tuple(_supported(group, votes, draws) for group, votes in _by_mode(answers))


def foil_comparison(answers: Answers, draws: Draws) -> FoilComparison | None:
    """Whether people confirm a user's aspects more often than another user's."""
    if not answers.foils:
        return None
    votes = [*answers.aspects, *answers.foils]
    dyads, people = [vote.about.dyad for vote in votes], [vote.annotator for vote in votes]
    yes = np.array([vote.answer.support in ("clearly", "plausibly") for vote in votes], np.float64)
    foil = np.arange(len(votes)) >= len(answers.aspects)
    own = ~foil
    return FoilComparison(
        pairs=len({vote.about.pair.id for vote in answers.foils}),
        aspects=ratio(draws, dyads, [*(yes * own)], [*own.astype(float)], people),
        foils=ratio(draws, dyads, [*(yes * foil)], [*foil.astype(float)], people),
        difference=ratio_difference(
            draws, dyads, np.stack([yes * own, own, yes * foil, foil], axis=1), people
        ),
    )


def foil_sentence(found: FoilComparison) -> str:
    """What people say of foils, and plainly whether they say the same of aspects."""
    less = found.difference
    plainly = ""
    if less.value is not None and less.value <= 0:
        plainly = " ASPECTS ARE CONFIRMED NO MORE OFTEN THAN FOILS."
    elif not found.aspects_ahead:
        plainly = " It is NOT SHOWN that aspects are confirmed more often than foils."
    return (
        f"Foils: among the aspects of {found.pairs:,} pairs stood one of another user. Clearly or"
        f" plausibly there: {percent(found.foils)} of the answers on foils (n ="
        f" {found.foils.n:,}), {percent(found.aspects)} of those on aspects (n ="
        f" {found.aspects.n:,}); the difference in points is {percent_points(less)}.{plainly}"
    )


def delivery_shares(answers: Answers, draws: Draws) -> tuple[DeliveryShares, ...]:
    """Of all and by mode. A majority is more than half of an aspect's answers but "cannot tell"."""
    return tuple(_delivered_by(group, votes, draws) for group, votes in _by_mode(answers))


def _by_mode(answers: Answers) -> list[tuple[str, list[AspectVote]]]:
    return [group for group in groups(answers.aspects) if not group[0].startswith("domain: ")]


def _supported(group: str, votes: Sequence[AspectVote], draws: Draws) -> SupportShares:
    dyads, people = [vote.about.dyad for vote in votes], [vote.annotator for vote in votes]
    ones = [1.0] * len(votes)
    aspects = _by_aspect(votes)
    there = []
    for aspect in aspects:
        yes = sum(vote.answer.support in ("clearly", "plausibly") for vote in aspect.votes)
        there.append(float(2 * yes > len(aspect.votes)))
    return SupportShares(
        group=group,
        answers={
            answer: ratio(
                draws, dyads, [float(vote.answer.support == answer) for vote in votes], ones, people
            )
            for answer in reversed(SUPPORT)
        },
        there=ratio(draws, [aspect.dyad for aspect in aspects], there, [1.0] * len(aspects)),
    )


def _delivered_by(group: str, votes: Sequence[AspectVote], draws: Draws) -> DeliveryShares:
    aspects = _by_aspect(votes)
    majorities = [
        (aspect.dyad, majority) for aspect in aspects if (majority := _majority(aspect.votes))
    ]
    dyads = [dyad for dyad, _ in majorities]

    def share(answer: str) -> Measure:
        return ratio(
            draws,
            dyads,
            [float(majority == answer) for _, majority in majorities],
            [1.0] * len(majorities),
        )

    return DeliveryShares(
        group=group,
        undecided=len(aspects) - len(majorities),
        chosen=share("chosen"),
        other=share("other"),
        both=share(BOTH),
        neither=share(NEITHER),
    )


def _by_aspect(votes: Sequence[AspectVote]) -> list[AspectAnswers]:
    found: defaultdict[tuple[str, str], list[AspectVote]] = defaultdict(list)
    for vote in votes:
        found[vote.about.pair.id, vote.answer.aspect].append(vote)
    return [AspectAnswers(own[0].about.dyad, own) for own in found.values()]


def _majority(votes: Sequence[AspectVote]) -> str:
    """`chosen`, `other`, `both` or `neither`; empty where no answer has more than half."""
    counts = Counter(
        vote.answer.delivered for vote in votes if vote.answer.delivered != CANNOT_TELL
    )
    if not counts:
        return ""
    name, most = counts.most_common(1)[0]
    if 2 * most <= counts.total():
        return ""
    return name if name in (BOTH, NEITHER) else votes[0].about.choice(name)


def aspects_section(report: StudyReport) -> Iterator[Block]:
    yield (
        "On all sampled twins and pairs that were asked about aspects, before any decision. Do the"
        " user's posts carry an aspect? Shares of the answers, with 95 % intervals that draw dyads"
        " and annotators; and the share of aspects that more than half of their answers call"
        " clearly or plausibly there, with an interval that draws dyads."
    )
    if report.foils:
        yield foil_sentence(report.foils)
    answers = list(report.supported[0].answers)
    yield Table(
        ("group", "answers", *answers, "aspects", "clearly or plausibly there, by most"),
        tuple(
            (
                row.group, f"{row.answers['clearly'].n:,}",
                *(percent(row.answers[answer]) for answer in answers), f"{row.there.n:,}",
                percent(row.there),
            )
            for row in report.supported
        ),
    )  # fmt: skip
    yield (
        "Which response delivers the aspect? An aspect goes by what more than half of its answers"
        " say, “cannot tell” left out. Shares are of the aspects that have such a majority, with"
        " 95 % intervals that draw dyads."
    )
    yield Table(
        (
            "group", "n", "no majority", "only the chosen", "only the other", "both",
            "neither",
        ),
        tuple(
            (
                row.group, f"{row.chosen.n:,}", f"{row.undecided:,}", percent(row.chosen),
                percent(row.other), percent(row.both), percent(row.neither),
            )
            for row in report.delivered_by
        ),
        note="n counts the aspects with a majority.",
    )  # fmt: skip
