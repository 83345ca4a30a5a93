"""What people were asked and what they said: sentences and rows of tables. Plain text."""

from collections.abc import Iterator

from pairwright.release.derive.human import HumanSummary
from pairwright.release.summary import Summary
from pairwright_human_eval.report.findings_records import Findings
from pairwright_human_eval.report.number_text import (
    estimate_percent,
    group_name,
    percent,
    percent_points,
    points,
    share_text,
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
        f"{told}: {study.simulated_annotators:,} of the {study.annotators:,} annotators are a"
        " program, whose answers verify nothing. By all answers"
        f" {study.states.get('verified', 0):,} twins and single pairs pass the rule."
    )


def who(study: HumanSummary) -> str:
    """Whom the figures of a study are about."""
    return "annotators" if study.simulated_annotators else "people"


def protocol(study: HumanSummary) -> Iterator[str]:
    """How people were asked, and by which rule pairs were verified."""
    rule, twins = study.rule, any(of.halves == 2 for of in study.by_chance)
    alike = ", and the same in both halves of a twin" if twins else ""
    yield (
        f"{study.annotators:,} annotators answered tasks on {study.subjects:,} twins and single"
        f" pairs, drawn from {study.of:,} in the run. They did not know which response was the"
        f" chosen one; sides were drawn{alike}."
    )
    if study.simulated_annotators:
        yield (
            f"{study.simulated_annotators:,} of the annotators are a program. Their answers show"
            " how the tool works and are no evidence about any pair: what passes the rule by them"
            " is not verified."
        )
    yield (
        f"A pair passes the rule with at least {rule.votes} votes and {rule.rule} for the chosen"
        f" response (“cannot tell” at most {100 * rule.cannot_tell:.0f} %), a mean quality of at"
        f" least {rule.quality_floor:g} for both responses on every scale ({rule.quality_votes}"
        f" answers), and {100 * rule.aspects_supported:.0f} % or more of its aspects found"
        f" supported by the posts ({rule.rubric_votes} answers)."
        f"{' Both halves of a twin must pass.' if twins else ''}"
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
            *(f"{of.states[state].k:,}" for state in of.states), share_text(of.of_verifiable),
        )
        for of in findings.decisions
    ]  # fmt: skip


def states_head(findings: Findings, study: HumanSummary) -> Row:
    """The head of `states`; by a program's answers nothing is verified."""
    passed = "pass the rule" if study.simulated_annotators else "verified"
    names = (passed if of == "verified" else of for of in findings.decisions[0].states)
    return ("twins and pairs", "n", *names, f"{passed}, of those that could")


def by_chance(findings: Findings) -> Iterator[str]:
    """What a coin would have verified."""
    for of in findings.by_chance:
        what = "both halves of a twin" if of.halves == 2 else "a pair"
        yield (
            f"Mode {of.mode}: annotators who toss a coin would have verified {100 * of.share:.1f} %"
            f" ({of.rule} of {of.votes} votes on {what}), if quality and aspects refused nothing."
        )


def agreement(findings: Findings) -> list[Row]:
    """Question, items, answers, annotators, percent agreement, alpha."""
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


def judge(findings: Findings, who: str) -> Iterator[str]:
    """How far the judge and annotators agree; `who` they are."""
    for of in findings.judged_preference:
        if of.group == "all":
            yield (
                f"Of {of.agree.n:,} pairs with a majority for one response, {who} agree with the"
                f" pair's own label in {percent(of.agree)}."
            )
    for delivered in findings.delivered:
        if delivered.responses == "all":
            yield (
                f"Whether a response delivers an aspect: judge and the majority of {who} agree"
                f" in {percent(delivered.agree)}, kappa {points_of(delivered.kappa.value)}"
                f" (n = {delivered.n:,})."
            )


def points_of(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
