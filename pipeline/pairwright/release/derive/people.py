"""What people were asked and what they said: sentences and rows of tables. Plain text."""

from collections.abc import Iterator

from pairwright.release.derive.human import HumanSummary
from pairwright.release.summary import Summary
from pairwright_human_eval.report.records import Findings
from pairwright_human_eval.report.shown import (
    estimate_percent,
    group_name,
    percent,
    percent_points,
    points,
    share,
)

Row = tuple[str, ...]
NOBODY = "Nobody was asked: these pairs are not verified by people."
CONTROLS = {"wrong_profile": "another user's posts", "narrative": "posts and the asker's narrative"}


def verified_by(summary: Summary, study: HumanSummary | None) -> str:
    """How many of the pairs are verified, and whether by people."""
    if study is None:
        return NOBODY
    told = f"{summary.verified:,} of the {summary.rows:,} pairs are verified"
    if not study.simulated_annotators:
        return f"{told} by the votes of {study.annotators:,} people."
    return (
        f"{told} by {study.annotators:,} annotators, of whom {study.simulated_annotators:,} are a"
        " program: that is no verification."
    )


def protocol(study: HumanSummary) -> Iterator[str]:
    """How people were asked, and by which rule pairs were verified."""
    rule = study.rule
    yield (
        f"{study.annotators:,} annotators answered tasks on {study.subjects:,} twins and single"
        f" pairs, drawn from {study.of:,} in the run. They did not know which response was the"
        " chosen one; sides were drawn, and the same in both halves of a twin."
    )
    if study.simulated_annotators:
        yield (
            f"{study.simulated_annotators:,} of the annotators are a program. Their answers show"
            " how the tool works and are no evidence about any pair."
        )
    yield (
        f"A pair was verified with at least {rule.votes} votes and {rule.rule} for the chosen"
        f" response (“cannot tell” at most {100 * rule.cannot_tell:.0f} %), a mean quality of at"
        f" least {rule.quality_floor:g} for both responses on every scale ({rule.quality_votes}"
        f" answers), and {100 * rule.aspects_supported:.0f} % or more of its aspects found"
        f" supported by the posts ({rule.rubric_votes} answers). Both halves of a twin must pass."
    )
    if study.rule_changed:
        names = ", ".join(study.rule_changed)
        yield f"The rule was changed after the first answers could be seen: {names}."
    else:
        yield "The rule is as it was fixed before the first answer."
    excluded = ", ".join(study.excluded) or "nobody"
    yield (
        f"Annotators who passed fewer than {100 * rule.attention_floor:.0f} % of the attention"
        f" checks do not count: {excluded}."
    )
    if study.set_aside:
        told = ", ".join(f"{reason} {n:,}" for reason, n in study.set_aside.items())
        yield f"Annotations that are no answer, set aside by reason: {told}."
    if study.left_out:
        yield (
            f"{study.left_out:,} twins and pairs of the study are not in this release, nor are the"
            " votes on them: people asked to be forgotten, or a simulated model had a part in them."
        )


def states(findings: Findings) -> list[Row]:
    """Group, n, how many ended in each state, and the verified share of those that could be."""
    return [
        (
            group_name(of.group), f"{of.subjects:,}",
            *(f"{of.states[state].k:,}" for state in of.states), share(of.of_verifiable),
        )
        for of in findings.decisions
    ]  # fmt: skip


def states_head(findings: Findings) -> Row:
    """The head of `states`."""
    names = tuple(findings.decisions[0].states)
    return ("twins and pairs", "n", *names, "verified, of those that could be")


def by_chance(findings: Findings) -> Iterator[str]:
    """What a coin would have verified."""
    for of in findings.by_chance:
        what = "both halves of a twin" if of.halves == 2 else "a pair"
        yield (
            f"Mode {of.mode}: annotators who toss a coin would have verified {100 * of.share:.1f} %"
            f" ({of.rule} of {of.votes} votes on {what}), if quality and aspects refused nothing."
        )


def agreement(findings: Findings) -> list[Row]:
    """Question, items, answers, people, percent agreement, alpha."""
    return [
        (
            of.question, f"{of.agreement.percent.items:,}", f"{of.agreement.percent.ratings:,}",
            f"{of.agreement.percent.raters:,}", estimate_percent(of.agreement.percent),
            points(
                of.agreement.alpha_nominal
                if of.measurement == "nominal"
                else of.agreement.alpha_ordinal
            ),
        )
        for of in findings.agreement
    ]  # fmt: skip


def preferred(findings: Findings) -> list[Row]:
    """Group, votes, and the share for the chosen response, of choices and of all."""
    groups = [*findings.preferred, *([findings.with_excluded] if findings.with_excluded else [])]
    return [
        (group_name(of.group), f"{of.of_all.n:,}", percent(of.of_choices), percent(of.of_all))
        for of in groups
    ]


def controls(findings: Findings) -> Iterator[str]:
    """Whether the posts make the difference."""
    for of in findings.contrasted:
        yield (
            f"Control: {of.pairs:,} pairs were also shown with {CONTROLS[of.control]}. Choices of"
            " the chosen response with the user's own posts alone, less those in the control, in"
            f" percentage points: {percent_points(of.difference)}, n = {of.difference.n:,} votes."
        )


def judge(findings: Findings) -> Iterator[str]:
    """How far the judge and people agree."""
    for of in findings.judged_preference:
        if of.group == "all":
            yield (
                f"Of {of.agree.n:,} pairs with a majority for one response, people agree with the"
                f" pair's own label in {percent(of.agree)}."
            )
    for delivered in findings.delivered:
        if delivered.responses == "all":
            yield (
                "Whether a response delivers an aspect: judge and the majority of people agree in"
                f" {percent(delivered.agree)}, kappa {points_of(delivered.kappa.value)}"
                f" (n = {delivered.n:,})."
            )


def points_of(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
