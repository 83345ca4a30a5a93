"""The numbers that a build decides by. `config` reads them; stages and gates use them."""

from typing import Literal

from pydantic import Field

from pairwright.records import Record
from pairwright.text import QUOTED_WORDS

Strategy = Literal["omit", "contradict"]


def asked_length(words: int) -> tuple[int, int]:
    """The fewest and the most words that a writer is asked for, where up to `words` are accepted.

    Models count badly: asked for at most so many, they write more.
    """
    return 80 * words // 100, 95 * words // 100


class HistoryRules(Record):
    """The rules by which a user's posts are chosen to be shown."""

    posts: int = Field(10, ge=1, description="earlier posts shown, best ranked first")
    history_tokens: int = Field(
        6000,
        ge=100,
        description="most tokens of history in a prompt (four characters each; Chinese: one)",
    )
    retrieval: Literal["bm25", "recency", "dense"] = Field(
        "bm25", description="how posts are ranked against the question"
    )
    dense_model: str = Field(
        "facebook/contriever-msmarco", description="model of retrieval = 'dense'"
    )


class PlanRules(HistoryRules):
    """How aspects are inferred and sifted."""

    others: int = Field(
        5,
        ge=0,
        description="other users a question is tried on: for the specificity check, and as"
        " possible partners",
    )
    others_share: float = Field(
        0.2, ge=0, le=1, description="an aspect in more than this share of them is generic"
    )
    min_aspects: int = Field(1, ge=1, le=4, description="fewer left and the item is refused")
    per_100_words: int = Field(3, ge=1, description="most aspects used per 100 words")
    support_check: bool = Field(True, description="ask a judge whether the posts carry it")
    support_control: float = Field(
        0.1, ge=0, le=1, description="share of rubrics also asked with posts of other users"
    )
    measure_against: Literal["none", "gold", "narrative"] = Field(
        "gold", description="measure the planner's precision and recall against these, if there"
    )


class TwinRules(Record):
    """Who may be partners, and when a twin is accepted."""

    margin: float = Field(
        0.3, ge=0, le=1, description="least adherence gap for both rubrics of the 2 x 2 matrix"
    )
    cross_adherence: float = Field(
        0.5, ge=0, le=1, description="most adherence of a response to the other user's rubric"
    )
    winner_gap: float = Field(
        0.34,
        ge=0,
        description="most gap in mean quality where one response wins in both orders",
    )
    echo_gap: float = Field(
        0.6,
        ge=0,
        le=1,
        description="most difference of the two responses in the share of their own aspects' words"
        " that they repeat",
    )
    rubric_overlap: float = Field(0.5, ge=0, le=1, description="most word overlap of the rubrics")
    min_relevant: int = Field(1, ge=0, description="partner's posts that must bear on the question")
    relevance_floor: float = Field(
        0.1, ge=0, le=1, description="share of the question's words that such a post holds"
    )
    length_ratio: float = Field(2.0, ge=1, description="most ratio of the two profile lengths")
    questions_per_couple: int = Field(
        4, ge=1, description="most twins of one couple, on the questions of both together"
    )


class NaturalRules(Record):
    """How many natural twins are made of two users' own choices."""

    twins_per_user: int = Field(
        6,
        ge=1,
        description="most natural twins of a user, all with one partner; statements or questions"
        " that the couple has no twin on come first",
    )


TextGate = Literal[
    "refusal", "word_limit", "too_short", "length_ratio", "format_parity", "persona_talk",
    "meta_talk", "rubric_leakage", "profile_copy", "near_duplicate", "wrong_language",
    "echo_gap",
]  # fmt: skip
JudgedGate = Literal[
    "adherence", "violation", "adherence_margin", "cross_adherence", "twin_margin",
    "twin_margin_mirror", "quality_floor", "parity",
]  # fmt: skip


class GateRules(Record):
    """Limits of the gates. A gate named in `off` is measured and stored but refuses nothing."""

    off: tuple[TextGate | JudgedGate, ...] = Field((), description="gates that refuse nothing")
    min_words: int = Field(20, ge=0, description="least words of a response")
    length_ratio: float = Field(1.5, ge=1, description="longer over shorter, in words")
    leak_words: int = Field(QUOTED_WORDS, ge=2, description="run of words that counts as copied")
    near_duplicate: float = Field(
        0.6, ge=0, le=1, description="most shared runs of three words of the two sides"
    )
    adherence: float = Field(0.6, ge=0, le=1, description="least adherence of the fitting side")
    violation: float = Field(0.5, ge=0, le=1, description="most adherence of the other side")
    margin: float = Field(0.4, ge=0, le=1, description="least gap between them (mode violate)")
    quality_floor: float = Field(3.0, description="least mean quality of either side")
    parity: float = Field(
        0.67, ge=0, description="most gap in mean quality where no response wins in both orders"
    )
