"""What shows whether an annotator reads the posts, and how steady they are.

**Checks.** Every vote on a half of a twin can be one. Two groups of people see the same question
and the same two responses, each with the posts of one of two users. If most of the others with
these posts choose one response, and most of those with the other user's posts choose the other one,
the posts decide, and the right answer is that of those who see the same posts. Which half an
annotator gets is drawn, and the two halves differ in nothing but the posts. So somebody who does
not read them is right with probability 1/2, whatever the others answer and however good the
responses are. Of two "cannot tell" one counts as right, as of two tossed coins. No task is made for
it, hence none can be told from the others, and no label is used.

**Repeats** ask a vote again with the responses swapped. They exclude nobody.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from pairwright_human_eval.records import CANNOT_TELL, EQUAL, Answer
from pairwright_human_eval.units import Outline

FEWEST_CHECKS = 4
"""With fewer votes that are checks, one slip would exclude somebody attentive."""
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
    """The preference votes of a round."""
    return answers[(answers["kind"] == "preference") & (answers["round"] == round)]


def checks(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """Count the votes of each annotator that are checks (`n`), and those that are right (`k`).

    A placebo holds no check: nothing in its posts decides. In the words of each half, the posts
    decide if both halves have the same majority, `chosen` or `rejected`.
    """
    placebos = {unit.id for unit in outlines if unit.label == EQUAL}
    units: dict[str, list[tuple[str, str, str]]] = {}
    votes = votes_of(answers)
    columns = (votes[name].tolist() for name in ("unit", "pair", "annotator", "label"))
    for unit, pair, who, label in zip(*columns, strict=True):
        if unit not in placebos:
            units.setdefault(unit, []).append((pair, who, label))
    right, met, unknown = Counter[str](), Counter[str](), Counter[str]()
    for given in units.values():
        counts = Counter((pair, label) for pair, _, label in given if label != CANNOT_TELL)
        for pair, who, label in given:
            others = counts - Counter({(pair, label): 1})
            here = majority({said: n for (half, said), n in others.items() if half == pair})
            across = majority({said: n for (half, said), n in others.items() if half != pair})
            if here == across and here in SIDES:
                met[who] += 1
                right[who] += label == here
                unknown[who] += label == CANNOT_TELL
    rows = {who: (right[who] + (unknown[who] + 1) // 2, n) for who, n in sorted(met.items())}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["k", "n"], dtype=int)


def majority(counts: Mapping[str, int]) -> str:
    """The label of more than half; empty if there is none."""
    label, most = max(counts.items(), key=lambda one: one[1], default=("", 0))
    return label if 2 * most > sum(counts.values()) else ""


def repeats(answers: pd.DataFrame) -> pd.DataFrame:
    """Count the votes of each annotator that were asked again (`n`), and those that were given
    again (`k`). "Cannot tell" is missing."""
    told = answers[answers["label"] != CANNOT_TELL]
    again = votes_of(told).merge(votes_of(told, 0), on=["annotator", "pair"])
    return _counted(again["annotator"], again["label_x"] == again["label_y"])


def with_others(answers: pd.DataFrame) -> pd.DataFrame:
    """Count the votes of each annotator on pairs on which most others agree (`n`), and those for
    what they say (`k`). "Cannot tell" is missing."""
    votes = votes_of(answers)
    votes = votes[votes["label"] != CANNOT_TELL]
    by_pair: dict[str, Counter[str]] = {}
    for pair, label in zip(votes["pair"], votes["label"], strict=True):
        by_pair.setdefault(pair, Counter())[label] += 1
    most = [
        majority(by_pair[pair] - Counter({label: 1}))
        for pair, label in zip(votes["pair"], votes["label"], strict=True)
    ]
    votes = votes.assign(most=most)
    votes = votes[votes["most"] != ""]
    return _counted(votes["annotator"], votes["label"] == votes["most"])


def _counted(who: pd.Series, hits: pd.Series) -> pd.DataFrame:
    table = pd.DataFrame({"who": who, "hit": hits.astype(int)})
    return table.groupby("who").agg(k=("hit", "sum"), n=("hit", "size"))


def excluded_by(passed: pd.DataFrame, floor: float) -> frozenset[str]:
    """Annotators who passed a smaller share than `floor` of their checks: none of their answers
    counts. Who met fewer than `FEWEST_CHECKS` is not among them."""
    low = (passed["n"] >= FEWEST_CHECKS) & (passed["k"] / passed["n"] < floor)
    return frozenset(passed.index[low])


def annotators(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """One line an annotator: right answers (`_k`) and all (`_n`) of checks, repeats, and votes that
    most of the others gave."""
    parts = [
        checks(answers, outlines).add_prefix("checks_"),
        repeats(answers).add_prefix("repeats_"),
        with_others(answers).add_prefix("others_"),
    ]
    names = sorted(set(answers["annotator"]))
    return pd.concat(parts, axis=1).reindex(names).fillna(0).astype(int)
