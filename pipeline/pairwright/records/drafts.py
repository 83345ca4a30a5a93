"""Two responses of one draw, and what judges and gates found about them."""

from enum import StrEnum
from typing import Annotated, Literal, get_args

from pydantic import Field, JsonValue

from pairwright.records.base import Record

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


class GateResult(Record):
    """One gate's decision with what it measured."""

    gate: str
    passed: bool
    value: JsonValue
    limit: JsonValue
    sides: tuple[DraftSide, ...] = ()
    """The sides whose text it refuses; none where it passed, and where no side is at fault."""


class Draft(Record):
    """Two responses of one draw, with everything that was judged and decided about them."""

    draw: int
    strategy: str
    generator: str
    first: str
    """violate: the rubric-adhering response. twin: the one for the user who asked."""
    second: str
    adherence: dict[str, Adherence] = Field(default={})
    """Keys: `first` and `second` in mode violate; `first_own`, `second_other`,
    `second_own`, `first_other` in mode twin (response, and whose rubric it is held to)."""
    quality: dict[str, Quality] = Field(default={})
    comparison: Comparison | None = None
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
