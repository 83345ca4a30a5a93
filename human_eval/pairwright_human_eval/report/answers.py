"""The answers of a study as tables, a line an answer, each with what it is about.

Only here do neutral names meet the chosen side.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pairwright_human_eval.records import (
    CANNOT_TELL,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Verdict,
)
from pairwright_human_eval.subjects import Outline, OutlinePair

UNIT = ("unit", "mode", "dyad", "annotator")
PAIR = (*UNIT, "pair", "asked")


class Answers(NamedTuple):
    """First-round answers on the sampled twins and pairs, decided or not."""

    votes: pd.DataFrame
    """`choice` is chosen, rejected, equal or cannot_tell, `label` which of them is to be verified;
    `neutral` names a response without telling which side it is."""
    scores: pd.DataFrame
    """`first` says whether the response is the one chosen for the user who asked; `score` is empty
    where the annotator could not judge, `judge` where no judge did."""
    aspects: pd.DataFrame
    """`support`, `delivered` (as `choice`, or both or neither) and `neutral`; the judge's adherence
    scores of both responses."""

    def without(self, annotators: Iterable[str]) -> "Answers":
        """The answers of the others."""
        away = list(annotators)
        return Answers(*(table[~table["annotator"].isin(away)] for table in self))


def answers_of(outlines: Iterable[Outline], verdicts: Iterable[Verdict]) -> Answers:
    """Sort the verdicts by question."""
    units = {unit.id: unit for unit in outlines}
    pairs = {pair.id: pair for unit in units.values() for pair in unit.pairs}
    votes, scores, aspects = list[Any](), list[Any](), list[Any]()
    for verdict in verdicts:
        unit, answers = units.get(verdict.subject), verdict.answers
        if unit is None or verdict.round != 1 or verdict.purpose != "vote":
            continue
        about = (unit.id, unit.mode, unit.dyad, verdict.annotator)
        if isinstance(answers, QualityAnswers):
            for response, scales in answers.scores.items():
                judged = unit.quality.get(response, {})
                scores += [
                    (*about, response, response == unit.first, scale, score, judged.get(scale))
                    for scale, score in scales.items()
                ]
        elif verdict.pair:
            pair = pairs[verdict.pair]
            of_pair = (*about, pair.id, pair.asked)
            if isinstance(answers, PreferenceAnswer):
                choice = answers.choice
                votes.append((*of_pair, pair.side(choice), _neutral(pair, choice), unit.label))
            elif isinstance(answers, RubricAnswers):
                aspects += _aspects(of_pair, pair, answers)
    return Answers(
        pd.DataFrame(votes, columns=[*PAIR, "choice", "neutral", "label"]),
        pd.DataFrame(scores, columns=[*UNIT, "response", "first", "scale", "score", "judge"]),
        pd.DataFrame(
            aspects,
            columns=[*PAIR, "aspect", "support", "delivered", "neutral", "chosen", "rejected"],
        ),
    )


def _aspects(about: Sequence[object], pair: OutlinePair, answers: RubricAnswers) -> Iterable[Any]:
    for one in answers.aspects:
        if one.aspect in pair.aspects:
            place = pair.aspects.index(one.aspect)
            judge = {side: scores[place] for side, scores in pair.adherence.items()}
            yield (
                *about, one.aspect, one.support, pair.side(one.delivered),
                _neutral(pair, one.delivered), judge.get("chosen"), judge.get("rejected"),
            )  # fmt: skip


def _neutral(pair: OutlinePair, name: str) -> str:
    """`first` or `second` for a response, in the order of their names; others as they are."""
    both = pair.chosen, pair.rejected
    return ("first" if name == min(both) else "second") if name in both else name


def majorities(table: pd.DataFrame, item: list[str], said: str) -> pd.Series:
    """By item: what more than half of its answers in the column `said` are; empty if nothing is."""
    counts = table.groupby([*item, said]).size().unstack(said, fill_value=0)
    if counts.empty:
        return pd.Series([], index=counts.index, dtype=str)
    return counts.idxmax(axis=1).where(2 * counts.max(axis=1) > counts.sum(axis=1), "")


def with_others(votes: pd.DataFrame) -> dict[str, list[bool]]:
    """By annotator: whether each vote is what more than half of the others on the pair said.
    "Cannot tell" is left out."""
    found: dict[str, list[bool]] = defaultdict(list)
    for _, own in votes[votes["choice"] != CANNOT_TELL].groupby("pair"):
        choices = list(own["choice"])
        for n, (who, choice) in enumerate(zip(own["annotator"], choices, strict=True)):
            counts = Counter(choices[:n] + choices[n + 1 :])
            most = max(counts, key=counts.__getitem__, default="")
            if 2 * counts[most] > counts.total():
                found[who].append(most == choice)
    return found


def retested(verdicts: Sequence[Verdict]) -> dict[str, list[bool]]:
    """By annotator: whether each repeat was answered as before. One "cannot tell" leaves it out."""
    before, again = (
        {
            (verdict.annotator, verdict.pair): verdict.answers.choice
            for verdict in verdicts
            if verdict.purpose == purpose
            and isinstance(verdict.answers, PreferenceAnswer)
            and verdict.answers.choice != CANNOT_TELL
        }
        for purpose in ("vote", "repeat")
    )
    found: dict[str, list[bool]] = defaultdict(list)
    for vote, choice in again.items():
        if vote in before:
            found[vote[0]].append(choice == before[vote])
    return found
