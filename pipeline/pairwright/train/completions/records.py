"""What comes of a completions benchmark."""

from pairwright.intervals import Interval
from pairwright.records import Record


class ItemCompletions(Record):
    """What was written for one item in one condition."""

    item: str
    user: str
    condition: str
    posts: int = 0
    """Posts that were shown."""
    left_out: int = 0
    """Posts that did not fit."""
    texts: tuple[str, ...] = ()
    """In the order of the draws."""
    rouge_1: tuple[float, ...] = ()
    rouge_l: tuple[float, ...] = ()
    unscored: str = ""
    """Why there is none; empty where there is."""
    detail: str = ""


class Picks(Record):
    """What a scorer says of one item's draws."""

    item: str
    scorer: str
    scores: tuple[float, ...] = ()
    """In the order of the draws."""
    unscored: str = ""
    detail: str = ""


class ConditionMean(Record):
    """One condition over the items that count."""

    condition: str
    posts: float
    """Mean of the posts that were shown."""
    words: float
    """Mean of the words that were written, or picked."""
    rouge_1: Interval
    rouge_l: Interval


class CompletionDifference(Record):
    """One condition less another, item by item."""

    first: str
    second: str
    rouge_1: Interval
    rouge_l: Interval


class ModelRef(Record):
    """A model, exactly."""

    name: str
    model: str
    revision: str | None
    settings: str
    """Hash of what else decides its replies."""


class Completions(Record):
    """All of it."""

    source: str
    """The source's file name, or its id on the Hub."""
    source_hash: str
    limit: int | None
    policy: ModelRef
    words: int
    """Most words, as the prompt says."""
    n: int
    """Draws that scorers pick from."""
    scorers: tuple[ModelRef, ...]
    simulated: bool
    """Whether the embedded model had a part in it: then it is not a result."""
    seed: int
    items: int
    """The number of items that the source has."""
    source_problems: dict[str, int]
    """Rows and posts of it that were refused, by reason."""
    refused: dict[str, int]
    """Items that cannot be asked, by reason."""
    asked: int
    counted: int
    """Items with a text and a score in every condition."""
    unscored: dict[str, int]
    """Items without, by condition and reason."""
    shortened: int
    """Texts that were written with fewer posts than chosen, for want of room."""
    unchanged: int = 0
    """Items of which the first text with most posts is that without any."""
    truth_words: float
    """Mean of the words that users wrote."""
    means: tuple[ConditionMean, ...]
    differences: tuple[CompletionDifference, ...]
