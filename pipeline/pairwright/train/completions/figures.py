"""Means by condition and paired differences, with intervals by user, over the items that count."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pairwright.intervals import Floats, Interval
from pairwright.text import word_count
from pairwright.train.completions.conditions import NONE, WRONG, best, own
from pairwright.train.completions.records import Completion, Difference, Mean, Picks
from pairwright.train.means import mean_by_user

CEILING = "rouge-1"
"""The scorer of the ceiling: who picks by what is measured."""


class Value(NamedTuple):
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
    means: tuple[Mean, ...]
    differences: tuple[Difference, ...]


def figures(
    completions: Sequence[Completion], picks: Sequence[Picks], ks: Sequence[int], n: int
) -> Figures:
    """All of them. Nothing where no item counts."""
    users = {completion.item: completion.user for completion in completions}
    by_condition: dict[str, dict[str, Value]] = {}
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


def _ceiling(sampled: Mapping[str, Completion]) -> list[Picks]:
    return [
        Picks(item=item, scorer=CEILING, scores=entry.rouge_1)
        for item, entry in sampled.items()
        if not entry.unscored
    ]


def _mean_of(completion: Completion, draws: Sequence[int]) -> Value:
    return Value(
        rouge_1=float(np.mean([completion.rouge_1[draw] for draw in draws])),
        rouge_l=float(np.mean([completion.rouge_l[draw] for draw in draws])),
        posts=float(completion.posts),
        words=float(np.mean([word_count(completion.texts[draw]) for draw in draws])),
    )


def _mean(name: str, values: Sequence[Value], users: Sequence[str]) -> Mean:
    found = np.array(values, np.float64)
    return Mean(
        condition=name,
        posts=round(float(found[:, 2].mean()), 3),
        words=round(float(found[:, 3].mean()), 1),
        rouge_1=_interval(found[:, 0], users),
        rouge_l=_interval(found[:, 1], users),
    )


def _difference(
    first: str,
    second: str,
    by_condition: Mapping[str, Mapping[str, Value]],
    counted: Sequence[str],
    users: Sequence[str],
) -> Difference:
    a, b = (
        np.array([by_condition[name][item][:2] for item in counted], np.float64)
        for name in (first, second)
    )
    one, longest = (a - b).T
    return Difference(
        first=first,
        second=second,
        rouge_1=_interval(one, users, least=-1),
        rouge_l=_interval(longest, users, least=-1),
    )


def _interval(values: Floats, users: Sequence[str], least: float = 0.0) -> Interval:
    found = mean_by_user(list(zip(users, values.tolist(), strict=True)), least)
    assert found, "some items count"
    return found
