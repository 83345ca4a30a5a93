"""What a model's outputs come to: the mean with its interval, and what is left open."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pairwright.evaluate.measure.figure import numbered
from pairwright.evaluate.outputs.records import Judged, ModelScore
from pairwright.intervals import LEVEL, Floats, Interval, accuracy, mean, z_of


def by_model(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """In the order in which the models come."""
    found: dict[str, list[Judged]] = {}
    for one in judged:
        found.setdefault(one.model, []).append(one)
    return found


def mean_adherence(values: Floats, clusters: Sequence[str]) -> Interval | None:
    """The mean of values from 0 to 1 with its interval by cluster, all rounded; None where n = 0.

    Student's; where no value differs Wilson's at the effective number of values: a spread that
    nothing shows is not known to be none.
    """
    places = numbered(clusters)
    found = mean(values, places, least=0, most=1)
    if found is None or found.low is None or found.low != found.high:
        return found
    equal = accuracy(values, places)
    return equal and equal.found(z_of(LEVEL))


def summarised(model: str, judged: Sequence[Judged], questions: int) -> ModelScore:
    """Of one model's outputs, each of which counts the same."""
    scored = [(one.adherence, one.cluster) for one in judged if one.adherence is not None]
    values = np.array([value for value, _ in scored], np.float64)
    total, missing = float(values.sum()), len(judged) - len(scored)
    return ModelScore(
        model=model,
        outputs=len(judged),
        scored=len(scored),
        unscored=dict(sorted(Counter(one.unscored for one in judged if one.unscored).items())),
        questions=questions,
        adherence=mean_adherence(values, [cluster for _, cluster in scored]),
        worst=round(total / len(judged), 6) if judged else None,
        best=round((total + missing) / len(judged), 6) if judged else None,
    )
