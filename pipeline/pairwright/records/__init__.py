"""The values that flow through a build. Frozen, closed to unknown fields, compared by value.

base.py       the base of all records, and ids that are derived from content
items.py      what a source gives: posts, questions, people's own choices
rubrics.py    what a user expects in an answer, and the posts that it follows from
drafts.py     two responses of one draw, with what judges and gates found
pairs.py      pairs, twins and refusals

A later record contains the earlier ones, so no record has fields that are only sometimes set.
Ids of what we make are content ids; ids of what users bring are theirs, and never become paths.
"""

from pairwright.modes import Mode
from pairwright.records.base import (
    Cluster,
    Record,
    content_id,
    draw_id,
    dyad_id,
    pseudonym,
)
from pairwright.records.drafts import (
    FULL_ADHERENCE,
    Adherence,
    AdherenceLevel,
    AspectScore,
    BlindPreference,
    Comparison,
    Draft,
    DraftSide,
    GateResult,
    Quality,
)
from pairwright.records.items import (
    AnswerChoice,
    Authorship,
    GivenAnswer,
    GoldAspect,
    Item,
    Neighbours,
    OppositeChoice,
    Post,
    PublishedAnswer,
)
from pairwright.records.pairs import (
    Contrast,
    Pair,
    Rejected,
    ResponseSource,
    ResponseSources,
    Side,
    Twin,
)
from pairwright.records.rubrics import (
    Aspect,
    DroppedAspect,
    Follows,
    Origin,
    Rubric,
)

__all__ = [
    "FULL_ADHERENCE",
    "Adherence",
    "AdherenceLevel",
    "AnswerChoice",
    "Aspect",
    "AspectScore",
    "Authorship",
    "BlindPreference",
    "Cluster",
    "Comparison",
    "Contrast",
    "Draft",
    "DraftSide",
    "DroppedAspect",
    "Follows",
    "GateResult",
    "GivenAnswer",
    "GoldAspect",
    "Item",
    "Mode",
    "Neighbours",
    "OppositeChoice",
    "Origin",
    "Pair",
    "Post",
    "PublishedAnswer",
    "Quality",
    "Record",
    "Rejected",
    "ResponseSource",
    "ResponseSources",
    "Rubric",
    "Side",
    "Twin",
    "content_id",
    "draw_id",
    "dyad_id",
    "pseudonym",
]
