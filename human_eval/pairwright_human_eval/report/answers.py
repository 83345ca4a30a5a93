"""The answers of a study laid out by question, each with what it is about.

Only here do neutral names meet the chosen side. Excluded annotators' answers are left out of all
but the votes, where they are marked. `errors_by_pair` fits Dawid and Skene's model to labels that
do not know the chosen side; only then is the label looked up. It learns from all pairs
how each annotator errs, so two votes of a careful annotator may outweigh three of others.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from pairwright_human_eval.agreement.models import DawidSkene, Ratings, dawid_skene
from pairwright_human_eval.records import (
    CANNOT_TELL,
    EQUAL,
    AspectAnswer,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Verdict,
)
from pairwright_human_eval.subjects import Outline, OutlinePair

Choice = Literal["chosen", "other", "equal", "cannot_tell"]
CHOICES: tuple[Choice, ...] = ("chosen", "other", "equal", "cannot_tell")
PLACES = 4
"""Decimal places that a label's error is given with."""


class SubjectPair(NamedTuple):
    """A pair with its subject."""

    pair: OutlinePair
    subject: Outline

    @property
    def dyad(self) -> str:
        return self.subject.dyad

    @property
    def label(self) -> str:
        """What is to be verified: that the chosen response is preferred or, in a placebo, that
        there is no difference."""
        return EQUAL if self.subject.no_preference else self.pair.chosen

    def neutral(self, name: str) -> str:
        """`first` or `second` for a response, in the order of their names; others as they are."""
        both = self.pair.chosen, self.pair.rejected
        if name not in both:
            return name
        return "first" if name == min(both) else "second"

    def choice(self, name: str) -> Choice:
        if name == EQUAL:
            return "equal"
        if name == CANNOT_TELL:
            return "cannot_tell"
        return "chosen" if name == self.pair.chosen else "other"


class Vote(NamedTuple):
    """A preference of the first round, without repeats."""

    about: SubjectPair
    annotator: str
    choice: Choice
    label: str
    """`first`, `second`, `equal` or `cannot_tell`."""
    counted: bool


class QualityScore(NamedTuple):
    """One annotator's score of one response on one scale; None where they could not judge."""

    about: Outline
    annotator: str
    response: str
    scale: str
    score: int | None

    @property
    def is_first(self) -> bool:
        """Whether it is about the response that is chosen for the user who asked."""
        return self.response == self.about.first


class AspectVote(NamedTuple):
    """One annotator's answer on one aspect of one pair."""

    about: SubjectPair
    annotator: str
    answer: AspectAnswer

    @property
    def there(self) -> bool:
        """Whether it calls the aspect clearly or plausibly there."""
        return self.answer.support in ("clearly", "plausibly")


@dataclass(frozen=True)
class SampledAnswers:
    """First-round answers on all sampled subjects, decided or not."""

    votes: list[Vote]
    scores: list[QualityScore]
    aspects: list[AspectVote]

    def counted(self) -> list[Vote]:
        return [vote for vote in self.votes if vote.counted]


def abouts(subjects: Iterable[Outline]) -> dict[str, SubjectPair]:
    """By pair."""
    return {pair.id: SubjectPair(pair, subject) for subject in subjects for pair in subject.pairs}


def answers_of(
    pairs: Mapping[str, SubjectPair], verdicts: Iterable[Verdict], excluded: frozenset[str]
) -> SampledAnswers:
    """Sort the verdicts by question. `excluded` failed the attention checks."""
    subjects = {about.subject.id: about.subject for about in pairs.values()}
    found = SampledAnswers([], [], [])
    for verdict in verdicts:
        if verdict.round != 1 or verdict.purpose != "vote":
            continue
        who, answers = verdict.annotator, verdict.answers
        counted = who not in excluded
        if isinstance(answers, PreferenceAnswer) and verdict.pair:
            pair, choice = pairs[verdict.pair], answers.choice
            found.votes.append(Vote(pair, who, pair.choice(choice), pair.neutral(choice), counted))
        elif isinstance(answers, RubricAnswers) and verdict.pair and counted:
            pair = pairs[verdict.pair]
            found.aspects.extend(AspectVote(pair, who, answer) for answer in answers.aspects)
        elif isinstance(answers, QualityAnswers) and counted:
            subject = subjects[verdict.subject]
            for response, scales in answers.scores.items():
                found.scores.extend(
                    QualityScore(subject, who, response, *given) for given in scales.items()
                )
    return found


def majority(answers: Counter[str]) -> str:
    """What more than half say; empty where nothing is."""
    answer, most = max(answers.items(), key=lambda answer: answer[1], default=("", 0))
    return answer if 2 * most > answers.total() else ""


def fit_labels(votes: Sequence[Vote]) -> tuple[Ratings, DawidSkene] | None:
    """The votes of a study, without "cannot tell", and the model; None where there is no vote."""
    rows = [
        (vote.about.pair.id, vote.annotator, vote.label)
        for vote in votes
        if vote.label != CANNOT_TELL
    ]
    if not rows:
        return None
    ratings = Ratings.of(rows, ("first", "second", EQUAL))
    return ratings, dawid_skene(ratings)


def errors_by_pair(votes: Sequence[Vote], pairs: Mapping[str, SubjectPair]) -> dict[str, float]:
    """By pair: the posterior probability that the truth is another label than the pair's. Pairs on
    which nobody could tell are left out; all are where no pair has two votes, from which alone it
    is known how people err."""
    fit = fit_labels(votes)
    if fit is None or len(fit[0].item) == len(fit[0].items):
        return {}
    ratings, model = fit
    labels = [
        ratings.levels.index(pairs[name].neutral(pairs[name].label)) for name in ratings.items
    ]
    right = model.posterior[np.arange(len(labels)), labels]
    return {
        name: round(min(1.0, max(0.0, 1 - float(p))), PLACES)
        for name, p in zip(ratings.items, right, strict=True)
    }
