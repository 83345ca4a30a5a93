"""The sentences and table rows of a release's pages about its human verification."""

from collections.abc import Iterator

from pairwright.release.derive import own_choice
from pairwright.release.derive.study_summary import HumanSummary
from pairwright.release.summary import Summary
from pairwright.settings.study_rules import HumanRules
from pairwright.text import number_of
from pairwright_human_eval.records import StoppingRule
from pairwright_human_eval.report.records import Findings
from pairwright_human_eval.report.words import group_name, stranger_sentence

Row = tuple[str, ...]
NOBODY = "Nobody was asked: these pairs are not verified by people."
CONTROLS = {"wrong_profile": "another user's posts", "narrative": "posts and the asker's narrative"}


def nobody_sentence(summary: Summary) -> str:
    """What is said where no annotator was asked."""
    return own_choice.LABEL if own_choice.own_choice_words(summary) else NOBODY


def verified_sentence(summary: Summary, study: HumanSummary | None) -> str:
    """How many of the pairs are verified, and whether by people."""
    if study is None:
        return nobody_sentence(summary)
    share = f"{summary.verified:,} of the {summary.rows:,} pairs are verified"
    if not study.simulated_annotators:
        return f"{share} by the votes of {study.annotators:,} people."
    return (
        f"{share}: {study.simulated_annotators:,} of the {study.annotators:,} annotators are a"
        " program, whose answers verify nothing. By all answers"
        f" {study.states.get('verified', 0):,} twins and single pairs pass the rule."
    )


def voters(study: HumanSummary) -> str:
    """Whom the figures of a study are about."""
    return "annotators" if study.simulated_annotators else "people"


def protocol_sentences(study: HumanSummary) -> Iterator[str]:
    """How people were asked, and by which rule pairs were verified."""
    rule, twins = study.rule, any(chance.halves == 2 for chance in study.by_chance)
    alike = ", and the same in both halves of a twin" if twins else ""
    yield (
        f"{study.annotators:,} annotators answered tasks on {study.subjects:,} twins and single"
        f" pairs, drawn from {study.of:,} in the run. They did not know which response was the"
        f" chosen one; sides were drawn{alike}."
    )
    if study.simulated_annotators:
        yield (
            f"{study.simulated_annotators:,} of the annotators are a program. Their answers show"
            " how the tool works and are not evidence about any pair: what passes the rule by them"
            " is not verified."
        )
    yield (
        f"A pair passes the rule with at least {rule.votes} votes and {rule.rule} for the chosen"
        f" response (“cannot tell” at most {100 * rule.cannot_tell:.0f} %), a mean quality of at"
        f" least {rule.quality_floor:g} for both responses on every scale ({rule.quality_votes}"
        f" answers){_gap_limit(rule)}, and {100 * rule.aspects_supported:.0f} % or more of its"
        f" aspects found supported ({rule.rubric_votes} answers).{_aspect_limits(rule)}"
        f"{' Both halves of a twin must pass.' if twins else ''}"
    )
    if study.rule_changed:
        names = ", ".join(study.rule_changed)
        yield f"The rule was changed after the first answers could be seen: {names}."
    else:
        yield (
            "The rule is the one that was fixed before the first answer, by the word of those who"
            " made the release: the file that fixed it is private."
        )
    if study.stopping is not None:
        yield looks_sentence(study.stopping, study.looks or 0)
    excluded = ", ".join(study.excluded) or "nobody"
    yield (
        f"Annotators who passed fewer than {100 * rule.attention_floor:.0f} % of the attention"
        f" checks do not count: {excluded}."
    )
    if study.set_aside:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in study.set_aside.items())
        yield f"Annotations that are not answers, set aside by reason: {reasons}."
    if study.left_out:
        yield (
            f"{study.left_out:,} twins and pairs of the study are not in this release, nor are the"
            " votes on them: people asked to be forgotten, or a simulated model had a part in them."
        )


def looks_sentence(fixed: StoppingRule, looks: int) -> str:
    """How often the answers were looked at, and how often they were to be."""
    most = number_of(fixed.looks, "look")
    sentence = (
        f"Before the first answer {most} at the answers {'was' if fixed.looks == 1 else 'were'}"
        f" fixed, with a floor of {100 * fixed.floor:.0f} % of the votes for the chosen response;"
        f" there {'was' if looks == 1 else 'were'} {looks}."
    )
    return f"{sentence} MORE LOOKS THAN WERE FIXED." if looks > fixed.looks else sentence


def _gap_limit(rule: HumanRules) -> str:
    if rule.quality_gap is None:
        return ""
    return f" with the two at most {rule.quality_gap:g} points apart"


def _aspect_limits(rule: HumanRules) -> str:
    """The limits that older studies do not have."""
    said = ""
    if rule.delivered is not None:
        said += (
            f" Of the supported aspects at least {100 * rule.delivered:.0f} % must be delivered by"
            " the chosen response and not by the rejected one."
        )
    if rule.contradicted is not None:
        said += (
            f" At most {100 * rule.contradicted:.0f} % of the answers on any aspect may call it"
            " contradicted."
        )
    return said


def state_rows(findings: Findings) -> list[Row]:
    """Group, n, how many ended in each state, and the verified share of those that could be."""
    return [
        (
            group_name(group.group), f"{group.subjects:,}",
            *(f"{group.states[state].k:,}" for state in group.states),
            group.of_verifiable.counted(),
        )
        for group in findings.decisions
    ]  # fmt: skip


def state_head(findings: Findings, study: HumanSummary) -> Row:
    """The head of `state_rows`; by a program's answers nothing is verified."""
    passed = "pass the rule" if study.simulated_annotators else "verified"
    names = (passed if state == "verified" else state for state in findings.decisions[0].states)
    return ("twins and pairs", "n", *names, f"{passed}, of those that could")


def chance_sentences(findings: Findings) -> Iterator[str]:
    """What a coin would have verified."""
    for coin in findings.by_chance:
        what = "both halves of a twin" if coin.halves == 2 else "a pair"
        yield (
            f"Mode {coin.mode}: annotators who toss a coin would have verified"
            f" {100 * coin.share:.1f} % ({coin.rule} of {coin.votes} votes on {what}), if quality"
            " and aspects refused nothing."
        )


def agreement_rows(findings: Findings) -> list[Row]:
    """Question, items, answers, annotators, percent agreement, alpha."""
    return [
        (
            each.question, f"{each.agreement.items:,}", f"{percent.n:,}",
            f"{each.agreement.raters:,}",
            percent.percent(),
            (each.agreement.alpha_nominal
                if each.measurement == "nominal"
                else each.agreement.alpha_ordinal).text(2),
        )
        for each in findings.agreement
        for percent in (each.agreement.percent,)
    ]  # fmt: skip


def preference_rows(findings: Findings) -> list[Row]:
    """Group, votes, and the share for the chosen response, of choices and of all."""
    groups = [*findings.preferred, *([findings.with_excluded] if findings.with_excluded else [])]
    return [
        (
            group_name(each.group),
            f"{each.of_all.n:,}",
            each.of_choices.percent(),
            each.of_all.percent(),
        )
        for each in groups
    ]


def control_sentences(findings: Findings) -> Iterator[str]:
    """Whether the posts make the difference."""
    for each in findings.contrasted:
        yield (
            f"Control: {each.pairs:,} pairs were also shown with {CONTROLS[each.control]}."
            " Choices of the chosen response with the user's own posts alone, less those in the"
            f" control, in percentage points: {each.difference.percent(sign=True)},"
            f" n = {each.difference.n:,} votes. {stranger_sentence(each)}"
        )


def judge_sentences(findings: Findings, voters: str) -> Iterator[str]:
    """How far the judge and annotators agree; `voters` names the latter."""
    for group in findings.judged_preference:
        if group.group == "all":
            yield (
                f"Of {group.agree.n:,} pairs with a majority for one response, {voters} agree with"
                f" the pair's own label in {group.agree.percent()}."
            )
    for delivered in findings.delivered:
        if delivered.responses == "all":
            yield (
                f"Whether a response delivers an aspect: judge and the majority of {voters} agree"
                f" in {delivered.agree.percent()}, kappa {_two_places(delivered.kappa.value)}"
                f" (n = {delivered.n:,})."
            )


def _two_places(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
