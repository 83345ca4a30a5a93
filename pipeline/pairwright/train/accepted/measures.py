"""Aspects against accepted answers: a line for each item, and figures over users."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from pairwright.answer_traits import AnswerTraits, Trait, trait_figures
from pairwright.intervals import Interval, mean_by_user
from pairwright.records import PublishedAnswer, Record
from pairwright.sources.stackexchange.accepted import AcceptedAnswer
from pairwright.text import word_count


class AdherenceComparison(Record):
    """How well two answers serve one user's aspects: shares of the possible score, 0 to 1."""

    aspects: int
    accepted: float
    match: float

    @property
    def difference(self) -> float:
        """Accepted answer less match, from -1 to 1."""
        return self.accepted - self.match

    @property
    def preference(self) -> float:
        """1 where the accepted answer serves the aspects better, 0 where the match does; else ½."""
        return 0.5 + (self.difference > 0) / 2 - (self.difference < 0) / 2


class AcceptedLine(Record):
    """The result of one item. It holds no text of a user."""

    id: str
    user: str
    reason: str = ""
    """Why the item is not compared; empty where it is."""
    detail: str = ""
    accepted_url: str = ""
    match_url: str = ""
    own: AdherenceComparison | None = None
    """By aspects that were inferred from the posts of the user who asked."""
    stranger: AdherenceComparison | None = None
    """By aspects that were inferred from another user's posts for the same question: the control.
    None where there is none, for the reason in `stranger_reason`."""
    stranger_reason: str = ""
    """Why an item that is compared has no control."""


NO_STRANGER = "no_stranger"
Name = Literal[
    "own",
    "stranger",
    "gain",
    "own_preference",
    "stranger_preference",
    "own_aspects",
    "stranger_aspects",
]
MEANING: dict[Name, str] = {
    "own": "how much better the accepted answer serves the asker's aspects than its match does:"
    " a difference of shares, from -1 to 1",
    "stranger": "the same by the aspects of a stranger, inferred for the same question from the"
    " stranger's posts: the control, which is about 0 unless accepted answers serve anybody's"
    " aspects better",
    "gain": "the first less the second, over the items that have both: what is personal",
    "own_preference": "share of items whose accepted answer serves the asker's aspects better; an"
    " equal one counts one half",
    "stranger_preference": "the same by the stranger's aspects",
    "own_aspects": "how many aspects the asker has: of more aspects a share has more steps, so the"
    " two sides should have about as many",
    "stranger_aspects": "how many aspects the stranger has",
}
_VALUES: dict[Name, Callable[[AcceptedLine], float | None]] = {
    "own": lambda line: line.own.difference if line.own else None,
    "stranger": lambda line: line.stranger.difference if line.stranger else None,
    "gain": lambda line: (
        line.own.difference - line.stranger.difference if line.own and line.stranger else None
    ),
    "own_preference": lambda line: line.own.preference if line.own else None,
    "stranger_preference": lambda line: line.stranger.preference if line.stranger else None,
    "own_aspects": lambda line: line.own.aspects if line.own else None,
    "stranger_aspects": lambda line: line.stranger.aspects if line.stranger else None,
}
_BOUNDS: dict[Name, tuple[float, float]] = {
    "own": (-1.0, 1.0),
    "stranger": (-1.0, 1.0),
    "gain": (-2.0, 2.0),
    "own_preference": (0.0, 1.0),
    "stranger_preference": (0.0, 1.0),
    "own_aspects": (0.0, math.inf),
    "stranger_aspects": (0.0, math.inf),
}


class AcceptedFigure(Record):
    """One figure; its n are items, its clusters users. None of no items."""

    name: Name
    mean: Interval | None


def accepted_figures(lines: Sequence[AcceptedLine]) -> Iterator[AcceptedFigure]:
    """Every figure of `MEANING`, in its order."""
    for name, value in _VALUES.items():
        values = [(line.user, v) for line in lines if (v := value(line)) is not None]
        yield AcceptedFigure(name=name, mean=mean_by_user(values, *_BOUNDS[name]))


def reasons_of(lines: Iterable[AcceptedLine]) -> dict[str, int]:
    """Why items are not compared, with their numbers, most first."""
    return dict(Counter(line.reason for line in lines if line.reason).most_common())


def stranger_reasons_of(lines: Iterable[AcceptedLine]) -> dict[str, int]:
    """Why items that are compared have no control, with their numbers, most first."""
    return dict(
        Counter(line.stranger_reason for line in lines if line.stranger_reason).most_common()
    )


class TraitShare(Record):
    """How often something that is not personal tells which answer was accepted."""

    trait: Trait
    best: Interval | None
    """Against the other answer with most votes; ties count one half."""
    match: Interval | None
    """Against the match."""


def trait_shares(cases: Sequence[AcceptedAnswer]) -> Iterator[TraitShare]:
    """The shares of accepted answers that votes, length and time explain."""
    best = trait_figures([(c.item.user, _traits(c.accepted), _traits(c.best)) for c in cases])
    match = trait_figures(
        [(c.item.user, _traits(c.accepted), _traits(c.match)) for c in cases if c.match is not None]
    )
    against_match = {figure.trait: figure.share for figure in match}
    for figure in best:
        yield TraitShare(
            trait=figure.trait, best=figure.share, match=against_match.get(figure.trait)
        )


def _traits(answer: PublishedAnswer) -> AnswerTraits:
    return AnswerTraits(answer.score, word_count(answer.text), answer.created)
