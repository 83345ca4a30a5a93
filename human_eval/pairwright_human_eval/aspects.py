"""What people said of each aspect of a pair, counted: do the posts carry it, and which response
delivers it?"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from pairwright.dataset import RowDelivery, RowSupport
from pairwright_human_eval.records import BOTH, NEITHER, RubricAnswers, Verdict
from pairwright_human_eval.subjects import OutlinePair


class AspectCounts(NamedTuple):
    """The answers on one aspect."""

    support: RowSupport
    delivery: RowDelivery

    @property
    def supported(self) -> bool:
        """Whether more than half say that it is clearly or plausibly there."""
        return self.support.most

    @property
    def contradicted(self) -> float:
        """The share who say that it is contradicted."""
        given = self.support
        n = given.clearly + given.plausibly + given.no + given.contradicted
        return given.contradicted / n

    @property
    def delivered(self) -> bool:
        """Whether most say that the chosen response delivers it, and not most that the rejected one
        does. Answers `cannot tell` are left out."""
        given = self.delivery
        n = given.chosen + given.rejected + given.both + given.neither
        return 2 * (given.chosen + given.both) > n >= 2 * (given.rejected + given.both)


def aspect_counts(pair: OutlinePair, verdicts: Iterable[Verdict]) -> tuple[AspectCounts, ...]:
    """The answers on each aspect of a pair, in the rubric's order; empty where nobody was asked.

    `verdicts` are those that count: first-round votes of annotators who are not excluded.
    """
    said = {name: Counter[str]() for name in pair.aspects}
    asked = False
    for verdict in verdicts:
        if isinstance(verdict.answers, RubricAnswers) and verdict.pair == pair.id:
            asked = True
            for answer in verdict.answers.aspects:
                if answer.aspect not in said:  # A foil.
                    continue
                side = _delivery(pair, answer.delivered)
                said[answer.aspect].update((f"support {answer.support}", f"delivery {side}"))
    return tuple(_counts(said[name]) for name in pair.aspects) if asked else ()


def _delivery(pair: OutlinePair, answer: str) -> str:
    if answer == pair.chosen:
        return "chosen"
    if answer == pair.rejected:
        return "rejected"
    return answer if answer in (BOTH, NEITHER) else "cannot_tell"


def _counts(said: Counter[str]) -> AspectCounts:
    return AspectCounts(
        RowSupport(**{name: said[f"support {name}"] for name in RowSupport.model_fields}),
        RowDelivery(**{name: said[f"delivery {name}"] for name in RowDelivery.model_fields}),
    )
