"""What a model's outputs come to: the mean with its interval, and what is left open."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pairwright.evaluate.measure.figure import numbered
from pairwright.evaluate.outputs.records import Judged, ModelScore
from pairwright.intervals import mean


def by_model(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """In the order in which the models come."""
    found: dict[str, list[Judged]] = {}
    for one in judged:
        found.setdefault(one.model, []).append(one)
    return found


def summarised(model: str, judged: Sequence[Judged], questions: int) -> ModelScore:
    """Of one model's outputs, each of which counts the same."""
    scored = [(one.adherence, one.cluster) for one in judged if one.adherence is not None]
    values = np.array([value for value, _ in scored], np.float64)
    clusters = numbered([cluster for _, cluster in scored])
    total, missing = float(values.sum()), len(judged) - len(scored)
    return ModelScore(
        model=model,
        outputs=len(judged),
        scored=len(scored),
        unscored=dict(sorted(Counter(one.unscored for one in judged if one.unscored).items())),
        questions=questions,
        adherence=mean(values, clusters, least=0, most=1),
        worst=round(total / len(judged), 6) if judged else None,
        best=round((total + missing) / len(judged), 6) if judged else None,
    )
