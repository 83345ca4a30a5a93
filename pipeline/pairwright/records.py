"""The values that flow through a build. Frozen, closed to unknown fields, compared by value.

A later record contains the earlier ones, so no record has fields that are only sometimes set.
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

    The prefix is not hashed: where a secret or a draw comes from an id, use `draw_id`."""
    listed = f"[{', '.join(map(encode_basestring_ascii, parts))}]"
    return f"{prefix}-{hashlib.blake2b(listed.encode(), digest_size=8).hexdigest()}"


def draw_id(purpose: str, *parts: str) -> str:
    """A content id whose purpose is hashed, too: the ids that the same parts have for two purposes
    say nothing about each other."""
    return content_id(purpose, purpose, *parts)


def judge_name(models: Iterable[str]) -> str:
    """The models that judged a pair, as its record and its row name them."""
    return " + ".join(models)


def judges_of(name: str | None) -> tuple[str, ...]:
    """The models that a record or a row names as its judge."""
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
    """What kind of post it is (`question`, `answer`, `comment`, `review`), where the source tells.
    It stays in the run folder: rows of a release do not have it."""


class GoldAspect(Record):
    """A rubric aspect that came with the data (LaMP-QA's three fields)."""

    aspect: str
    reason: str = ""
    evidence: str = ""


class OppositeChoice(Record):
    """What the user of an item chose of two responses, and who chose the other."""

    chosen: str
    """What the item's user took and the other refused."""
    rejected: str
    """What the other took and the item's user refused."""
    other: str
    """The other user."""
    profile: tuple[Post, ...]
    """What the other wrote or chose before the choice, oldest first."""
    created: str | None = None
    """When the other chose; the item has its user's time."""
    source_url: str | None = None
    reason: str | None = None
    """Why the other chose so, in the other's words; the item has its user's as narrative."""


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
    """Of mode natural: the user's own choice, against that of another user."""


# What a user expects in an answer: aspects, with the posts that they follow from


Origin = Literal["planner", "gold"]
Follows = Literal["stated", "inferred", "pattern"]


class Aspect(Record):
    """What this user expects in an answer to this question."""

    aspect: str
    reason: str
    evidence: str
    """Verbatim passages, one a line, from the posts it names; of a narrative, one passage."""
    post_ids: tuple[str, ...] = ()
    """The posts of the passages, in their order."""
    follows: Follows | None = None
    """How the planner says that it follows from the posts: said outright, concluded from what a
    post says, or shown by several posts together. None where no planner inferred it."""


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
    """None where there are no aspects: the label is the user's own choice, or nothing personal was
    found and the pair is a placebo's."""
    aspects: tuple[Aspect, ...]
    dropped: tuple[DroppedAspect, ...] = ()
    shown: tuple[str, ...] = ()
    """Ids of the posts the planner was shown, oldest first."""
    left_out: tuple[str, ...] = ()
    """Ids of ranked posts dropped because the prompt was over the model's context."""
    others: int = 0
    """How many other users' histories the aspects were held against."""

    @property
    def inferable(self) -> bool:
        """False where the aspects are not necessarily inferable from the profile."""
        return self.origin == "planner"

    def narrowed(self, aspects: Iterable[Aspect], dropped: Iterable[DroppedAspect]) -> "Rubric":
        """The rubric with only these aspects, and with more that were dropped."""
        return Rubric(
            question_id=self.question_id,
            user=self.user,
            origin=self.origin,
            aspects=tuple(aspects),
            dropped=(*self.dropped, *dropped),
            shown=self.shown,
            left_out=self.left_out,
            others=self.others,
        )


# Two responses of one draw, and what judges and gates found about them


DraftSide = Literal["first", "second"]
BlindPreference = Annotated[int, Field(ge=0, le=2)]
"""In how many of both orders a judge that knows nobody would rather have one of two responses."""
AdherenceLevel = Literal[0, 1, 2]
"""The scale of adherence: absent or contradicted, partly, fully. It is that of LaMP-QA."""
FULL_ADHERENCE: int = max(get_args(AdherenceLevel))


class AspectScore(Record):
    """One aspect's adherence, on the scale of `AdherenceLevel`."""

    reason: str
    score: int


class Adherence(Record):
    """How far one response meets each aspect of one rubric, in the rubric's order."""

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
    """The pairwise quality verdict over both orders."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    UNDECIDED = "undecided"
    """The verdict changed with the order. Never parity."""

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
    """The sides whose text it refuses; none where it passed, and where no side is at fault."""
    judge: str | None = None
    """The model on whose judgement it decided, where that is not the first of several judges."""


class Draft(Record):
    """Two responses of one draw, with everything that was judged and decided about them."""

    draw: int
    strategy: str
    generator: str
    first: str
    """The response that the asker's half calls chosen."""
    second: str
    """The response that the other half calls chosen, if there is one."""
    adherence: tuple[dict[DraftSide, Adherence], ...] = ()
    """Both responses against the rubric of each half, the asker's first; none without rubrics."""
    quality: dict[DraftSide, Quality] = Field(default={})
    comparison: Comparison | None = None
    comparison_reason: str = ""
    """What the judge said of both, where the first was shown as A and the second as B."""
    gates: tuple[GateResult, ...] = ()
    blind_preference: BlindPreference | None = None
    """Of the first response. None where it was not asked for, or no reply could be read: only of
    drafts that all gates accepted. It is a figure of the set, and refuses no draft."""

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
    """The user whose rubric it is about, where it is about one: the asker or the partner."""
    aspects: tuple[Aspect, ...] = ()
    """The aspects that were left, too few or not well enough served; of both users for a twin."""
    dropped: tuple[DroppedAspect, ...] = ()
    drafts: tuple[Draft, ...] = ()
    """Every refused draft, with what was measured."""


class Pair(Record):
    """One personalized preference pair: the unit a scorer sees."""

    id: str
    mode: str
    """The name of the mode that it was built in."""
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
    """The judge's model, or those of several judges (`judge_name`); none where pairs are not
    gated."""
    twin_id: str | None = None
    asked: bool = True
    """Whether its chosen response is the first of the draft: false in the half of a twin whose user
    did not ask this question; of natural twins in the half that is named second."""
    narrative: str | None = None
    created: str | None = None
    source_url: str | None = None

    @property
    def adherence(self) -> dict[Side, Adherence]:
        """The judge's scores of both sides for this pair's own rubric, if they were judged."""
        halves = self.draft.adherence
        return self._by_side(halves[0 if self.asked else 1]) if halves else {}

    @property
    def quality(self) -> dict[Side, Quality]:
        """The judge's quality scores of both sides, if they were judged."""
        return self._by_side(self.draft.quality)

    @property
    def blind_preference(self) -> BlindPreference | None:
        """In how many orders a judge that knows nobody would rather have the chosen response."""
        preference = self.draft.blind_preference
        return preference if preference is None or self.asked else 2 - preference

    def _by_side(self, found: Mapping[DraftSide, T]) -> dict[Side, T]:
        """What was found of the first and the second response, by what this pair calls them."""
        if not found:
            return {}
        first, second = found["first"], found["second"]
        chosen, rejected = (first, second) if self.asked else (second, first)
        return {"chosen": chosen, "rejected": rejected}


class Kept(Record):
    """A kept unit: its pairs, which are accepted, released and dropped as one, and the drafts that
    were refused before."""

    pairs: tuple[Pair, ...]
    """The asker's, and if there is one the partner's: the same responses, swapped."""
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
