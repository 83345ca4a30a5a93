"""The tables of a config that a build, a study and a release decide by. `config` reads them."""

from math import comb
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pairwright.errors import near
from pairwright.records import Record
from pairwright.text import QUOTED_WORDS

Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
NotNegative = Annotated[float, Field(ge=0)]


class SourceRules(Record):
    """The source of items, and the rules for rows."""

    path: str = Field(
        description="a file (JSON, JSONL, CSV, TSV, Parquet), a Hugging Face id, or the folder of"
        " a Stack Exchange site's unpacked dump, named after its host"
    )
    format: Literal["items", "posts", "stackexchange", "choices"] = Field(
        "items",
        description="items: LaMP-QA's schema; posts: one post per row; stackexchange: a site's"
        " dump; choices: one choice of two responses per row",
    )
    texts: str | None = Field(None, description="choices: a file of the users' own texts, if any")
    config: str | None = Field(None, description="configuration of a Hugging Face dataset")
    split: str = Field("test", description="split of a Hugging Face dataset")
    min_posts: Positive = Field(2, description="minimum number of earlier posts of an item")
    html: bool = Field(False, description="texts are HTML, and become plain text")
    targets: Positive | Literal["all"] = Field(
        1, description="posts, stackexchange: so many of a user's latest questions, or `all`"
    )
    columns: dict[str, str] = Field(
        default={}, description='the table\'s own names of columns, such as `user = "author"`'
    )
    default_category: str | None = Field(
        None, description="category of rows without one, and of a dump whose site is in no domain"
    )

    @model_validator(mode="after")
    def _of_the_format(self) -> "SourceRules":
        for key, formats in _FORMATS_OF_KEY.items():
            default = type(self).model_fields[key].default
            if self.format not in formats and getattr(self, key) != default:
                raise ValueError(f"{key} goes with format = {' or '.join(map(repr, formats))}")
        for name in self.columns:
            if name not in (known := columns_of(self.format)):
                listed = ", ".join(known) or "no columns"
                raise ValueError(
                    f"[columns] names {name!r}; format = {self.format!r} has {listed}."
                    + near(name, known)
                )
        return self


_FORMATS_OF_KEY = {"texts": ("choices",), "targets": ("posts", "stackexchange")}
"""The keys of a source that go with some formats alone."""
COLUMNS = {
    "items": ("id question profile category", "user narrative created source_url rubric_aspects"),
    "posts": ("user text created category", "title url kind"),
    "choices": ("user question option_a option_b choice", "created reason category url"),
    "texts": ("user text", "created title url"),
}
"""The required and the optional columns, by kind of table."""


def columns_of(format: str) -> list[str]:
    """The names of columns of a format's tables."""
    tables = ("choices", "texts") if format == "choices" else (format,)
    named = (names.split() for table in tables for names in COLUMNS.get(table, ()))
    return list(dict.fromkeys(name for names in named for name in names))


def required_columns(rules: SourceRules, table: str) -> dict[str, list[str]]:
    """The columns that must be there, and those that the rules name, with the names that each may
    have in the file. Choices and texts share these rules: a text's column may have its usual name.
    """
    needed, optional = (names.split() for names in COLUMNS[table])
    may = {"category"} if rules.default_category else set()
    named = {*needed, *rules.columns} - (may - rules.columns.keys())
    own = {one: rules.columns.get(one, one) for one in (*needed, *optional) if one in named}
    usual = table == "texts"
    return {one: list(dict.fromkeys([name, one] if usual else [name])) for one, name in own.items()}


Strategy = Literal["omit", "contradict"]


def asked_length(words: int) -> tuple[int, int]:
    """The fewest and the most words that a writer is asked for, if up to `words` are accepted.

    Models count badly: asked for at most so many, they write more.
    """
    return 80 * words // 100, 95 * words // 100


def most_aspects(words: int) -> int:
    """The number of aspects that a response of up to `words` has room for."""
    return max(1, 3 * words // 100)


class HistoryRules(Record):
    """The rules by which a user's posts are chosen to be shown."""

    posts: Positive = Field(10, description="earlier posts shown, best ranked first")
    history_tokens: int = Field(
        6000,
        ge=100,
        description="maximum tokens of history in a prompt (four characters each; Chinese: one)",
    )
    retrieval: Literal["bm25", "recency", "dense"] = Field(
        "bm25", description="ranking of posts against the question; dense: by Contriever"
    )


class PlanRules(HistoryRules):
    """The rules for inferring and sifting aspects."""

    others: Count = Field(
        5,
        description="most other users a question is planned for: for specificity, and as partners",
    )
    min_aspects: int = Field(1, ge=1, le=4, description="minimum aspects of an item")
    support_control: Share = Field(
        0.1, description="share of rubrics judged on another user's posts"
    )


class TwinRules(Record):
    """The rules for partners, and for accepting twins."""

    margin: Share = Field(0.3, description="minimum adherence gap for each user's rubric")
    cross_adherence: Share = Field(0.5, description="maximum adherence to the other user's rubric")
    winner_gap: NotNegative = Field(0.34, description="maximum quality gap if one wins both orders")
    echo_gap: Share = Field(
        0.6,
        description="maximum difference of the two responses in the share of their aspects' words"
        " that they repeat",
    )
    shared_words: int = Field(
        2,
        description="most content words that the two responses together share more with their own"
        " users' posts than with the other's",
    )
    length_ratio: float = Field(2.0, ge=1, description="maximum ratio of the two profile lengths")
    questions_per_couple: Positive = Field(4, description="maximum twins of a user pair")


class NaturalRules(Record):
    """The limits on natural twins from two users' own choices."""

    twins_per_user: Positive = Field(6, description="maximum twins of a user; new questions first")


TextGate = Literal[
    "refusal", "word_limit", "too_short", "length_ratio", "format_parity", "persona_talk",
    "meta_talk", "rubric_leakage", "profile_copy", "near_duplicate", "wrong_language",
    "echo_gap", "shared_words",
]  # fmt: skip
JudgedGate = Literal[
    "adherence", "violation", "adherence_margin", "cross_adherence", "twin_margin",
    "twin_margin_mirror", "quality_floor", "parity",
]  # fmt: skip


class GateRules(Record):
    """Limits of the gates. A gate named in `off` is measured and stored but refuses nothing."""

    off: tuple[TextGate | JudgedGate, ...] = Field((), description="gates that are switched off")
    min_words: Count = Field(20, description="minimum words of a response")
    length_ratio: float = Field(1.5, ge=1, description="maximum ratio of the responses' lengths")
    leak_words: int = Field(QUOTED_WORDS, ge=2, description="words in a row that count as copied")
    adherence: Share = Field(0.6, description="minimum adherence of the fitting side")
    violation: Share = Field(0.5, description="maximum adherence of the other side")
    margin: Share = Field(0.4, description="minimum gap of both adherences (violate)")
    quality_floor: float = Field(3.0, description="minimum mean quality of either side")
    parity: NotNegative = Field(0.67, description="maximum quality gap if neither wins both orders")


class HumanRules(Record):
    """When people's answers verify a pair, and what a study measures of itself."""

    votes: int = Field(
        4, ge=1, le=99, description="votes that a pair, or one side of a twin, needs"
    )
    rule: Literal["majority", "unanimity"] = Field(
        "unanimity", description="how many of the votes must be for the chosen response"
    )
    further: int = Field(
        6,
        ge=0,
        le=99,
        description="votes of a second round if one vote is missing from unanimity, or no answer"
        " has a majority. Five of six must be for the chosen response. With 0, one adjudicator"
        " decides if there is no majority",
    )
    cannot_tell: Share = Field(0.34, description="maximum share of `cannot tell` votes")
    quality_floor: float = Field(3.0, description="minimum mean score of either response, by scale")
    quality_votes: Count = Field(2, description="quality answers that a unit needs; 0: none")
    aspects_supported: Share = Field(0.5, description="minimum share of supported aspects")
    rubric_votes: Count = Field(2, description="rubric answers a pair needs; 0: none")
    quality_gap: NotNegative = Field(1.5, description="maximum gap of both mean scores, by scale")
    delivered: Share = Field(
        0.51,
        description="minimum share of supported aspects that only the chosen response delivers",
    )
    contradicted: Share = Field(0.5, description="maximum share of `contradicted` answers")
    attention_floor: Share = Field(0.7, description="minimum share of attention checks passed")
    repeats: Share = Field(0.05, description="share of an annotator's votes asked again, swapped")

    @property
    def closing_votes(self) -> int:
        """The votes of a second round on a pair."""
        return self.further or 1

    @property
    def closing_misses(self) -> int:
        """The most votes of a second round that need not be for the chosen response."""
        return self.closing_votes // 6

    @property
    def by_chance(self) -> float:
        """The probability that annotators who toss a coin verify a pair."""
        n, more = self.votes, self.closing_votes
        closing = sum(comb(more, misses) for misses in range(self.closing_misses + 1)) / 2.0**more
        if self.rule == "majority":
            sure = sum(comb(n, k) for k in range(n // 2 + 1, n + 1))
            return (sure + (n % 2 == 0) * comb(n, n // 2) * closing) / 2.0**n
        return (1 + (n * closing if n > 1 and self.further else 0)) / 2.0**n


class ReleaseInfo(Record):
    """Statements on a release's pages that no file of a run contains. Empty: "not stated"."""

    name: str = Field(
        "personalized-preference-pairs",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}$",
        description="name of the dataset: up to 96 letters, digits, dots, dashes, underscores",
    )
    motivation: str = Field("", description="why the dataset was made, and by whom it was funded")
    maintainers: str = Field("", description="people who maintain the dataset")
    contact: str = Field("", description="address for questions and removal requests")
    licence: str | None = Field(
        None, description="SPDX id of posts whose address does not imply one"
    )
    own_licence: str | None = Field(
        None, description="SPDX id of aspects, responses, scores and votes"
    )
    attribution: str = Field("", description="how the source wants to be named; pages repeat it")
    languages: tuple[Annotated[str, Field(pattern=r"^[a-z]{2,3}$")], ...] = Field(
        (), description="languages of the texts, as ISO 639 codes such as `en`"
    )
    citation: str = Field("", description="BibTeX entry of the dataset")
    annotators: str = Field("", description="who the annotators were and how they were found")
    payment: str = Field("", description="what annotators were paid, and for how long")
    consent: str = Field("", description="what annotators agreed to; ethical review, if there was")
    maintenance: str = Field("", description="how errors are reported, and how long it is kept")
