"""An output, what the judge says of it, and what a model's outputs come to."""

from pydantic import Field

from pairwright.evaluate.results import ReleaseRef, ScorerRef
from pairwright.intervals import Interval
from pairwright.records import AspectScore, Record


class Output(Record, extra="ignore"):
    """A line of a file of outputs. What else stands in it is not read."""

    id: str = Field(description="id of an item or of a pair of the release")
    model: str = Field(min_length=1, description="what wrote it")
    output: str


class Judged(Record):
    """What the judge says of one output. Without the texts."""

    id: str
    """As the file has it."""
    pair: str
    item_id: str
    model: str
    domain: str
    cluster: str
    """Whose question it is."""
    adherence: float | None = None
    """Sum of the scores over the most possible, 0 to 1 (LaMP-QA's match score)."""
    scores: tuple[AspectScore, ...] = ()
    """In the order of the rubric."""
    tokens: int = 0
    unscored: str = ""
    """Why there is no score; empty where there is one."""
    detail: str = ""


class ModelScore(Record):
    """What one model's outputs come to."""

    model: str
    outputs: int
    scored: int
    unscored: dict[str, int]
    """Outputs without a score, by reason."""
    questions: int
    """Of the release."""
    adherence: Interval | None
    """Mean over scored outputs, its interval by user; None where none is scored."""
    worst: float | None
    """The same if every output without a score had 0."""
    best: float | None
    """The same if every output without a score had 1."""


class OutputScores(Record):
    """All of it."""

    release: ReleaseRef
    judge: ScorerRef
    simulated: bool = False
    """Whether the embedded model had a part in a score: then it is no result."""
    models: tuple[ModelScore, ...]
