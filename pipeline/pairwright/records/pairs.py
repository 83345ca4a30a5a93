"""What a build makes of an item: pairs and twins, or a refusal with its reason."""

from collections.abc import Mapping
from typing import Literal, TypeVar

from pairwright.modes import MODES, Mode
from pairwright.records.base import Record
from pairwright.records.drafts import Adherence, BlindPreference, Draft, Quality
from pairwright.records.items import Neighbours, Post
from pairwright.records.rubrics import Aspect, DroppedAspect, Rubric

T = TypeVar("T")
Side = Literal["chosen", "rejected"]


class Rejected(Record):
    """A refusal by a stage or a gate. Data, not an error: written with its reason."""

    stage: str
    reason: str
    detail: str = ""
    user: str | None = None
    """The user whose rubric it is about, where it is about one: the asker or the partner."""
    aspects: tuple[Aspect, ...] = ()
    """The aspects that were left, too few or not well enough served; of both users for a twin."""
    dropped: tuple[DroppedAspect, ...] = ()
    drafts: tuple[Draft, ...] = ()
    """Every refused draft, with what was measured."""


class ResponseSource(Record):
    """Where a response is from that somebody published, and what voters thought of it."""

    user: str
    """Pseudonym of its author; empty where the account was deleted."""
    source_url: str | None
    created: str | None
    score: int | None = None
    """Votes up less votes down; None of natural twins."""


class ResponseSources(Record):
    """The same of both responses of a pair."""

    chosen: ResponseSource
    rejected: ResponseSource

    @property
    def both(self) -> tuple[ResponseSource, ResponseSource]:
        return self.chosen, self.rejected


class Pair(Record):
    """One personalized preference pair: the unit a scorer sees."""

    id: str
    mode: Mode
    item_id: str
    """The item whose question this is."""
    user: str
    """The user whose preference it states."""
    question: str
    category: str
    domain: str
    profile: tuple[Post, ...]
    rubric: Rubric
    chosen: str
    rejected: str
    draft: Draft
    """The draft it was made of, with what was judged and decided."""
    judge: str | None = None
    """The judge's model; none where pairs are not gated."""
    twin_id: str | None = None
    asked: bool = True
    """False in the half of a twin whose user did not ask this question; of natural twins in the
    half that is named second."""
    narrative: str | None = None
    created: str | None = None
    source_url: str | None = None
    response_sources: ResponseSources | None = None
    """Of modes accepted and natural: where both responses are from, where the source tells."""
    neighbours: Neighbours | None = None
    """Of mode natural: how those who choose like the user lean."""
    simulated: bool = False
    """Whether a simulated model wrote a reply behind it: then it is not a benchmark."""

    @property
    def chosen_is_first(self) -> bool:
        """Whether the chosen response is the draft's first."""
        return self.asked

    @property
    def adherence(self) -> dict[Side, Adherence]:
        """The judge's scores of both sides for this pair's own rubric, where they were judged."""
        chosen, rejected = MODES[self.mode].adherence_endings
        first, second = ("first", "second") if self.chosen_is_first else ("second", "first")
        return _sides((first + chosen, second + rejected), self.draft.adherence)

    @property
    def quality(self) -> dict[Side, Quality]:
        """The judge's quality scores of both sides, where they were judged."""
        names = ("first", "second") if self.chosen_is_first else ("second", "first")
        return _sides(names, self.draft.quality)

    @property
    def blind_preference(self) -> BlindPreference | None:
        """In how many orders a judge that knows nobody would rather have the chosen response."""
        preference = self.draft.blind_preference
        return preference if preference is None or self.chosen_is_first else 2 - preference


def _sides(names: tuple[str, str], by_name: Mapping[str, T]) -> dict[Side, T]:
    sides: tuple[Side, Side] = ("chosen", "rejected")
    return {side: by_name[name] for side, name in zip(sides, names, strict=True) if name in by_name}


class Contrast(Record):
    """A kept pair of mode violate or accepted, and the drafts refused before it."""

    pair: Pair
    refused: tuple[Draft, ...] = ()


class Twin(Record):
    """Two kept halves over the same two responses: accepted, released and dropped as one."""

    id: str
    halves: tuple[Pair, Pair]
    refused: tuple[Draft, ...] = ()
