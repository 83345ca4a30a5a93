"""How near written bodies come to what the user wrote: ROUGE-1 and ROUGE-L, their means over users,
and differences between conditions.

Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", sections 2 and 3.1, as
F-measures without stemming. Of texts in ASCII they are those of the package rouge-score 0.1.2,
which drops every other letter; here letters of all scripts count, cut as `words` are. (It was last
released in 2022, and asks for NLTK for a stemmer that is off by default.)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pairwright.intervals import Floats, Interval, mean_by_user
from pairwright.text import word_count, words
from pairwright.train.completions.completion_tasks import NONE, WRONG, best, own
from pairwright.train.completions.records import (
    CompletionDifference,
    ConditionMean,
    ItemCompletions,
    Picks,
)


class Rouge(NamedTuple):
    """ROUGE-1 and ROUGE-L of a text, from 0 to 1."""

    one: float
    longest: float


def rouge(written: str, truth: str) -> Rouge:
    """ROUGE of a text and what was really written; 0 where either has no word."""
    a, b = (" ".join(words(text)).replace("'", " ").split() for text in (written, truth))
    shared = (Counter(a) & Counter(b)).total()
    return Rouge(_f(shared, len(a), len(b)), _f(common_subsequence(a, b), len(a), len(b)))


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence.

    All of a row of the table at once, a bit a word: Hyyrö 2004, "Bit-parallel LCS-length
    computation revisited".
    """
    places: dict[str, int] = {}
    for place, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(a)) - 1
    row = whole
    for word in b:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & whole
    return len(a) - row.bit_count()


def _f(shared: int, written: int, truth: int) -> float:
    """The harmonic mean of precision and recall, 2 shared / (written + truth)."""
    return 2 * shared / (written + truth) if shared else 0.0


CEILING = "rouge-1"
"""The scorer of the ceiling: who picks by what is measured."""


class ItemValue(NamedTuple):
    """One item in one condition: the mean over its draws, or over those that were picked."""

    rouge_1: float
    rouge_l: float
    posts: float
    words: float


class Figures(NamedTuple):
    """What is found."""

    counted: tuple[str, ...]
    """Items with a value in every condition."""
    unscored: dict[str, int]
    means: tuple[ConditionMean, ...]
    differences: tuple[CompletionDifference, ...]


def figures(
    completions: Sequence[ItemCompletions], picks: Sequence[Picks], ks: Sequence[int], n: int
) -> Figures:
    """All of them. Nothing where no item counts."""
    users = {completion.item: completion.user for completion in completions}
    by_condition: dict[str, dict[str, ItemValue]] = {}
    unscored: Counter[str] = Counter()
    for completion in completions:
        values = by_condition.setdefault(completion.condition, {})
        if completion.unscored:
            unscored[f"{completion.condition}: {completion.unscored}"] += 1
        else:
            values[completion.item] = _mean_of(completion, range(len(completion.texts)))
    sampled = {
        completion.item: completion
        for completion in completions
        if completion.condition == own(max(ks))
    }
    for pick in (*picks, *(_ceiling(sampled) if n > 1 else ())):
        values = by_condition.setdefault(best(n, pick.scorer), {})
        if sampled[pick.item].unscored:
            continue
        if pick.unscored:
            unscored[f"{best(n, pick.scorer)}: {pick.unscored}"] += 1
        else:
            values[pick.item] = _mean_of(sampled[pick.item], picked(pick.scores))
    counted = tuple(
        item for item in users if all(item in values for values in by_condition.values())
    )
    if not counted:
        return Figures((), dict(sorted(unscored.items())), (), ())
    by_item = [users[item] for item in counted]
    means = tuple(
        _mean(name, [values[item] for item in counted], by_item)
        for name, values in by_condition.items()
    )
    differences = tuple(
        _difference(first, second, by_condition, counted, by_item)
        for first, second in pairs(ks, [name for name in by_condition if name.startswith("best")])
    )
    return Figures(counted, dict(sorted(unscored.items())), means, differences)


def picked(scores: Sequence[float]) -> tuple[int, ...]:
    """The draws with the highest score; those that tie are picked equally often."""
    return tuple(draw for draw, score in enumerate(scores) if score == max(scores))


def pairs(ks: Sequence[int], reranked: Sequence[str]) -> list[tuple[str, str]]:
    """Which conditions are compared: every one with posts against none, the user's own against
    another's, and every pick against its draws unpicked."""
    names = [own(k) for k in sorted(set(ks))]
    most = names[-1]
    against_none = [(name, NONE) for name in (WRONG, *names)]
    return [*against_none, (most, WRONG), *((name, most) for name in reranked)]


def _ceiling(sampled: Mapping[str, ItemCompletions]) -> list[Picks]:
    return [
        Picks(item=item, scorer=CEILING, scores=entry.rouge_1)
        for item, entry in sampled.items()
        if not entry.unscored
    ]


def _mean_of(completion: ItemCompletions, draws: Sequence[int]) -> ItemValue:
    return ItemValue(
        rouge_1=float(np.mean([completion.rouge_1[draw] for draw in draws])),
        rouge_l=float(np.mean([completion.rouge_l[draw] for draw in draws])),
        posts=float(completion.posts),
        words=float(np.mean([word_count(completion.texts[draw]) for draw in draws])),
    )


def _mean(name: str, values: Sequence[ItemValue], users: Sequence[str]) -> ConditionMean:
    points = np.array(values, np.float64)
    return ConditionMean(
        condition=name,
        posts=round(float(points[:, 2].mean()), 3),
        words=round(float(points[:, 3].mean()), 1),
        rouge_1=_interval(points[:, 0], users),
        rouge_l=_interval(points[:, 1], users),
    )


def _difference(
    first: str,
    second: str,
    by_condition: Mapping[str, Mapping[str, ItemValue]],
    counted: Sequence[str],
    users: Sequence[str],
) -> CompletionDifference:
    a, b = (
        np.array([by_condition[name][item][:2] for item in counted], np.float64)
        for name in (first, second)
    )
    one, longest = (a - b).T
    return CompletionDifference(
        first=first,
        second=second,
        rouge_1=_interval(one, users, least=-1),
        rouge_l=_interval(longest, users, least=-1),
    )


def _interval(values: Floats, users: Sequence[str], least: float = 0.0) -> Interval:
    estimate = mean_by_user(list(zip(users, values.tolist(), strict=True)), least)
    assert estimate, "some items count"
    return estimate
