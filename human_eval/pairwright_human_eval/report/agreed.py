"""How far annotators agree, question by question, on labels that do not know the chosen side."""

from collections.abc import Callable

from pairwright.settings.domains import Scale
from pairwright_human_eval.agreement import Agreement, Level, Ratings, agreement
from pairwright_human_eval.agreement.coefficients import Measurement
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, NEITHER
from pairwright_human_eval.report.data import Answers
from pairwright_human_eval.report.records import Agreed

Row = tuple[str, str, Level]
SUPPORT = ("contradicted", "no", "plausibly", "clearly")


def agreed(
    answers: Answers,
    scales: tuple[Scale, ...],
    progress: Callable[[str], None],
) -> tuple[Agreed, ...]:
    """One row a question, in the order in which they are asked: quality, preference, aspects. Only
    votes with the pair's own posts; "cannot tell" is missing."""
    clusters = {of.about.pair.id: of.about.dyad for of in answers.votes}
    preference: list[Row] = [
        (of.about.pair.id, of.annotator, of.label)
        for of in answers.counted()
        if of.label != CANNOT_TELL
    ]
    support: list[Row] = []
    delivered: list[Row] = []
    for vote in answers.aspects:
        item = f"{vote.about.pair.id} {vote.answer.aspect}"
        clusters[item] = vote.about.dyad
        support.append((item, vote.annotator, vote.answer.support))
        if vote.answer.delivered != CANNOT_TELL:
            label = vote.about.neutral(vote.answer.delivered)
            delivered.append((item, vote.annotator, label))
    questions: list[tuple[str, Measurement, list[Row], tuple[Level, ...]]] = []
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
        ("preference", "nominal", preference, ("first", "second", EQUAL)),
        ("aspect supported", "ordinal", support, SUPPORT),
        ("aspect delivered by", "nominal", delivered, ("first", "second", BOTH, NEITHER)),
    ]
    found = []
    for name, measurement, given, all_levels in questions:
        progress(f"agreement on {name}")
        estimates = agreement(
            Ratings.of(given, all_levels), measurement=measurement, clusters=clusters
        )
        found.append(Agreed(question=name, measurement=measurement, agreement=_rounded(estimates)))
    return tuple(found)


def _rounded(found: Agreement) -> Agreement:
    changes = {}
    for name in Agreement.model_fields:
        estimate = getattr(found, name)
        bounds = {
            of: None if (value := getattr(estimate, of)) is None else round(value, 6)
            for of in ("value", "low", "high")
        }
        changes[name] = estimate.model_copy(update=bounds)
    return found.model_copy(update=changes)
