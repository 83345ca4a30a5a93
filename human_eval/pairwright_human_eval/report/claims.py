"""What the preference votes say, on all sampled subjects whatever was decided about them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from pairwright_human_eval.agreement import Ratings, dawid_skene
from pairwright_human_eval.records import CANNOT_TELL, EQUAL, Purpose
from pairwright_human_eval.report.data import CHOICES, About, Answers, AspectVote, Vote
from pairwright_human_eval.report.records import Consensus, Contrasted, Measure, Preferred
from pairwright_human_eval.report.resample import Draws, measure, ratio

Given = TypeVar("Given", Vote, AspectVote)
CONTROLS: tuple[Purpose, ...] = ("wrong_profile", "narrative")


def preferred(group: str, votes: Sequence[Vote], draws: Draws) -> Preferred:
    """Count a group's votes, and estimate the share for the chosen response."""
    counts = Counter(vote.choice for vote in votes)
    dyads, people = [of.about.dyad for of in votes], [of.annotator for of in votes]
    chosen = [float(of.choice == "chosen") for of in votes]
    either = [float(of.choice in ("chosen", "other")) for of in votes]
    return Preferred(
        group=group,
        **{choice: counts[choice] for choice in CHOICES},
        of_choices=ratio(draws, dyads, chosen, either, people),
        of_all=ratio(draws, dyads, chosen, [1.0] * len(votes), people),
    )


def groups(votes: Sequence[Given]) -> Iterator[tuple[str, list[Given]]]:
    """All, by mode and half, by domain; groups without a vote are none."""
    yield "all", list(votes)
    for mode in sorted({of.about.subject.mode for of in votes}):
        own = [of for of in votes if of.about.subject.mode == mode]
        yield f"mode: {mode}", own
        if mode == "twin":
            yield "twin: asked half", [of for of in own if of.about.pair.asked]
            yield "twin: counterfactual half", [of for of in own if not of.about.pair.asked]
    for domain in sorted({of.about.subject.domain for of in votes}):
        yield f"domain: {domain}", [of for of in votes if of.about.subject.domain == domain]


def consensus(votes: Sequence[Vote], pairs: dict[str, About], draws: Draws) -> Consensus | None:
    """Fit to labels that do not know the chosen side, and only then compare. The interval draws
    dyads and does not fit anew."""
    rows = [(of.about.pair.id, of.annotator, of.label) for of in votes if of.label != CANNOT_TELL]
    if not rows:
        return None
    ratings = Ratings.of(rows, ("first", "second", EQUAL))
    fitted = dawid_skene(ratings)
    counts: Counter[str] = Counter()
    dyads, chosen = [], []
    for name, place in zip(ratings.items, np.argmax(fitted.posterior, axis=1), strict=True):
        label, of = ratings.levels[place], pairs[name]
        said = "equal" if label == EQUAL else "other"
        said = "chosen" if label == of.neutral(of.chosen) else said
        counts[said] += 1
        dyads.append(of.dyad)
        chosen.append(float(said == "chosen"))
    return Consensus(
        pairs=len(dyads),
        chosen=counts["chosen"],
        other=counts["other"],
        equal=counts["equal"],
        share=ratio(draws, dyads, chosen, [1.0] * len(dyads)),
        converged=fitted.converged,
    )


def contrasted(answers: Answers, draws: Draws) -> tuple[Contrasted, ...]:
    """The right profile against a stranger's, and against the narrative beside it."""
    found = []
    own = answers.counted()
    voted = {of.about.pair.id for of in own}
    for control in CONTROLS:
        shown = [of for of in answers.counted(control) if of.about.pair.id in voted]
        pairs = {of.about.pair.id for of in shown}
        if not pairs:
            continue
        same = [of for of in own if of.about.pair.id in pairs]
        found.append(
            Contrasted(
                control=control,
                pairs=len(pairs),
                own=preferred("own posts", same, draws),
                control_votes=preferred(control, shown, draws),
                difference=_difference(same, shown, draws, ("chosen", "other")),
                difference_of_all=_difference(same, shown, draws, CHOICES),
            )
        )
    return tuple(found)


def _difference(
    own: Sequence[Vote], shown: Sequence[Vote], draws: Draws, of: tuple[str, ...]
) -> Measure:
    """The share for the chosen response with own posts less that in the control, by the same
    draws of dyads and annotators."""
    votes = [vote for vote in (*own, *shown) if vote.choice in of]
    dyads, people = [v.about.dyad for v in votes], [v.annotator for v in votes]
    columns = np.array(
        [
            [
                v.purpose == "vote" and v.choice == "chosen",
                v.purpose == "vote",
                v.purpose != "vote" and v.choice == "chosen",
                v.purpose != "vote",
            ]
            for v in votes
        ],
        np.float64,
    ).reshape(-1, 4)
    point = columns.sum(axis=0)
    if not point[1] or not point[3]:
        return measure(None, None, len(votes), dyads, people, "one of the two has no such vote")
    sums = draws.sums(dyads, columns, people)
    with np.errstate(divide="ignore", invalid="ignore"):
        replicates = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    value = point[0] / point[1] - point[2] / point[3]
    return measure(value, replicates, len(votes), dyads, people)
