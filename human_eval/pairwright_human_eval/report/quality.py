"""Whether both sides are equally good apart from personal fit."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from pairwright.estimate import p_value
from pairwright.modes import MODES, Mode
from pairwright.report import Block, Plot, Table
from pairwright.settings.domains import Scale
from pairwright_human_eval.agreement import Parity, ScoreDifference, parity
from pairwright_human_eval.report.answers import Answers, QualityScore
from pairwright_human_eval.report.findings_records import ParityOf, ScoreCounts, SideNames
from pairwright_human_eval.report.records import StudyReport
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
            parity=_rounded(parity(rows[mode, name], margin, clusters=clusters)),
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


def _rounded(estimate: Parity) -> Parity:
    names = ("mean", "low", "high", "p_above", "p_below")
    values = {name: getattr(estimate, name) for name in names}
    changes = {name: None if value is None else round(value, 6) for name, value in values.items()}
    return estimate.model_copy(update=changes)


def quality_section(report: StudyReport, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "Both responses were scored by the same people, without any posts. Two one-sided t tests at"
        f" 0.05 ask whether the mean difference lies within {report.fixed.parity_margin:g} points,"
        " the margin fixed at export: then the 90 % interval lies within it. Standard errors are"
        " robust to clusters of dyads and of annotators."
    )
    for side in report.sides:
        yield f"Mode {side.mode}: the {side.first} less the {side.second}."
        yield Table(
            (
                "scale", "n", "dyads", "people", "mean difference (90 %)", "p", "equal quality?",
                "a point or more apart",
            ),
            tuple(_parity_row(row) for row in report.parity if row.mode == side.mode),
        )  # fmt: skip
    if "quality" in drawn:
        yield drawn["quality"]


def _parity_row(row: ParityOf) -> tuple[str, ...]:
    test = row.parity
    counts = (
        row.scale,
        f"{test.pairs:,}",
        f"{test.clusters:,}",
        f"{test.annotators:,}",
    )
    apart = str(test.apart) if test.apart.n else "n/a (0 of 0)"
    if test.mean is None:
        return (*counts, *[f"n/a ({test.reason})"] * 3, apart)
    if test.low is None or test.high is None or test.p_above is None or test.p_below is None:
        why = f"n/a ({test.reason})"
        return (*counts, f"{test.mean:+.2f}", why, why, apart)
    return (
        *counts,
        f"{test.mean:+.2f} ({test.low:+.2f} to {test.high:+.2f})",
        p_value(max(test.p_above, test.p_below)),
        _equal(test, test.low, test.high),
        apart,
    )


def _equal(test: Parity, low: float, high: float) -> str:
    if test.equivalent:
        return "yes"
    return "NO" if low > test.margin or high < -test.margin else "not shown"
