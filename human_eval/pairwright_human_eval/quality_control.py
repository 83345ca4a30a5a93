"""Attention checks by votes, repeats, and votes with most of the others: one function each.

**Checks.** Every vote on a half of a twin can be one. Two groups of people see the same question
and responses, each group with the posts of one of two users. If most of the others who saw these
posts choose one response, and most who saw the other user's posts choose the other, at least two
people each time, the posts decide. The right answer is then that of the others who saw the same
posts. With two votes on each half there is no check: one slip would fail another person. Which half
an annotator gets is drawn, so somebody who does not read is right with probability 1/2, whatever
the others answer. Every second "cannot tell" counts as right, like a tossed coin. No check can be
recognised, because no task is made for it; and no label is used.

**Repeats** ask a vote again with the responses swapped. They exclude nobody.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from pairwright_human_eval.records import CANNOT_TELL, EQUAL, Answer
from pairwright_human_eval.units import Outline

FEWEST_CHECKS = 4
"""With fewer checks, one slip would exclude somebody attentive."""
FEWEST_OTHERS = 2
"""One other person's answer is no measure of anybody."""
SIDES = ("chosen", "rejected")


def table_of(answers: Iterable[Answer]) -> pd.DataFrame:
    """Answers as a data frame, with their fields as columns."""
    columns = list(Answer.model_fields)
    rows = [tuple(getattr(one, name) for name in columns) for one in answers]
    return pd.DataFrame(rows, columns=columns)


def entries(series: pd.Series) -> list[tuple[Any, Any]]:
    """The keys of a series with their values."""
    return list(zip(series.index.tolist(), series.tolist(), strict=True))


def votes_of(answers: pd.DataFrame, round: int = 1) -> pd.DataFrame:
    """The preference votes of a round; `item` is the pair."""
    votes = answers[(answers["kind"] == "preference") & (answers["round"] == round)]
    return votes.assign(item=votes["pair"])


def majority(counts: Mapping[Any, int], fewest: int = 1) -> Any:
    """The label of more than half; empty if there is none, or fewer than `fewest` votes."""
    label, most = max(counts.items(), key=lambda one: one[1], default=("", 0))
    n = sum(counts.values())
    return label if 2 * most > n >= fewest else ""


def count_labels(votes: pd.DataFrame) -> dict[str, Counter[Any]]:
    """By item: how many gave each label. "Cannot tell" is missing."""
    counts: dict[str, Counter[Any]] = {}
    for item, label in zip(votes["item"], votes["label"], strict=True):
        counts.setdefault(item, Counter())[label] += int(label != CANNOT_TELL)
    return counts


def others_say(votes: pd.DataFrame, fewest: int = 1) -> pd.Series:
    """For each vote: the label of more than half of the other votes on its item, or empty. Fewer
    than `fewest` others say nothing."""
    counts = count_labels(votes)
    said = [
        majority(counts[item] - Counter({label: 1}), fewest)
        for item, label in zip(votes["item"], votes["label"], strict=True)
    ]
    return pd.Series(said, index=votes.index, dtype=object)


def checks(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """Count the votes of each annotator that are checks (`n`), and those that are right (`k`).

    A placebo has none: nothing in its posts decides. In the words of each half, the posts decide if
    both halves have the same majority, `chosen` or `rejected`.
    """
    other_half: dict[str, str] = {}
    for unit in outlines:
        if unit.label != EQUAL and len(unit.pairs) == 2:
            one, two = (pair.id for pair in unit.pairs)
            other_half |= {one: two, two: one}
    votes = votes_of(answers)
    votes = votes[votes["pair"].isin(other_half)]
    said = {pair: majority(+counts, FEWEST_OTHERS) for pair, counts in count_labels(votes).items()}
    here = others_say(votes, FEWEST_OTHERS)
    across = votes["pair"].map(lambda pair: said.get(other_half[pair], ""))
    votes = votes.assign(here=here)[here.isin(SIDES) & (here == across)]
    unknown = _counted(votes["annotator"], votes["label"] == CANNOT_TELL)["k"]
    right = _counted(votes["annotator"], votes["label"] == votes["here"])
    return right.assign(k=right["k"] + (unknown + 1) // 2)


def repeats(answers: pd.DataFrame) -> pd.DataFrame:
    """Count the votes of each annotator that were asked again (`n`) and answered as before (`k`).
    "Cannot tell" is missing."""
    told = answers[answers["label"] != CANNOT_TELL]
    again = votes_of(told).merge(votes_of(told, 0), on=["annotator", "pair"])
    return _counted(again["annotator"], again["label_x"] == again["label_y"])


def with_others(votes: pd.DataFrame) -> pd.DataFrame:
    """Count the votes of each annotator on items where most of the others agree (`n`), and those
    that say the same (`k`). "Cannot tell" is missing."""
    votes = votes[votes["label"] != CANNOT_TELL]
    most = others_say(votes)
    agreed = most.map(lambda label: label != "").astype(bool)
    return _counted(votes["annotator"][agreed], (votes["label"] == most)[agreed])


def _counted(who: pd.Series, hits: pd.Series) -> pd.DataFrame:
    table = pd.DataFrame({"who": who, "hit": hits.astype(int)})
    return table.groupby("who").agg(k=("hit", "sum"), n=("hit", "size"))


def excluded_by(passed: pd.DataFrame, floor: float) -> frozenset[str]:
    """Annotators who passed less than `floor` of at least `FEWEST_CHECKS` checks. None of their
    answers counts."""
    low = (passed["n"] >= FEWEST_CHECKS) & (passed["k"] / passed["n"] < floor)
    return frozenset(passed.index[low])


def annotators(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """One line an annotator: how many (`_n`) checks, repeats and votes on which the others agree,
    and how many of them are right or the same (`_k`)."""
    parts = [
        checks(answers, outlines).add_prefix("checks_"),
        repeats(answers).add_prefix("repeats_"),
        with_others(votes_of(answers)).add_prefix("others_"),
    ]
    names = sorted(set(answers["annotator"]))
    return pd.concat(parts, axis=1).reindex(names).fillna(0).astype(int)
