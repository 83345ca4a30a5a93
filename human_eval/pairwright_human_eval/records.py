"""The values of human verification. Responses and aspects are named by the hash of their text, so
that nothing downstream of the key needs to know which side was the chosen one.
"""

import hashlib
import json
from datetime import date
from typing import Literal

from pydantic import Field, JsonValue

from pairwright.records import Record, content_id
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules

Data = dict[str, JsonValue]
"""What a task shows."""
Kind = Literal["quality", "preference", "rubric"]
Purpose = Literal[
    "vote", "wrong_profile", "narrative", "attention", "repeat", "own", "yoked"
]  # fmt: skip
"""Why a task exists. Only `vote` counts towards a decision; the others measure the study, and `own`
is a person's choice on a pair of their own posts. `attention` is a written check."""
Place = Literal["A", "B"]
Support = Literal["clearly", "plausibly", "no", "contradicted"]

OWN, LATER = 3, 4
"""The rounds in which people judge pairs of their own posts, and judge them again."""
KINDS: tuple[Kind, ...] = ("quality", "preference", "rubric")
"""In the order in which an annotator does them."""
EQUAL, CANNOT_TELL = "equal", "cannot_tell"
BOTH, NEITHER = "both", "neither"


def pseudonyms(n: int, role: str = "annotator") -> tuple[str, ...]:
    """`annotator-01`, `annotator-02`, ..."""
    return tuple(f"{role}-{number:02}" for number in range(1, n + 1))


def response_id(text: str) -> str:
    """A response's neutral name: the hash of its text."""
    return content_id("response", text)


def aspect_id(text: str) -> str:
    """An aspect's name: the hash of its text."""
    return content_id("aspect", text)


def text_hash(text: str) -> str:
    """`sha256:` and 64 hex digits."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def digest(value: JsonValue) -> str:
    """The `text_hash` of the canonical JSON: sorted keys, compact, escaped."""
    return text_hash(_CANONICAL.encode(value))


class AskedTask(Record):
    """What one blind task is really about."""

    task: str
    """The opaque id that is in the task's data as `task`, and the only thing there that
    names anything."""
    kind: Kind
    purpose: Purpose
    round: int
    """1, 2 for adjudication, or `OWN` or `LATER`."""
    annotator: str
    """The pseudonym the task is assigned to, such as `annotator-03`."""
    subject: str
    """What is decided as one: a twin's id, or a single pair's. A written check's own id."""
    pair: str | None
    """The half or pair whose user's posts or aspects are shown; none for quality, and of a written
    check."""
    domain: str
    a: str
    """The response shown as A, by its neutral name."""
    b: str


class KeyedTask(AskedTask):
    """A line of the private key."""

    expected: Place | None
    """Where the chosen response is shown, or the right answer of a written check; none where
    no response is to be preferred: in a placebo, and where quality is asked."""
    aspects: tuple[str, ...]
    """Kind rubric: the aspects by name, in the order of the rows."""
    foils: tuple[str, ...] = ()
    """Those of them that are another user's."""
    data_hash: str
    """`digest` of the task's data as written."""


class Study(Record):
    """What was fixed when the tasks were exported (`human/private/study.json`)."""

    version: str
    """Pairwright's."""
    pairs_hash: str
    """Of pairs.jsonl, which must not change once people work on it."""
    key_hash: str = ""
    """Of key.jsonl; set when both are written."""
    seed: int
    """Secret: sides, ids and orders are drawn with it, and nobody who has it is blind."""
    salts: dict[str, int]
    """By domain: the salt that, with the seed, gives its side orders."""
    annotators: tuple[str, ...]
    overlap: int
    """0: as many people answer each question as the rule asks for."""
    sampled: int
    """Subjects in the study."""
    of: int
    """Subjects in the run."""
    left_out: int = 0
    """Those of them that could not be drawn, because of what their texts hold."""
    policy: HumanRules
    """The rule as fixed before the first answer."""
    scales: tuple[Scale, ...]
    """The quality scales as they were asked: the judges' own."""
    language: str = "en"
    """Of the forms and guidelines."""
    config_hashes: dict[str, str]
    """By kind, and `KIND_adjudication`: `config_hash` of its labelling configuration."""
    own_days: int | None = Field(None, exclude_if=lambda days: days is None)
    """Days until people who judge pairs of their own posts are asked again, as own.json says it;
    None where nobody does."""
    qualification: bool = False
    """Whether it has written checks alone, for people who want to take part in a study."""
    mirrored_checks: bool = False
    """Whether only the posts decide its written checks, where it has any. False in studies of older
    versions: some of their right answers can be seen without the posts."""
    fewest_checks: int | None = Field(None, exclude_if=lambda checks: checks is None)
    """Its attention checks are votes on twins, and nobody is excluded by fewer. None where they are
    written: in qualifications, and in studies of older versions."""


class OwnStudy(Record):
    """Who judges pairs of their own posts (`human/private/own.json`)."""

    seats: dict[str, str]
    """By pseudonym: the user's id in the source."""
    left: dict[str, str] = Field(default_factory=dict)
    """Of people who have withdrawn, by pseudonym: a hash of the user's id, which says nothing
    without the study's seed."""
    days: int
    """Until they are asked again."""
    later: date
    """The day before which nobody is."""
    config_hash: str
    """Of their labelling configuration."""


class QualityAnswers(Record):
    """Scores by response and scale; None where the annotator could not judge."""

    kind: Literal["quality"] = "quality"
    scores: dict[str, dict[str, int | None]]


class PreferenceAnswer(Record):
    """A response's name, `equal` or `cannot_tell`."""

    kind: Literal["preference"] = "preference"
    choice: str
    seen: bool = Field(default=False, exclude_if=lambda seen: not seen)
    """Whether the annotator says to have seen this very task before."""


class AspectAnswer(Record):
    """Whether the posts carry the aspect, and which response delivers it: a response's name,
    `both`, `neither` or `cannot_tell`."""

    aspect: str
    support: Support
    delivered: str


class RubricAnswers(Record):
    """One answer an aspect, in the task's order."""

    kind: Literal["rubric"] = "rubric"
    aspects: tuple[AspectAnswer, ...]


class Verdict(AskedTask):
    """One person's answers on one task: a line of verdicts.jsonl."""

    answers: QualityAnswers | PreferenceAnswer | RubricAnswers
    comment: str
    created: str
    updated: str
    seconds: float | None
    """Time with the task open, where the annotator tool recorded it."""
    raw: str
    """`digest` of the annotation as exported."""
    simulated: bool
    """Given by a simulated annotator: no evidence about any pair."""


class SetAside(Record):
    """An annotation that is not a verdict, with its reason: a line of set_aside.jsonl."""

    reason: str
    detail: str
    file: str
    task: str | None
    annotator: str | None
    annotation: int | None
    """The annotator tool's number of it."""
    raw: str
