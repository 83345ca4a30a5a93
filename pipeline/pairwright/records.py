"""The values that flow through a build: frozen, closed to unknown fields, compared by value.

Ids of what we make are content ids; ids of what users bring are theirs, and never become paths.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue


def content_id(prefix: str, *parts: str) -> str:
    """An id derived from content alone: `prefix` and 16 hex digits of blake2b over the parts.

    The prefix is not hashed: where a draw comes from an id, its purpose is also the first part."""
    listed = f"[{', '.join(map(encode_basestring_ascii, parts))}]"
    return f"{prefix}-{hashlib.blake2b(listed.encode(), digest_size=8).hexdigest()}"


def judges_of(name: str | None) -> tuple[str, ...]:
    """The models that a record or a row names as its judge, joined by plus signs."""
    return tuple(name.split(" + ")) if name else ()


# A user has many pairs, and each is asked for theirs more than once.
@lru_cache(maxsize=4096)
def pseudonym(user: str) -> str:
    """A user's name outside the run folder. It separates people; it does not hide them from a
    person who has the source, and posts carry their address because their licence asks for it."""
    return content_id("user", user)


def dyad_id(users: Iterable[str]) -> str:
    """A name for the users that a pair or twin is about, from their ids in the run."""
    return content_id("dyad", *sorted(map(pseudonym, users)))


class Record(BaseModel):
    """Base of all records: immutable, strict about its fields, and plain JSON: no infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


# What a source gives: users' posts, their questions, and choices that people made themselves


class Post(Record):
    """One earlier post of a user."""

    id: str
    text: str
    category: str = ""
    created: str | None = None
    """ISO 8601 in UTC, without offset, so that text order is time order."""
    source_url: str | None = None
    kind: str = ""
    """`question`, `answer`, `comment` or `review`, if the source says so; releases leave it out."""


class GoldAspect(Record):
    """A rubric aspect that came with the data (LaMP-QA's three fields)."""

    aspect: str
    reason: str = ""
    evidence: str = ""


class OppositeChoice(Record):
    """An item's two responses: its user chose one, the other user chose the reverse."""

    chosen: str
    """The response that the item's user took and the other refused."""
    rejected: str
    other: str
    """The other user; the fields below are the other's, too."""
    profile: tuple[Post, ...]
    created: str | None = None
    source_url: str | None = None
    reason: str | None = None
    """In the other's own words; the item has its user's as narrative."""


class Item(Record):
    """One (user, question), with the user's earlier posts, oldest first."""

    id: str
    user: str
    question: str
    narrative: str | None = None
    category: str
    domain: str
    profile: tuple[Post, ...]
    rubric_aspects: tuple[GoldAspect, ...] = ()
    created: str | None = None
    source_url: str | None = None
    opposite: OppositeChoice | None = None
    """Mode natural only: the user's choice and the other user's opposite choice."""


# What a user expects in an answer: aspects, with the posts that they follow from

Origin = Literal["planner", "gold"]
Follows = Literal["stated", "inferred", "pattern"]


class Aspect(Record):
    """An expectation of a user for the answer to a question."""

    aspect: str
    reason: str
    evidence: str
    """Verbatim passages, one a line, from the posts it names; of a narrative, one passage."""
    post_ids: tuple[str, ...] = ()
    """The posts of the passages, in their order."""
    follows: Follows | None = None
    """The planner's reason from the posts; None if no planner inferred it."""


class DroppedAspect(Record):
    """An aspect that was dropped, and why."""

    aspect: Aspect
    reason: str
    detail: str = ""


class Rubric(Record):
    """One user's aspects for one question; none of a user's own choice, and of a placebo."""

    question_id: str
    user: str
    origin: Origin | None
    """None without aspects: of a user's own choice, and of a placebo."""
    aspects: tuple[Aspect, ...]
    dropped: tuple[DroppedAspect, ...] = ()
    shown: tuple[str, ...] = ()
    """Ids of the posts the planner was shown, oldest first."""

    @property
    def inferable(self) -> bool:
        """False where the aspects are not necessarily inferable from the profile."""
        return self.origin == "planner"

    def narrowed(self, aspects: Iterable[Aspect], dropped: Iterable[DroppedAspect]) -> "Rubric":
        """The rubric with only these aspects, and with more that were dropped."""
        narrower = {"aspects": tuple(aspects), "dropped": (*self.dropped, *dropped)}
        return Rubric(**dict(self) | narrower)


# Two responses of one draw, and what judges and gates found about them

DraftSide = Literal["first", "second"]
BlindPreference = Annotated[int, Field(ge=0, le=2)]
"""The number of orders in which a user-blind judge prefers one of two responses."""
AdherenceLevel = Literal[0, 1, 2]
"""LaMP-QA's scale of adherence: absent or contradicted, partly, fully."""
FULL_ADHERENCE: int = max(get_args(AdherenceLevel))


class AspectScore(Record):
    """One aspect's adherence, on the scale of `AdherenceLevel`."""

    reason: str
    score: int


class Adherence(Record):
    """Scores of one response for each aspect of one rubric, in the rubric's order."""

    scores: tuple[AspectScore, ...]

    @property
    def share(self) -> float:
        """Sum of scores over the most possible, 0 to 1 (LaMP-QA's match score)."""
        return sum(s.score for s in self.scores) / (FULL_ADHERENCE * len(self.scores))


class Quality(Record):
    """Absolute scores of one response by scale name, judged without the profile."""

    reason: str
    scores: dict[str, int]

    @property
    def mean(self) -> float:
        return sum(self.scores.values()) / len(self.scores)


class Comparison(StrEnum):
    """The pairwise quality verdict over both orders. Undecided, which is never parity: the verdict
    changed with the order."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    UNDECIDED = "undecided"

    @property
    def has_winner(self) -> bool:
        """Whether the same response was better in both orders."""
        return self in (Comparison.FIRST, Comparison.SECOND)


class GateResult(Record):
    """One gate's decision with what it measured."""

    gate: str
    passed: bool
    value: JsonValue
    limit: JsonValue
    sides: tuple[DraftSide, ...] = ()
    """The sides whose text it refuses; empty if it passed, or no side is at fault."""
    judge: str | None = None
    """The model on whose judgement it decided, if that is not the first of several judges."""


class Draft(Record):
    """Two responses of one draw, with everything that was judged and decided about them."""

    draw: int
    strategy: str
    generator: str
    first: str
    """The response that is chosen on the asker's side."""
    second: str
    adherence: tuple[dict[DraftSide, Adherence], ...] = ()
    """Both responses against the rubric of each user, the asker's first; empty without rubrics."""
    quality: dict[DraftSide, Quality] = Field(default={})
    comparison: Comparison | None = None
    comparison_reason: str = ""
    """The judge's words on both: the first as A, the second as B."""
    gates: tuple[GateResult, ...] = ()
    blind_preference: BlindPreference | None = None
    """Of the first response, asked of accepted drafts alone; it refuses no draft. None if it was
    not asked for, or no reply could be read."""

    @property
    def both(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def refused_by(self) -> GateResult | None:
        """The first gate that did not pass, or None for an accepted draft."""
        return next((g for g in self.gates if not g.passed), None)


# What a build makes of an item: pairs and twins, or a refusal with its reason

T = TypeVar("T")
Side = Literal["chosen", "rejected"]


class Dropped(Record):
    """A refusal by a stage or a gate. Data, not an error: written with its reason."""

    stage: str
    reason: str
    detail: str = ""
    user: str | None = None
    """The user whose rubric it is about, if it is about one."""
    aspects: tuple[Aspect, ...] = ()
    """The aspects that were left; of both users for a twin."""
    dropped: tuple[DroppedAspect, ...] = ()
    drafts: tuple[Draft, ...] = ()


class Pair(Record):
    """One personalized preference pair: the unit a scorer sees."""

    id: str
    mode: str
    item_id: str
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
    judge: str | None = None
    """The judge's model, or those of several judges (`judges_of`); None without gates."""
    twin_id: str | None = None
    asked: bool = True
    """Whether the first response of the draft is chosen: false on the side of a twin whose user did
    not ask the question, and on one side of each natural twin."""
    narrative: str | None = None
    created: str | None = None
    source_url: str | None = None

    @property
    def adherence(self) -> dict[Side, Adherence]:
        """The judge's scores of both sides for this pair's own rubric, if they were judged."""
        if not self.draft.adherence:
            return {}
        rubric = 0 if self.asked else 1
        return self._by_side(self.draft.adherence[rubric])

    @property
    def quality(self) -> dict[Side, Quality]:
        """The judge's quality scores of both sides, if they were judged."""
        return self._by_side(self.draft.quality)

    @property
    def blind_preference(self) -> BlindPreference | None:
        """The number of orders in which a user-blind judge prefers the chosen response."""
        preference = self.draft.blind_preference
        return preference if preference is None or self.asked else 2 - preference

    def _by_side(self, found: Mapping[DraftSide, T]) -> dict[Side, T]:
        if not found:
            return {}
        sides = found["first"], found["second"]
        chosen, rejected = sides if self.asked else sides[::-1]
        return {"chosen": chosen, "rejected": rejected}


class Kept(Record):
    """A kept twin or single pair, and the drafts that were refused before."""

    pairs: tuple[Pair, ...]
    """The asker's, and for a twin the partner's: the same responses, swapped."""
    refused: tuple[Draft, ...] = ()

    @property
    def id(self) -> str:
        """The id of its twin, or of its only pair."""
        return self.pairs[0].twin_id or self.pairs[0].id


@lru_cache(maxsize=256)
def model_name(model: str) -> str:
    """A model as a release names it: of a folder on the maker's machine, the last part."""
    if PurePosixPath(model).is_absolute() or PureWindowsPath(model).is_absolute():
        return re.split(r"[/\\]", model.rstrip("/\\"))[-1]
    return model
