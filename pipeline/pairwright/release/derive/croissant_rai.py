"""The responsible-AI fields of croissant.json (http://mlcommons.org/croissant/RAI/1.0)."""

from pydantic import JsonValue

from pairwright.release.derive import cautions, making, people
from pairwright.release.derive.built import built
from pairwright.release.derive.human import HumanSummary, human_summary
from pairwright.release.derive.known import Known
from pairwright.release.derive.markdown import NOT_STATED
from pairwright.release.derive.units import unit_counts

Json = dict[str, JsonValue]


def responsible(known: Known) -> Json:
    """By name, `rai:` before it. What nobody stated is said to be so."""
    stated, summary = known.primary.stated, known.summary
    made, study = built(stated, known.layout), human_summary(known)
    info = stated.info
    found: Json = {
        "dataCollection": " ".join([making.PAIR, *making.source(made), making.calls(made)]),
        "dataCollectionType": ["Secondary Data Analysis", "Machine-generated text",
                               *(["Manual Human Curation"] if _by_people(study) else [])],
        "dataCollectionMissingData": "Fields that the source does not have are null.",
        "dataCollectionTimeframe": [day for day in (summary.oldest, summary.newest) if day],
        "dataPreprocessingProtocol": [
            *making.preparation(summary, unit_counts(known.primary.units))
        ],
        "machineAnnotationTools": [
            f"{role}: {model} ({sampled})" for role, model, sampled in making.models(made)
        ] or [NOT_STATED],
        "dataAnnotationProtocol": [*people.protocol(study)] if study else [people.NOBODY],
        "dataAnnotationAnalysis": _analysis(known, study),
        "annotationsPerItem": _per_item(study),
        "annotatorDemographics": [info.annotators or NOT_STATED],
        "dataUseCases": [*cautions.uses(known, study),
                         *(f"Not for: {of}" for of in cautions.misuses(known))],
        "dataBiases": [*cautions.biases(known, study)],
        "dataLimitations": [*cautions.limits(known)],
        "dataSocialImpact": (
            "A scorer that fits answers to users can serve them better, and can also tell them"
            " only what they like to hear. These pairs do not measure the second."
        ),
        "personalSensitiveInformation": [*cautions.sensitive(known)],
        "dataReleaseMaintenancePlan": " ".join(
            [info.maintenance or NOT_STATED, "Removal of posts:", info.contact or NOT_STATED]
        ),
    }  # fmt: skip
    return {f"rai:{name}": value for name, value in found.items()}


def _by_people(study: HumanSummary | None) -> bool:
    return study is not None and study.simulated_annotators < study.annotators


def _analysis(known: Known, study: HumanSummary | None) -> list[JsonValue]:
    if study is None or known.findings is None:
        return [people.NOBODY]
    told = [
        f"{question}: {items} items, {answers} answers of {who} annotators, agreement {agreement},"
        f" Krippendorff's alpha {alpha}"
        for question, items, answers, who, agreement, alpha in people.agreement(known.findings)
    ]
    return [*told, *people.by_chance(known.findings)]


def _per_item(study: HumanSummary | None) -> str:
    if study is None:
        return people.NOBODY
    return (
        f"To pass the rule: {study.rule.votes} preference votes on each pair,"
        f" {study.rule.quality_votes} scores of quality on each response,"
        f" {study.rule.rubric_votes} answers on each aspect."
    )
