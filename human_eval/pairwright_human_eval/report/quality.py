"""Whether both sides are equally good apart from personal fit."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from pairwright.settings.domains import Scale
from pairwright_human_eval.agreement import Difference, Parity, parity
from pairwright_human_eval.outline import Outline
from pairwright_human_eval.report.data import Answers, Score
from pairwright_human_eval.report.records import ParityOf, Scores, Sides
from pairwright_human_eval.report.resample import Draws, ratio

MEAN = "mean of all scales"
SIDES = {
    "twin": Sides(mode="twin", first="asker's response", second="partner's response"),
    "violate": Sides(mode="violate", first="chosen response", second="rejected response"),
}


def sides(subjects: Sequence[Outline]) -> tuple[Sides, ...]:
    return tuple(SIDES[mode] for mode in sorted({subject.mode for subject in subjects}))


def parities(
    answers: Answers, modes: Sequence[str], scales: tuple[Scale, ...], margin: float
) -> tuple[ParityOf, ...]:
    """By mode and scale: the first side less the second, scored by the same annotator."""
    firsts = {score.subject.id: score.subject.first for score in answers.scores}
    clusters = {score.subject.id: score.subject.dyad for score in answers.scores}
    subjects = {score.subject.id: score.subject for score in answers.scores}
    by_annotator: defaultdict[tuple[str, str], dict[str, dict[bool, int]]] = defaultdict(dict)
    for score in answers.scores:
        if score.score is not None:
            both = by_annotator[score.subject.id, score.annotator].setdefault(score.scale, {})
            both[score.response == firsts[score.subject.id]] = score.score
    rows: defaultdict[tuple[str, str], list[Difference]] = defaultdict(list)
    for (subject, who), by_scale in by_annotator.items():
        points = {
            name: both[True] - both[False] for name, both in by_scale.items() if len(both) == 2
        }
        mode = subjects[subject].mode
        for name, difference in points.items():
            rows[mode, name].append(Difference(subject, who, difference))
        if points:
            mean = sum(points.values()) / len(points)
            rows[mode, MEAN].append(Difference(subject, who, mean))
    return tuple(
        ParityOf(
            mode=mode,
            scale=name,
            parity=_rounded(parity(rows[mode, name], margin, clusters=clusters)),
        )
        for mode in modes
        for name in (*(scale.name for scale in scales), MEAN)
    )


def scores(
    answers: Answers, modes: Sequence[str], scales: tuple[Scale, ...], draws: Draws
) -> tuple[Scores, ...]:
    """By mode, scale and side: how often each score was given, and their mean."""
    firsts = {score.subject.id: score.subject.first for score in answers.scores}
    given: defaultdict[tuple[str, str, bool], list[Score]] = defaultdict(list)
    for score in answers.scores:
        is_first = score.response == firsts[score.subject.id]
        given[score.subject.mode, score.scale, is_first].append(score)
    found = []
    for mode in modes:
        for scale in scales:
            for is_first, side in ((True, SIDES[mode].first), (False, SIDES[mode].second)):
                every = given[mode, scale.name, is_first]
                judged = [score for score in every if score.score is not None]
                counts = Counter(score.score for score in judged)
                found.append(
                    Scores(
                        mode=mode,
                        side=side,
                        scale=scale.name,
                        counts={n: counts[n] for n in range(scale.low, scale.high + 1)},
                        cannot_judge=len(every) - len(judged),
                        mean=ratio(
                            draws,
                            [score.subject.dyad for score in judged],
                            [float(score.score or 0) for score in judged],
                            [1.0] * len(judged),
                            [score.annotator for score in judged],
                        ),
                    )
                )
    return tuple(found)


def _rounded(found: Parity) -> Parity:
    names = ("mean", "low", "high", "p_above", "p_below")
    values = {name: getattr(found, name) for name in names}
    changes = {name: None if of is None else round(of, 6) for name, of in values.items()}
    return found.model_copy(update=changes)
