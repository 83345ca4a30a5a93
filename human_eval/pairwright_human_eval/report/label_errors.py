"""How probable it is that a pair's label is wrong, by what all votes of the study say together.

Dawid and Skene's model is fitted to labels that do not know the chosen side; only then is the
chosen response looked up. It learns from all pairs how each annotator errs, so two votes of a
careful annotator may outweigh three of others.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pairwright_human_eval.agreement import DawidSkene, Ratings, dawid_skene
from pairwright_human_eval.records import CANNOT_TELL, EQUAL
from pairwright_human_eval.report.answers import SubjectPair, Vote

PLACES = 4
"""Decimal places that a label's error is given with."""


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
    """By pair: the posterior probability that the truth is another label than the chosen response.
    Pairs on which nobody could tell are left out."""
    fit = fit_labels(votes)
    if fit is None:
        return {}
    ratings, model = fit
    places = {label: place for place, label in enumerate(ratings.levels)}
    chosen = [places[pairs[name].neutral(pairs[name].chosen)] for name in ratings.items]
    right = model.posterior[np.arange(len(chosen)), chosen]
    return {
        name: round(min(1.0, max(0.0, 1 - float(p))), PLACES)
        for name, p in zip(ratings.items, right, strict=True)
    }
