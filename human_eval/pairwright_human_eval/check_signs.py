"""By what an annotator could tell attention checks from the other preference tasks, and how well.

Each sign is a number of a task that is seen without reading for the answer. Its AUC is that of all
pairs of a check and another task: 0.5 tells nothing; 1 and 0 tell every check, by more or by less.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from typing import NamedTuple

from scipy.stats import rankdata

from pairwright.text import word_count
from pairwright_human_eval.tasks import Task
from pairwright_human_eval.text_size import SENTENCE_END

TELLING = 0.25
"""An AUC so far from one half tells checks: one more and one fewer of four pairs."""
_TAG = re.compile(r"<[^>]*>")
_BLOCK = re.compile(r"<(?:p|li)>")


class CheckSign(NamedTuple):
    """One sign of all checks of a study."""

    name: str
    auc: float
    """The probability that a check has more of it than another preference task; a tie is half."""

    @property
    def tells(self) -> bool:
        return abs(self.auc - 0.5) >= TELLING


def check_signs(tasks: Mapping[str, Sequence[Task]]) -> tuple[CheckSign, ...]:
    """The signs of the tasks of every annotator, exact on these; empty without a check or without
    any other preference task."""
    asked = [
        (task, place / len(own))
        for given in tasks.values()
        for own in [[task for task in given if task.keyed.kind == "preference"]]
        for place, task in enumerate(own)
    ]
    checks = [task.keyed.purpose == "attention" for task, _ in asked]
    if all(checks) or not any(checks):
        return ()
    values = {name: [sign(task) for task, _ in asked] for name, sign in SIGNS.items()}
    values["place in the work"] = [place for _, place in asked]
    return tuple(CheckSign(name, area(own, checks)) for name, own in values.items())


def area(values: Sequence[float], checks: Sequence[bool]) -> float:
    """The area under the ROC curve of a rule that calls the larger of two a check."""
    ranks, n = rankdata(values), sum(checks)
    above = sum(rank for rank, check in zip(ranks, checks, strict=True) if check)
    return float(above - n * (n + 1) / 2) / (n * (len(checks) - n))


def posts_of(task: Task) -> list[str]:
    """The posts as they are shown."""
    rows = task.data["posts"]
    assert isinstance(rows, list)
    return [str(row["text"]) for row in rows if isinstance(row, dict)]


def responses_of(task: Task) -> list[str]:
    """Both responses as they are read, without their layout."""
    shown = (_TAG.sub(" ", str(task.data[f"response_{side}"])) for side in "ab")
    return [" ".join(unescape(text).split()) for text in shown]


def _words(texts: Iterable[str]) -> float:
    return sum(map(word_count, texts))


def _words_a_sentence(task: Task) -> float:
    texts = responses_of(task)
    return _words(texts) / sum(max(1, len(SENTENCE_END.findall(text))) for text in texts)


def _shared(task: Task) -> float:
    one, other = (set(re.findall(r"\w+", text.lower())) for text in responses_of(task))
    return len(one & other) / max(1, len(one | other))


SIGNS: dict[str, Callable[[Task], float]] = {
    "number of posts": lambda task: len(posts_of(task)),
    "words of all posts": lambda task: _words(posts_of(task)),
    "line breaks in posts": lambda task: sum("\n" in post for post in posts_of(task)),
    "characters of the question": lambda task: len(str(task.data["question"])),
    "words of both responses": lambda task: _words(responses_of(task)),
    "characters of both responses": lambda task: sum(map(len, responses_of(task))),
    "words a sentence of the responses": _words_a_sentence,
    "paragraphs and list items of the responses": lambda task: sum(
        len(_BLOCK.findall(str(task.data[f"response_{side}"]))) for side in "ab"
    ),
    "share of words that both responses have": _shared,
}
