"""What was decided, and what a coin would have verified."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pairwright.settings.rules import HumanRules
from pairwright.stats import share
from pairwright_human_eval.agreement import verified_by_chance
from pairwright_human_eval.decide import Decision, State
from pairwright_human_eval.outline import Outline
from pairwright_human_eval.report.head import proportion
from pairwright_human_eval.report.records import ByChance, ReasonCount, States

STATES: tuple[State, ...] = ("verified", "refused", "disputed", "waiting", "control")


def states(
    subjects: Sequence[Outline], decisions: Sequence[Decision], policy: HumanRules
) -> tuple[States, ...]:
    """Of all, by mode and by domain. Where aspects are asked about, a control cannot be verified,
    even where something else has refused it."""
    state_of = {of.subject: of.state for of in decisions}
    rows = []
    verifiable = {of.id for of in subjects if of.aspects_asked or not policy.rubric_votes}
    for name, group in _groups(subjects):
        found = [state_of[subject] for subject in group]
        able = [state_of[subject] for subject in group if subject in verifiable]
        rows.append(
            States(
                group=name,
                subjects=len(found),
                states={of: proportion(share(found.count(of), len(found))) for of in STATES},
                of_verifiable=proportion(share(able.count("verified"), len(able))),
            )
        )
    return tuple(rows)


def reasons(decisions: Sequence[Decision]) -> tuple[ReasonCount, ...]:
    """The most frequent first, state by state."""
    counts = Counter((d.state, reason) for d in decisions for reason in d.reasons)
    order = sorted(counts, key=lambda found: (STATES.index(found[0]), -counts[found], found[1]))
    return tuple(
        ReasonCount(
            state=state,
            reason=reason,
            subjects=proportion(share(counts[state, reason], len(decisions))),
        )
        for state, reason in order
    )


def by_chance(
    subjects: Iterable[Outline], policy: HumanRules, overlap: int
) -> tuple[ByChance, ...]:
    """By mode. Where more people vote than the rule needs, the rule is held to all of them."""
    votes = max(policy.votes, overlap)
    halves = {subject.mode: len(subject.pairs) for subject in subjects}
    return tuple(
        ByChance(
            mode=mode,
            votes=votes,
            rule=policy.rule,
            halves=n,
            share=round(verified_by_chance(votes, policy.rule, n), 6),
        )
        for mode, n in sorted(halves.items())
    )


def _groups(subjects: Sequence[Outline]) -> Iterator[tuple[str, list[str]]]:
    yield "all", [subject.id for subject in subjects]
    for mode in sorted({subject.mode for subject in subjects}):
        yield f"mode: {mode}", [s.id for s in subjects if s.mode == mode]
    for domain in sorted({subject.domain for subject in subjects}):
        yield f"domain: {domain}", [s.id for s in subjects if s.domain == domain]
