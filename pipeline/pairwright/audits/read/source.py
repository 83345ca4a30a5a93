"""A source of pairs, its rows, and the reasons for rows that cannot be read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.pairs import Row
from pairwright.settings.rules import ReleaseInfo
from pairwright.sources.problems import SourceProblem

PairSourceKind = Literal["release", "run", "official", "plain"]
NO_INFO = ReleaseInfo()
"""Of what states nothing of itself, as other people's files."""

REASONS = {
    "bad_json": "a line is not JSON",
    "invalid_utf8": "a line or row holds bytes that are not UTF-8",
    "not_an_object": "a row, or an entry of one of its lists, is not an object",
    "missing_column": "a column that is needed or was named is not in the row",
    "empty_value": "a response or the prompt is null",
    "wrong_type": "a field holds another type than it should, such as a number for text",
    "lone_surrogate": "a text holds half a character, which no file in UTF-8 can hold",
    "bad_time": "a time that cannot be read",
    "bad_csv": "a record's quotes do not match",
    "ragged_row": "a record has more or fewer cells than there are columns",
    "bad_label": "the label is neither 1 (the first is better), 2 (the second) nor a tie",
    "label_from_0": "the label is 0: of 0 and 1 nothing says which means the first response",
    "bad_cell": "a cell looks like a list of responses or messages, and cannot be read as one",
    "tie": "the label says that neither response is better",
    "no_messages": "a list of messages is empty",
    "ends_with_user": "the last message is not a response",
    "prompts_differ": "the messages before the two responses are not the same",
    "lists_differ": "chosen and rejected are not as many responses",
    "bad_options": "the options are not a list of two or more texts",
    "bad_key": "the key does not name one of the options",
    "not_a_row": "the row has a release's columns, and not its values",
}

TIE = "tie"
"""The reason of a row that can be read, and is not a preference."""


LABEL_0 = "label_from_0"
"""The reason of a label 0. It ends the reading: labels 1 of the same file may mean the second."""


class OptionKey(NamedTuple):
    """The question that a pair is of, where the pair is the right option over one of the others."""

    question: str
    """Its place: `file:line`."""
    options: int
    right: int
    """The place of the right option, from 0."""
    of_pair: bool = False
    """Whether a label named it, of the two responses of a pair."""


class ReadRow(NamedTuple):
    """A row with its split, which is empty where the source has none, and its place."""

    split: str
    row: Row
    where: str
    """The row's place: `file:line`, or `file:row` counted from 1; without the folders of this
    machine."""
    choice: OptionKey | None = None
    """The question with options that it is of, or the place of a pair's better response where a
    label names it."""


@dataclass(frozen=True)
class PairSource:
    """Pairs that can be read again and again, one in memory at a time."""

    name: str
    """The name in the report: never a path of this machine."""
    kind: PairSourceKind
    read: Callable[[], Iterator[ReadRow | SourceProblem]]
    """The rows, and those that could not be read, with a key of REASONS. Raises InputError where a
    whole file cannot be used."""
    version: str = ""
    folder: Path | None = None
    """The folder of a release or a run."""
    total: int | None = None
    """Rows, where that is known before they are read."""
    info: ReleaseInfo = NO_INFO
    """What a release states of itself, or a run of the release it will be."""

    def __iter__(self) -> Iterator[Row]:
        """The rows that can be read, as often as asked."""
        return (one.row for one in self.read() if isinstance(one, ReadRow))
