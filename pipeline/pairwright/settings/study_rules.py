"""When people's answers verify a pair; the rule that a study stored."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from pairwright.records import Record


class HumanRules(Record):
    """When people's answers verify a pair, and what a study measures of itself."""

    votes: int = Field(
        4, ge=1, le=99, description="preference votes a pair needs (each half of a twin)"
    )
    rule: Literal["majority", "unanimity"] = Field(
        "unanimity", description="how many of the votes must be for the chosen response"
    )
    further: int | None = Field(
        6,
        ge=0,
        le=99,
        description="votes of a second round on a pair that the first leaves undecided: one vote is"
        " missing from unanimity, or no answer has a majority. Five in six of them must be for the"
        " chosen response. 0: what is not unanimous is refused, and without a majority one"
        " adjudicator decides",
    )
    cannot_tell: float = Field(
        0.34, ge=0, le=1, description="most share of `cannot tell` among a pair's votes"
    )
    quality_floor: float = Field(
        3.0, description="least mean score of either response on every scale"
    )
    quality_votes: int = Field(2, ge=0, description="quality answers a subject needs; 0: none")
    aspects_supported: float = Field(
        0.5, ge=0, le=1, description="least share of aspects that most find supported by the posts"
    )
    rubric_votes: int = Field(2, ge=0, description="rubric answers a pair needs; 0: none")
    quality_gap: float | None = Field(
        1.5, ge=0, description="most gap of the two responses' mean scores on any scale"
    )
    delivered: float | None = Field(
        0.51,
        ge=0,
        le=1,
        description="of the aspects that most find supported, least share that the chosen response"
        " delivers and the rejected one does not",
    )
    contradicted: float | None = Field(
        0.5,
        ge=0,
        le=1,
        description="most share of an aspect's answers that call it contradicted by the posts",
    )
    attention_floor: float = Field(
        0.75, ge=0, le=1, description="least share of attention checks an annotator must pass"
    )
    parity_margin: float = Field(
        0.5, gt=0, description="points within which the two sides' quality counts as equal"
    )
    repeats: float = Field(0.05, ge=0, le=1, description="share of votes asked again, swapped")
    wrong_profile: float = Field(
        0.05,
        ge=0,
        le=1,
        description="share of violate pairs also shown with another user's posts; if not 0, 40 of"
        " them or more, as long as that is a fifth of all",
    )
    narrative: float = Field(
        0.05, ge=0, le=1, description="share of subjects also shown with the asker's narrative"
    )

    foils: float | None = Field(
        0.2,
        ge=0,
        le=1,
        description="share of pairs with an aspect of another user among their own, to see what"
        " people say of it",
    )

    @property
    def closing_votes(self) -> int:
        """The votes of a second round on a pair. Older studies have no such number: one adjudicator
        closes."""
        return self.further or 1

    @property
    def closing_misses(self) -> int:
        """How many of them need not be for the chosen response."""
        return self.closing_votes // 6

    @model_serializer(mode="wrap")
    def _without_later(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        """A limit that the study did not have is not there, as in the file that it is from."""
        fields: dict[str, object] = handler(self)
        return {name: value for name, value in fields.items() if value is not None}


LATER_LIMITS = frozenset({"quality_gap", "delivered", "contradicted", "further", "foils"})
"""Limits of `HumanRules` that older versions did not have: studies that they exported are decided
without them."""


def _without_later(stored: object) -> object:
    return {**dict.fromkeys(LATER_LIMITS), **stored} if isinstance(stored, dict) else stored


StoredRules = Annotated[HumanRules, BeforeValidator(_without_later)]
"""The rule that a study stored: a limit that it does not have is None, and not the default."""
