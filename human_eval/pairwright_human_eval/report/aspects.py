"""What people say of the aspects: whether the posts carry them, and which response delivers them.

On all sampled subjects, whatever was decided. Shares of answers draw dyads and annotators; shares
of aspects take people by their majority, so they draw dyads alone.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from pairwright_human_eval.records import BOTH, CANNOT_TELL, NEITHER
from pairwright_human_eval.report.agreed import SUPPORT
from pairwright_human_eval.report.claims import groups
from pairwright_human_eval.report.data import Answers, AspectVote
from pairwright_human_eval.report.records import DeliveredBy, Measure, Supported
from pairwright_human_eval.report.resample import Draws, ratio


class Asked(NamedTuple):
    """One aspect of one pair, with all its answers."""

    dyad: str
    votes: list[AspectVote]


def supported(answers: Answers, draws: Draws) -> tuple[Supported, ...]:
    """Of all and by mode. An aspect is there if more than half of its answers say so."""
    return tuple(_supported(group, votes, draws) for group, votes in _by_mode(answers))


def delivered_by(answers: Answers, draws: Draws) -> tuple[DeliveredBy, ...]:
    """Of all and by mode. A majority is more than half of an aspect's answers but "cannot tell"."""
    return tuple(_delivered_by(group, votes, draws) for group, votes in _by_mode(answers))


def _by_mode(answers: Answers) -> list[tuple[str, list[AspectVote]]]:
    return [of for of in groups(answers.aspects) if not of[0].startswith("domain: ")]


def _supported(group: str, votes: Sequence[AspectVote], draws: Draws) -> Supported:
    dyads, people = [of.about.dyad for of in votes], [of.annotator for of in votes]
    ones = [1.0] * len(votes)
    asked = _asked(votes)
    there = []
    for of in asked:
        yes = sum(vote.answer.support in ("clearly", "plausibly") for vote in of.votes)
        there.append(float(2 * yes > len(of.votes)))
    return Supported(
        group=group,
        answers={
            said: ratio(
                draws, dyads, [float(of.answer.support == said) for of in votes], ones, people
            )
            for said in reversed(SUPPORT)
        },
        there=ratio(draws, [of.dyad for of in asked], there, [1.0] * len(asked)),
    )


def _delivered_by(group: str, votes: Sequence[AspectVote], draws: Draws) -> DeliveredBy:
    asked = _asked(votes)
    said = [(of.dyad, majority) for of in asked if (majority := _majority(of.votes))]
    dyads = [dyad for dyad, _ in said]

    def share(answer: str) -> Measure:
        return ratio(draws, dyads, [float(of == answer) for _, of in said], [1.0] * len(said))

    return DeliveredBy(
        group=group,
        undecided=len(asked) - len(said),
        chosen=share("chosen"),
        other=share("other"),
        both=share(BOTH),
        neither=share(NEITHER),
    )


def _asked(votes: Sequence[AspectVote]) -> list[Asked]:
    found: defaultdict[tuple[str, str], list[AspectVote]] = defaultdict(list)
    for vote in votes:
        found[vote.about.pair.id, vote.answer.aspect].append(vote)
    return [Asked(own[0].about.dyad, own) for own in found.values()]


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
