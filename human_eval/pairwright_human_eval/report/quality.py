"""Whether both sides are equally good apart from personal fit, and how far annotators agree.

Agreement is question by question, on labels that do not know the chosen side.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from pairwright.estimate import Estimate
from pairwright.modes import MODES, Mode
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright_human_eval.agreement import (
    Agreement,
    Level,
    Parity,
    Ratings,
    ScoreDifference,
    agreement,
    parity,
)
from pairwright_human_eval.agreement.intervals import Measurement
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, NEITHER
from pairwright_human_eval.report.answers import Answers, QualityScore
from pairwright_human_eval.report.records import ParityOf, QuestionAgreement, ScoreCounts, SideNames
from pairwright_human_eval.report.resample import Draws, ratio
from pairwright_human_eval.subjects import Outline

MEAN = "mean of all scales"


def side_names(subjects: Sequence[Outline]) -> tuple[SideNames, ...]:
    """What both sides of each mode of the subjects are called, in the order of modes."""
    modes = {subject.mode for subject in subjects}
    return tuple(
        SideNames(mode=mode, first=record.sides[0], second=record.sides[1])
        for mode, record in MODES.items()
        if mode in modes
    )


def parities(
    answers: Answers, modes: Sequence[Mode], scales: tuple[Scale, ...], margin: float
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
    rows: defaultdict[tuple[Mode, str], list[ScoreDifference]] = defaultdict(list)
    for (subject, who), by_scale in by_annotator.items():
        points = {
            name: both[True] - both[False] for name, both in by_scale.items() if len(both) == 2
        }
        mode = subjects[subject].mode
        for name, difference in points.items():
            rows[mode, name].append(ScoreDifference(subject, who, difference))
        if points:
            mean = sum(points.values()) / len(points)
            rows[mode, MEAN].append(ScoreDifference(subject, who, mean))
    return tuple(
        ParityOf(
            mode=mode,
            scale=name,
            parity=_rounded_parity(parity(rows[mode, name], margin, clusters=clusters)),
        )
        for mode in modes
        for name in (*(scale.name for scale in scales), MEAN)
    )


def score_counts(
    answers: Answers, modes: Sequence[Mode], scales: tuple[Scale, ...], draws: Draws
) -> tuple[ScoreCounts, ...]:
    """By mode, scale and side: how often each score was given, and their mean."""
    firsts = {score.subject.id: score.subject.first for score in answers.scores}
    by_side: defaultdict[tuple[Mode, str, bool], list[QualityScore]] = defaultdict(list)
    for score in answers.scores:
        is_first = score.response == firsts[score.subject.id]
        by_side[score.subject.mode, score.scale, is_first].append(score)
    rows = []
    for mode in modes:
        for scale in scales:
            for is_first, side in zip((True, False), MODES[mode].sides, strict=True):
                every = by_side[mode, scale.name, is_first]
                judged = [score for score in every if score.score is not None]
                counts = Counter(score.score for score in judged)
                rows.append(
                    ScoreCounts(
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
    return tuple(rows)


def _rounded(estimate: Record, names: Sequence[str]) -> dict[str, float | None]:
    values = {name: getattr(estimate, name) for name in names}
    return {name: None if value is None else round(value, 6) for name, value in values.items()}


def _rounded_parity(found: Parity) -> Parity:
    return found.model_copy(update=_rounded(found, ("mean", "low", "high", "p_above", "p_below")))


Row = tuple[str, str, Level]


Question = tuple[str, Measurement, list[Row], tuple[Level, ...]]
"""Its name, measurement, rows and levels."""


SUPPORT = ("contradicted", "no", "plausibly", "clearly")


WITH_CANNOT_TELL = "{} (with cannot tell)"
"""A question in which "cannot tell" is an answer as any other, and not a missing one."""


def agreement_by_question(
    answers: Answers,
    scales: tuple[Scale, ...],
    progress: Callable[[str], None],
) -> tuple[QuestionAgreement, ...]:
    """One row a question, in the order in which they are asked: quality, preference, aspects. Only
    votes with the pair's own posts. "Cannot tell" is missing, and in a second row an answer."""
    clusters = {vote.about.pair.id: vote.about.dyad for vote in answers.votes}
    preference: list[Row] = [
        (vote.about.pair.id, vote.annotator, vote.label) for vote in answers.counted()
    ]
    support: list[Row] = []
    delivered: list[Row] = []
    for vote in answers.aspects:
        item = f"{vote.about.pair.id} {vote.answer.aspect}"
        clusters[item] = vote.about.dyad
        support.append((item, vote.annotator, vote.answer.support))
        delivered.append((item, vote.annotator, vote.about.neutral(vote.answer.delivered)))
    questions: list[Question] = []
    for scale in scales:
        rows: list[Row] = []
        for score in answers.scores:
            if score.scale == scale.name and score.score is not None:
                item = f"{score.subject.id} {score.response}"
                clusters[item] = score.subject.dyad
                rows.append((item, score.annotator, score.score))
        levels = tuple(range(scale.low, scale.high + 1))
        questions.append((f"quality: {scale.name}", "ordinal", rows, levels))
    questions += [
        *_both_ways("preference", preference, ("first", "second", EQUAL)),
        ("aspect supported", "ordinal", support, SUPPORT),
        *_both_ways("aspect delivered by", delivered, ("first", "second", BOTH, NEITHER)),
    ]
    found = []
    for name, measurement, given, all_levels in questions:
        progress(f"agreement on {name}")
        estimates = agreement(
            Ratings.of(given, all_levels), measurement=measurement, clusters=clusters
        )
        found.append(
            QuestionAgreement(
                question=name, measurement=measurement, agreement=_rounded_agreement(estimates)
            )
        )
    return tuple(found)


def _both_ways(name: str, rows: list[Row], levels: tuple[Level, ...]) -> Iterator[Question]:
    """The question with "cannot tell" as a missing value, and as a value."""
    yield name, "nominal", [row for row in rows if row[2] != CANNOT_TELL], levels
    yield WITH_CANNOT_TELL.format(name), "nominal", rows, (*levels, CANNOT_TELL)


def _rounded_agreement(found: Agreement) -> Agreement:
    estimates = {
        name: estimate.model_copy(update=_rounded(estimate, ("value", "low", "high")))
        for name, estimate in found
        if isinstance(estimate, Estimate)
    }
    return found.model_copy(update=estimates)
