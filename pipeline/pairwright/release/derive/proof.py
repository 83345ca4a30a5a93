"""What “verified” proves of a pair, and what it does not: one paragraph, from the study's rule."""

from collections.abc import Iterator

from pairwright.release.derive.study_summary import HumanSummary
from pairwright.release.summary import Summary
from pairwright.settings.study_rules import HumanRules


def proof_paragraph(summary: Summary, study: HumanSummary) -> str:
    """The paragraph of the card."""
    return " ".join([*_beginning(study), *_shown(summary, study.rule), *_not_shown(study)])


def _beginning(study: HumanSummary) -> Iterator[str]:
    if study.simulated_annotators:
        yield (
            "No pair here is verified, because the annotators are a program. Were they people,"
            " “verified” would say this of a pair:"
        )
    else:
        yield "“Verified” says this of a pair:"


def _shown(summary: Summary, rule: HumanRules) -> Iterator[str]:
    most = "all" if rule.rule == "unanimity" else "most"
    yield (
        f"{rule.votes} or more people read the user's posts, without knowing which response was the"
        f" chosen one, and {most} of them found that it serves this user better."
    )
    if rule.quality_votes:
        yield (
            f"{rule.quality_votes} or more people rated both responses without any posts: each has"
            f" a mean of {rule.quality_floor:g} or more on every scale{_gap(rule)}."
        )
    if rule.rubric_votes:
        yield from _aspects(summary, rule)


def _gap(rule: HumanRules) -> str:
    if rule.quality_gap is None:
        return ""
    return f", and on no scale are the two more than {rule.quality_gap:g} points apart"


def _aspects(summary: Summary, rule: HumanRules) -> Iterator[str]:
    wrote = "the posts"
    if set(summary.origins) - {"planner"}:
        wrote = "the posts, or in what the asker wrote below the question"
    found = (
        f"{rule.rubric_votes} or more people read the aspects: most of them found at least"
        f" {100 * rule.aspects_supported:.0f} % of the aspects supported in {wrote}"
    )
    if rule.delivered is not None:
        found += (
            f", and at least {100 * rule.delivered:.0f} % of the supported ones delivered by the"
            " chosen response and not by the rejected one"
        )
    yield f"{found}."
    if rule.contradicted is not None:
        limit = f"{100 * rule.contradicted:.0f} %"
        yield f"No aspect is called contradicted by more than {limit} of them."


def _not_shown(study: HumanSummary) -> Iterator[str]:
    yield (
        "It does not say that the user would agree, who was not asked; that a response is correct"
        " beyond what these raters could tell; or that each aspect is right: those that most did"
        " not find supported stay in the row, with the answers on them, and are not part of the"
        " answer key."
    )
    if study.rule.quality_gap is None or study.rule.delivered is None:
        yield (
            "This study's rule is older than the limits on the gap of quality and on delivery: the"
            " chosen response may be the better one for anybody, and the rejected one may deliver"
            " the aspects."
        )
    yield (
        "A few people decide on each pair, and they err: some pairs are verified that should not"
        " be, and a pair that is not verified need not be wrong."
    )
