"""What is not personal and yet may tell which answer was accepted: votes, length and time.

A share of one half says that a trait tells nothing. In mode accepted the rejected answer has as
many votes or more, so that votes never favour the accepted one.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pairwright.dataset import Row
from pairwright.estimate import Estimate
from pairwright.intervals import mean_by_user
from pairwright.records import Record
from pairwright.text import word_count

Trait = Literal["votes", "words", "time"]
TRAITS: dict[Trait, str] = {
    "votes": "the accepted answer has more votes",
    "words": "the accepted answer is longer",
    "time": "the accepted answer is earlier",
}


class AnswerTraits(NamedTuple):
    """The traits of one answer."""

    votes: int
    """Up less down."""
    words: int
    created: str

    def favours(self, trait: Trait, other: "AnswerTraits") -> float:
        """1 where the trait speaks for this answer and against the other, 0 where it speaks for the
        other, and one half where they are alike."""
        if trait == "time":
            # The earlier one is the larger one here.
            more, fewer = self.created < other.created, self.created > other.created
        else:
            own, its = getattr(self, trait), getattr(other, trait)
            more, fewer = own > its, own < its
        return 0.5 + more / 2 - fewer / 2


class TraitFigure(Record):
    """The share of accepted answers that one trait speaks for."""

    trait: Trait
    share: Estimate
    """Its n are pairs, its clusters users."""


def row_traits(row: Row) -> tuple[AnswerTraits, AnswerTraits] | None:
    """The traits of the chosen and of the rejected answer; None where people published neither, or
    nobody voted on them as answers."""
    if row.response_sources is None:
        return None
    traits = [
        AnswerTraits(answer.score, word_count(text), answer.created)
        for answer, text in zip(row.response_sources.both, (row.chosen, row.rejected), strict=True)
        if answer.score is not None and answer.created is not None
    ]
    return (traits[0], traits[1]) if len(traits) == 2 else None


def trait_figures(
    cases: Sequence[tuple[str, AnswerTraits, AnswerTraits]],
) -> tuple[TraitFigure, ...]:
    """A figure of each trait over users with their accepted answers and what these are held
    against; none of no cases."""
    figures = []
    for trait in TRAITS:
        share = mean_by_user([(user, own.favours(trait, other)) for user, own, other in cases])
        if share:
            figures.append(TraitFigure(trait=trait, share=share))
    return tuple(figures)
