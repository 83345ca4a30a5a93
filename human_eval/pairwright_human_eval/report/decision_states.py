"""What was decided, and what a coin would have verified."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import comb

from pairwright.estimate import share
from pairwright.report import Block, Plot, Table
from pairwright.settings.study_rules import HumanRules
from pairwright_human_eval.decisions import (
    VERIFIED,
    Decision,
    State,
    Votes,
    preference_outcome,
    reason_in_words,
)
from pairwright_human_eval.report.findings_records import (
    ByChance,
    Findings,
    Proportion,
    StateReason,
    States,
)
from pairwright_human_eval.report.number_text import group_name, percent, share_text
from pairwright_human_eval.report.records import StudyReport
from pairwright_human_eval.report.study import proportion
from pairwright_human_eval.subjects import Outline

STATES: tuple[State, ...] = ("verified", "refused", "disputed", "waiting", "control")


def states(
    subjects: Sequence[Outline], decisions: Sequence[Decision], rules: HumanRules
) -> tuple[States, ...]:
    """Of all, by mode and by domain. Where aspects are asked about, a control cannot be verified,
    even where something else has refused it."""
    state_of = {decision.subject: decision.state for decision in decisions}
    rows = []
    verifiable = {
        subject.id for subject in subjects if subject.aspects_asked or not rules.rubric_votes
    }
    for name, group in _groups(subjects):
        found = [state_of[subject] for subject in group]
        able = [state_of[subject] for subject in group if subject in verifiable]
        rows.append(
            States(
                group=name,
                subjects=len(found),
                states={
                    state: proportion(share(found.count(state), len(found))) for state in STATES
                },
                of_verifiable=proportion(share(able.count("verified"), len(able))),
            )
        )
    return tuple(rows)


def reasons(decisions: Sequence[Decision]) -> tuple[StateReason, ...]:
    """The most frequent first, state by state."""
    counts = Counter((d.state, reason) for d in decisions for reason in d.reasons)
    order = sorted(counts, key=lambda found: (STATES.index(found[0]), -counts[found], found[1]))
    return tuple(
        StateReason(
            state=state,
            reason=reason,
            subjects=proportion(share(counts[state, reason], len(decisions))),
        )
        for state, reason in order
    )


def by_chance(subjects: Iterable[Outline], rules: HumanRules, overlap: int) -> tuple[ByChance, ...]:
    """By mode. Where more people vote than the rule needs, the rule is held to all of them."""
    votes = max(rules.votes, overlap)
    halves = {subject.mode: len(subject.pairs) for subject in subjects}
    return tuple(
        ByChance(
            mode=mode,
            votes=votes,
            rule=rules.rule,
            halves=n,
            share=round(verified_by_chance(votes, rules, n), 6),
        )
        for mode, n in sorted(halves.items())
    )


def _groups(subjects: Sequence[Outline]) -> Iterator[tuple[str, list[str]]]:
    yield "all", [subject.id for subject in subjects]
    for mode in sorted({subject.mode for subject in subjects}):
        yield f"mode: {mode}", [s.id for s in subjects if s.mode == mode]
    for domain in sorted({subject.domain for subject in subjects}):
        yield f"domain: {domain}", [s.id for s in subjects if s.domain == domain]


def verified_by_chance(votes: int, rules: HumanRules, halves: int = 1) -> float:
    """The share of subjects that annotators who toss a coin between the two responses would verify.

    The rule decides on every way in which the votes on a half of a twin, and those of a second
    round, can fall; the halves have different annotators, and all must pass. A violate pair is one
    half. Quality and aspects are left out, which can only refuse more. Raises ValueError for fewer
    votes than the rule asks for, or halves below 1.
    """
    if votes < rules.votes or halves < 1:
        raise ValueError(f"{votes} votes of {rules.votes}, and {halves} halves")
    none, passed = _coins(0, 0), 0.0
    for first in range(votes + 1):
        given = _coins(votes, first)
        state, share = preference_outcome(given, none, rules).state, comb(votes, first) / 2**votes
        if state == "disputed":
            n = rules.closing_votes
            closing = ((comb(n, k) / 2**n, _coins(n, k)) for k in range(n + 1))
            share *= sum(p for p, k in closing if preference_outcome(given, k, rules) == VERIFIED)
        passed += share if state in ("verified", "disputed") else 0
    return passed**halves


def _coins(votes: int, chosen: int) -> Votes:
    return Votes(pair="", chosen=chosen, rejected=votes - chosen, equal=0, cannot_tell=0)


def decisions_section(report: StudyReport, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "A twin is decided as one: both halves must be verified. Controls were shown to annotators"
        " with a stranger's posts or the narrative in place of questions about aspects, and are not"
        " verified. Shares are of the sampled twins and pairs, with 95 % Wilson intervals. The last"
        " column leaves controls out, refused ones too; what waits or is disputed is in it as not"
        " verified."
    )
    states = list(report.decisions[0].states)
    yield Table(
        ("group", "n", *states, "verified, of those that could be"),
        tuple(
            (
                group_name(row.group), f"{row.subjects:,}",
                *(_count(row.states[state]) for state in states), share_text(row.of_verifiable),
            )
            for row in report.decisions
        ),
    )  # fmt: skip
    if "states" in drawn:
        yield drawn["states"]
    if report.reasons:
        yield Table(
            ("not verified", "reason", "in words", "twins and pairs"),
            tuple(
                (
                    reason.state,
                    reason.reason,
                    reason_in_words(reason.reason),
                    share_text(reason.subjects),
                )
                for reason in report.reasons
            ),
            left=3,
            note="One may have several reasons in its state.",
        )
    yield label_error_sentence(report)
    yield (
        "What annotators who toss a coin for their preference would have verified under this rule,"
        " if quality and aspects refused nothing. The verified share of those that could be is to"
        " be read against it:"
    )
    yield Table(
        ("mode", "rule", "votes on each pair", "pairs decided as one", "verified by chance"),
        tuple(
            (
                row.mode,
                row.rule,
                str(row.votes),
                str(row.halves),
                f"{100 * row.share:.1f} %",
            )
            for row in report.by_chance
        ),
        left=2,
    )


def label_error_sentence(findings: Findings) -> str:
    """How probable it is that the label of a verified pair is wrong."""
    found = findings.label_error
    if found.value is None:
        return "No pair is verified, so nothing is said of how often a label is wrong."
    ends = (
        found.reason
        if found.low is None or found.high is None
        else f"{100 * found.low:.1f} to {100 * found.high:.1f}"
    )
    return (
        f"The label of a verified pair is wrong with probability {100 * found.value:.1f} % ({ends};"
        f" n = {found.n:,} pairs): by all votes together, if every pair has a right answer and"
        " people err independently. A pair whose posts say nothing has none."
    )


def _count(proportion: Proportion) -> str:
    return f"{proportion.k:,}: {percent(proportion)}" if proportion.n else "0"
