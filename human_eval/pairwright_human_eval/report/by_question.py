"""How far annotators agree, question by question, on labels that do not know the chosen side."""

from collections.abc import Callable, Iterator

from pairwright.report import Block, Table
from pairwright.settings.domains import Scale
from pairwright_human_eval.agreement import Agreement, Estimate, Level, Ratings, agreement
from pairwright_human_eval.agreement.intervals import Measurement
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, NEITHER
from pairwright_human_eval.report.answers import Answers
from pairwright_human_eval.report.findings_records import QuestionAgreement
from pairwright_human_eval.report.number_text import estimate_percent, points
from pairwright_human_eval.report.records import StudyReport

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
            QuestionAgreement(question=name, measurement=measurement, agreement=_rounded(estimates))
        )
    return tuple(found)


def _both_ways(name: str, rows: list[Row], levels: tuple[Level, ...]) -> Iterator[Question]:
    """The question with "cannot tell" as a missing value, and as a value."""
    yield name, "nominal", [row for row in rows if row[2] != CANNOT_TELL], levels
    yield WITH_CANNOT_TELL.format(name), "nominal", rows, (*levels, CANNOT_TELL)


def _rounded(found: Agreement) -> Agreement:
    changes = {}
    for name in Agreement.model_fields:
        estimate = getattr(found, name)
        bounds = {
            bound: None if (value := getattr(estimate, bound)) is None else round(value, 6)
            for bound in ("value", "low", "high")
        }
        changes[name] = estimate.model_copy(update=bounds)
    return found.model_copy(update=changes)


def agreement_section(report: StudyReport) -> Iterator[Block]:
    yield (
        "On all sampled twins and pairs, whatever was decided. Preference and delivery are compared"
        " on neutral labels (responses in the order of the hash of their text), so that nothing"
        " knows of the chosen side. “Cannot tell” and “cannot judge” are missing values; in the"
        " rows “(with cannot tell)” it is an answer, so that people who cannot tell the same"
        " things agree. Alpha is Krippendorff's, ordinal where answers have an order; kappa is the"
        " mean of Cohen's over all two annotators who share items, weighed by how many; Fleiss'"
        " kappa needs the same number of ratings on every item."
    )
    yield agreement_table(report)
    yield (
        "Intervals are 95 % jackknife intervals by Student's t: they leave out one dyad of users"
        " after the other, and one annotator after the other."
    )


def agreement_table(report: StudyReport) -> Table:
    """One row a question. Why there is no Fleiss' kappa is said below: it is long."""
    rows, reasons = [], list[str]()
    for question in report.agreement:
        found = question.agreement
        alpha = found.alpha_nominal if question.measurement == "nominal" else found.alpha_ordinal
        rows.append(
            (
                question.question,
                f"{found.percent.items:,}",
                f"{found.percent.ratings:,}",
                f"{found.percent.raters:,}",
                estimate_percent(found.percent),
                points(alpha),
                points(found.cohen_kappa),
                points(found.gwet_ac1),
                _noted(found.fleiss_kappa, reasons),
            )
        )
    numbered = ". ".join(f"({n}) {reason}" for n, reason in enumerate(reasons, start=1))
    return Table(
        (
            "question", "items", "answers", "people", "agreement", "Krippendorff's alpha",
            "Cohen's kappa", "Gwet's AC1", "Fleiss' kappa",
        ),
        tuple(rows),
        note=f"No Fleiss' kappa: {numbered}." if reasons else "",
    )  # fmt: skip


def _noted(estimate: Estimate, reasons: list[str]) -> str:
    """The estimate, or the number of its reason, which is added where it is new."""
    if estimate.value is not None:
        return points(estimate)
    if estimate.reason not in reasons:
        reasons.append(estimate.reason)
    return f"n/a ({reasons.index(estimate.reason) + 1})"
