"""The values of human verification. Responses and aspects are named by the hash of their text, so
that nothing downstream of the key needs to know which side was the chosen one.
"""

import hashlib
import json
from typing import Literal, NamedTuple

from pydantic import JsonValue

from pairwright.records import Record, content_id
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules

Data = dict[str, JsonValue]
"""What a task shows."""
Kind = Literal["quality", "preference", "rubric"]
Purpose = Literal["vote", "repeat"]
"""Why a task exists. Only `vote` counts towards a decision; a repeat measures the annotator."""
Place = Literal["A", "B"]
Support = Literal["clearly", "plausibly", "no", "contradicted"]

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
    """1, or 2 for adjudication."""
    annotator: str
    """The pseudonym the task is assigned to, such as `annotator-03`."""
    subject: str
    """What is decided as one: a twin's id, or a single pair's."""
    pair: str | None
    """The half or pair whose user's posts or aspects are shown; none for quality."""
    domain: str
    a: str
    """The response shown as A, by its neutral name."""
    b: str


class KeyedTask(AskedTask):
    """A line of the private key."""

    expected: Place | None
    """Where the chosen response is shown; none where no response is to be preferred: in a placebo,
    and where quality is asked."""
    aspects: tuple[str, ...]
    """Kind rubric: the aspects by name, in the order of the rows."""
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


class QualityAnswers(Record):
    """Scores by response and scale; None where the annotator could not judge."""

    kind: Literal["quality"] = "quality"
    scores: dict[str, dict[str, int | None]]


class PreferenceAnswer(Record):
    """A response's name, `equal` or `cannot_tell`."""

    kind: Literal["preference"] = "preference"
    choice: str


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


class Objection(NamedTuple):
    """Why an annotation is not a verdict. The detail names no person and quotes little."""

    reason: str
    detail: str = ""


class Answer(Record):
    """One annotation as a study keeps it: without what names people."""

    task: str | None
    """The study's own id, from the task's data."""
    identity: str
    """The tool's own name for it, the same in every export."""
    raw: str
    """`digest` of the annotation as exported."""
    number: int | None = None
    """The tool's number of it."""
    skipped: bool = False
    created: str = ""
    updated: str = ""
    seconds: float | None = None
    """Time with the task open, where the annotator tool recorded it."""
    comment: str = ""
    answers: QualityAnswers | PreferenceAnswer | RubricAnswers | None = None
    """None for what is skipped, or objected to."""
    objection: Objection | None = None
    """Why it cannot be a verdict."""


class Export(Record):
    """A raw file: the answers of one file or project."""

    file: str
    """The file's name as it was given, without its folder; a project's title."""
    source: Literal["file", "server", "simulated"]
    sequence: int = 0
    """Later files have higher numbers; 0 for projects, which know their times."""
    batch: int = 0
    """Files that were imported together have the same."""
    answers: tuple[Answer, ...]


class SetAside(Record):
    """An annotation that is not a verdict, with its reason: a line of set_aside.jsonl."""

    reason: str
    detail: str
    file: str
    """The raw file that it is in."""
    task: str | None
    annotator: str | None
    annotation: int | None
    """The annotator tool's number of it."""
    raw: str
