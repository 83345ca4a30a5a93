"""Whether both sides are equally good apart from personal fit, and how far annotators agree.

Agreement is question by question, on labels that do not know the chosen side.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from pairwright.estimate import Estimate
from pairwright.modes import MODES, Mode
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright_human_eval.agreement.intervals import Agreement, Measurement, agreement
from pairwright_human_eval.agreement.models import Level, Parity, Ratings, parity
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, NEITHER
from pairwright_human_eval.report.answers import QualityScore, SampledAnswers
from pairwright_human_eval.report.aspects import SUPPORT
from pairwright_human_eval.report.resample import Draws, answer_ratio
from pairwright_human_eval.subjects import Outline

MEAN = "mean of all scales"
WITH_CANNOT_TELL = "{} (with cannot tell)"
"""A question in which "cannot tell" is an answer as any other, and not a missing one."""


class SideNames(Record):
    """How the scores of two responses are subtracted."""

    mode: Mode
    first: str
    second: str


class ParityOf(Record):
    """Whether both sides of a mode are of equal quality on one scale, or on the mean of all."""

    mode: Mode
    scale: str
    parity: Parity


class ScoreCounts(Record):
    """The scores that one side got on one scale."""

    mode: Mode
    side: str
    scale: str
    counts: dict[int, int]
    """By score, from the lowest to the highest."""
    cannot_judge: int
    mean: Estimate


class QuestionAgreement(Record):
    """How far annotators agree on one question."""

    question: str
    measurement: Measurement
    agreement: Agreement

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's, ordinal where the answers have an order."""
        nominal = self.measurement == "nominal"
        return self.agreement.alpha_nominal if nominal else self.agreement.alpha_ordinal


def side_names(subjects: Sequence[Outline]) -> tuple[SideNames, ...]:
    """What both sides of each mode of the subjects are called, in the order of modes."""
    modes = {subject.mode for subject in subjects}
    return tuple(
        SideNames(mode=mode, first=record.sides[0], second=record.sides[1])
        for mode, record in MODES.items()
        if mode in modes
    )


def parities(
    answers: SampledAnswers, modes: Sequence[Mode], scales: tuple[Scale, ...], margin: float
) -> tuple[ParityOf, ...]:
    """By mode and scale: the first side less the second, scored by the same annotator."""
    subjects = {score.about.id: score.about for score in answers.scores}
    clusters = {subject.id: subject.dyad for subject in subjects.values()}
    by_annotator: defaultdict[tuple[str, str], dict[str, dict[bool, int]]] = defaultdict(dict)
    for score in answers.scores:
        if score.score is not None:
            both = by_annotator[score.about.id, score.annotator].setdefault(score.scale, {})
            both[score.is_first] = score.score
    rows: defaultdict[tuple[Mode, str], list[tuple[str, str, float]]] = defaultdict(list)
    for (subject, who), by_scale in by_annotator.items():
        points: dict[str, float] = {
            name: both[True] - both[False] for name, both in by_scale.items() if len(both) == 2
        }
        if points:
            points[MEAN] = sum(points.values()) / len(points)
        for name, difference in points.items():
            rows[subjects[subject].mode, name].append((subject, who, difference))
    return tuple(
        ParityOf(mode=mode, scale=name, parity=parity(rows[mode, name], margin, clusters=clusters))
        for mode in modes
        for name in (*(scale.name for scale in scales), MEAN)
    )


def score_counts(
    answers: SampledAnswers, modes: Sequence[Mode], scales: tuple[Scale, ...], draws: Draws
) -> tuple[ScoreCounts, ...]:
    """By mode, scale and side: how often each score was given, and their mean."""
    by_side: defaultdict[tuple[Mode, str, bool], list[QualityScore]] = defaultdict(list)
    for score in answers.scores:
        by_side[score.about.mode, score.scale, score.is_first].append(score)
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
                        mean=answer_ratio(draws, judged, [score.score or 0 for score in judged]),
                    )
                )
    return tuple(rows)


QuestionRow = tuple[str, str, Level]


def agreement_by_question(
    answers: SampledAnswers, scales: tuple[Scale, ...], progress: Callable[[str], None]
) -> tuple[QuestionAgreement, ...]:
    """One row a question, in the order in which they are asked: quality, preference, aspects. Only
    votes with the pair's own posts. "Cannot tell" is missing, and in a second row an answer."""
    clusters = {vote.about.pair.id: vote.about.dyad for vote in answers.votes}
    preference: list[QuestionRow] = [
        (vote.about.pair.id, vote.annotator, vote.label) for vote in answers.counted()
    ]
    support: list[QuestionRow] = []
    delivered: list[QuestionRow] = []
    for vote in answers.aspects:
        item = f"{vote.about.pair.id} {vote.answer.aspect}"
        clusters[item] = vote.about.dyad
        support.append((item, vote.annotator, vote.answer.support))
        delivered.append((item, vote.annotator, vote.about.neutral(vote.answer.delivered)))
    found = []

    def ask(name: str, rows: list[QuestionRow], levels: Sequence[Level], kind: Measurement) -> None:
        progress(f"agreement on {name}")
        estimates = agreement(Ratings.of(rows, levels), measurement=kind, clusters=clusters)
        found.append(QuestionAgreement(question=name, measurement=kind, agreement=estimates))

    def ask_both_ways(name: str, rows: list[QuestionRow], levels: Sequence[Level]) -> None:
        ask(name, [row for row in rows if row[2] != CANNOT_TELL], levels, "nominal")
        ask(WITH_CANNOT_TELL.format(name), rows, [*levels, CANNOT_TELL], "nominal")

    for scale in scales:
        scored: list[QuestionRow] = []
        for score in answers.scores:
            if score.scale == scale.name and score.score is not None:
                item = f"{score.about.id} {score.response}"
                clusters[item] = score.about.dyad
                scored.append((item, score.annotator, score.score))
        ask(f"quality: {scale.name}", scored, range(scale.low, scale.high + 1), "ordinal")
    ask_both_ways("preference", preference, ("first", "second", EQUAL))
    ask("aspect supported", support, SUPPORT, "ordinal")
    ask_both_ways("aspect delivered by", delivered, ("first", "second", BOTH, NEITHER))
    return tuple(found)
