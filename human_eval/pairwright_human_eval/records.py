"""The values of human verification: a study and its tasks, one table of answers, what is set aside.

Roles name the subject of a task: `chosen` and `rejected` in a preference, `first` (chosen for the
user who asked) and `second` in quality. No task shows a role.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from pydantic import JsonValue

from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules

Data = dict[str, JsonValue]
Kind = Literal["quality", "preference", "rubric"]
Purpose = Literal["vote", "repeat"]
"""Only a `vote` counts towards a decision; a repeat measures the annotator."""
Place = Literal["A", "B"]
Role = Literal["chosen", "rejected", "first", "second"]
Label = Literal["chosen", "equal"]
"""Expected answer on a pair: the chosen response serves this user better or, in a placebo, there is
no difference."""
State = Literal["verified", "refused", "disputed", "waiting"]
Tool = Literal["label-studio", "spreadsheet"]
AnswerKind = Literal["preference", "quality", "support", "delivery", "comment"]

KINDS: tuple[Kind, ...] = ("quality", "preference", "rubric")
"""Kinds of tasks, in the order in which an annotator does them."""
OTHER: dict[Role, Role] = {
    "chosen": "rejected", "rejected": "chosen", "first": "second", "second": "first"
}  # fmt: skip
EQUAL, CANNOT_TELL, CANNOT_JUDGE = "equal", "cannot_tell", "cannot_judge"
BOTH, NEITHER = "both", "neither"
SUPPORT = ("contradicted", "no", "plausibly", "clearly")
NO_TIME = datetime.min.replace(tzinfo=UTC)
SIMULATED = "simulated-"  # Raw files of simulated annotators begin so.


def pseudonyms(n: int, role: str = "annotator") -> tuple[str, ...]:
    """`annotator-01`, `annotator-02`, ..."""
    return tuple(f"{role}-{number:02}" for number in range(1, n + 1))


def digest(value: JsonValue) -> str:
    """`sha256:` and 64 hex digits of the canonical JSON: sorted keys, compact, escaped."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class KeyedTask(Record):
    """A line of the private key: what one blind task is really about."""

    task: str
    """The opaque id in the task's data, the only thing there that names anything."""
    kind: Kind
    purpose: Purpose
    round: int
    annotator: str
    unit: str
    """A twin's id, or a single pair's."""
    pair: str
    """The pair whose user's posts or aspects are shown; empty for quality."""
    label: Label
    a: Role
    aspects: int
    """Rows of kind rubric: the pair's aspects in their order."""
    data_hash: str

    @property
    def sides(self) -> dict[str, str]:
        """The role of each place."""
        return {"A": self.a, "B": OTHER[self.a]}

    @property
    def expected(self) -> Place | None:
        """Place where the chosen response is shown; None if no response is to be preferred."""
        if self.kind == "quality" or self.label == "equal":
            return None
        return "A" if self.a == "chosen" else "B"


class Task(NamedTuple):
    """A task's data as annotators see it, and its line in the key."""

    data: Data
    keyed: KeyedTask


class Study(Record):
    """Terms of a study, fixed when the tasks were exported (`human/private/study.json`)."""

    version: str
    pairs_hash: str
    """Hash of pairs.jsonl, which must not change once people work on it."""
    key_hash: str = ""
    seed: int
    """Secret seed of sides, ids and orders: a person who has it is not blind."""
    annotators: tuple[str, ...]
    overlap: int
    """0: as many people answer each question as the rule asks for."""
    of: int
    """Units in the run, from which the study's were drawn."""
    policy: HumanRules
    scales: tuple[Scale, ...]
    language: str = "en"
    tool: Tool = "label-studio"


class Answer(Record):
    """A line of answers.jsonl: one person's answer to one question."""

    task: str
    annotator: str
    round: int
    """1; 2 for adjudication; 0 for a repeat, which counts in no decision."""
    unit: str
    pair: str
    """Id of the pair; empty for quality, which is asked once for both sides of a twin."""
    kind: AnswerKind
    item: str
    """Quality: scale and response, such as `correctness first`. Support and delivery: the number of
    the aspect in the pair's rubric, from 1."""
    label: str
    """Preference: chosen, rejected, equal, cannot_tell. Quality: a score, or cannot_judge. Support:
    clearly, plausibly, no, contradicted. Delivery: chosen, rejected, both, neither, cannot_tell.
    Comment: the text."""
    seconds: float | None
    """Time with the task open, if the annotation tool recorded it."""
    at: str
    """Time of the last change; empty in spreadsheets."""
    source: str


class Objection(Exception):
    """Reason why an annotation is not an answer. The detail names no person and quotes little."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


class SetAside(Record):
    """A line of set_aside.jsonl: an annotation that is not an answer."""

    file: str
    place: str
    reason: str
    detail: str
    task: str
    annotator: str


class Given(NamedTuple):
    """An annotation as it was read: answers, a skip, or something with a fault."""

    task: str
    """Id of the task; empty if it names no task of the study."""
    file: str
    place: str
    identity: str
    """The tool's own name for it, the same in every export; empty for a task that was not begun."""
    project: str = ""
    """A later file of the same project, with this task, replaces it; empty: no file does."""
    at: datetime = NO_TIME
    number: int = 0
    account: int | None = None
    """The tool's numbers of it, and of who gave it."""
    comment: str = ""
    answers: tuple[Answer, ...] | None = None
    """None for a skip, and with a fault."""
    fault: Objection | None = None
