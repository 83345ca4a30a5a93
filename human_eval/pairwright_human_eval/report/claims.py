"""What was decided, what a coin would have verified, and what the preference votes say."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import comb
from typing import TypeVar

import numpy as np

from pairwright.estimate import Estimate, share
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.assign import one_sided
from pairwright_human_eval.decisions import (
    VERIFIED,
    Decision,
    State,
    Votes,
    preference_outcome,
)
from pairwright_human_eval.records import EQUAL, Purpose
from pairwright_human_eval.report.answers import (
    CHOICES,
    Answers,
    AspectVote,
    SubjectPair,
    Vote,
    fit_labels,
)
from pairwright_human_eval.report.records import (
    ByChance,
    Consensus,
    ControlComparison,
    PreferenceShares,
    StateReason,
    States,
)
from pairwright_human_eval.report.resample import Draws, ratio, ratio_difference
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
                states={state: share(found.count(state), len(found)) for state in STATES},
                of_verifiable=share(able.count("verified"), len(able)),
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
            subjects=share(counts[state, reason], len(decisions)),
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


Given = TypeVar("Given", Vote, AspectVote)


CONTROLS: dict[Purpose, str] = {
    "wrong_profile": "a stranger's posts",
    "narrative": "posts and narrative",
}
"""Purposes of the controls, with the names that a page gives them."""


def preference_shares(group: str, votes: Sequence[Vote], draws: Draws) -> PreferenceShares:
    """Count a group's votes, and estimate the share for the chosen response."""
    counts = Counter(vote.choice for vote in votes)
    dyads, people = [vote.about.dyad for vote in votes], [vote.annotator for vote in votes]
    chosen = [float(vote.choice == "chosen") for vote in votes]
    either = [float(vote.choice in ("chosen", "other")) for vote in votes]
    return PreferenceShares(
        group=group,
        **{choice: counts[choice] for choice in CHOICES},
        of_choices=ratio(draws, dyads, chosen, either, people),
        of_all=ratio(draws, dyads, chosen, [1.0] * len(votes), people),
    )


def groups(votes: Sequence[Given]) -> Iterator[tuple[str, list[Given]]]:
    """All, by mode and half, by domain; groups without a vote are left out."""
    yield "all", list(votes)
    for mode in sorted({vote.about.subject.mode for vote in votes}):
        own = [vote for vote in votes if vote.about.subject.mode == mode]
        yield f"mode: {mode}", own
        if mode == "twin":
            yield "twin: asked half", [vote for vote in own if vote.about.pair.asked]
            yield "twin: counterfactual half", [vote for vote in own if not vote.about.pair.asked]
    for domain in sorted({vote.about.subject.domain for vote in votes}):
        yield f"domain: {domain}", [vote for vote in votes if vote.about.subject.domain == domain]


def consensus(
    votes: Sequence[Vote], pairs: dict[str, SubjectPair], draws: Draws
) -> Consensus | None:
    """Fit to labels that do not know the chosen side, and only then compare. The interval draws
    dyads and keeps the fit."""
    fit = fit_labels(votes)
    if fit is None:
        return None
    ratings, fitted = fit
    counts: Counter[str] = Counter()
    dyads, chosen = [], []
    for name, place in zip(ratings.items, np.argmax(fitted.posterior, axis=1), strict=True):
        label, pair = ratings.levels[place], pairs[name]
        choice = "equal" if label == EQUAL else "other"
        choice = "chosen" if label == pair.neutral(pair.chosen) else choice
        counts[choice] += 1
        dyads.append(pair.dyad)
        chosen.append(float(choice == "chosen"))
    return Consensus(
        pairs=len(dyads),
        chosen=counts["chosen"],
        other=counts["other"],
        equal=counts["equal"],
        share=ratio(draws, dyads, chosen, [1.0] * len(dyads)),
        converged=fitted.converged,
    )


def control_comparisons(answers: Answers, draws: Draws) -> tuple[ControlComparison, ...]:
    """The right profile against a stranger's, and against the narrative beside it. Older studies
    showed twins with strangers' posts, too, where these give one half whatever leaks."""
    comparisons = []
    own = answers.counted()
    voted = {vote.about.pair.id for vote in own}
    for control in CONTROLS:
        controls = [
            vote
            for vote in answers.counted(control)
            if vote.about.pair.id in voted
            and (control != "wrong_profile" or len(vote.about.subject.pairs) == 1)
        ]
        pairs = {vote.about.pair.id for vote in controls}
        if not pairs:
            continue
        of_control = preference_shares(control, controls, draws)
        share = of_control.of_choices
        bound = None
        if control == "wrong_profile" and share.value is not None and share.high is not None:
            bound = round(one_sided(share.value, share.high), 6)
        same = [vote for vote in own if vote.about.pair.id in pairs]
        comparisons.append(
            ControlComparison(
                control=control,
                pairs=len(pairs),
                own=preference_shares("own posts", same, draws),
                control_votes=of_control,
                difference=_difference(same, controls, draws, ("chosen", "other")),
                difference_of_all=_difference(same, controls, draws, CHOICES),
                at_most=bound,
            )
        )
    return tuple(comparisons)


def _difference(
    own: Sequence[Vote], controls: Sequence[Vote], draws: Draws, choices: tuple[str, ...]
) -> Estimate:
    """The share for the chosen response with own posts less that in the control, by the same
    draws of dyads and annotators."""
    votes = [vote for vote in (*own, *controls) if vote.choice in choices]
    dyads, people = [v.about.dyad for v in votes], [v.annotator for v in votes]
    columns = np.array(
        [
            [
                v.purpose == "vote" and v.choice == "chosen",
                v.purpose == "vote",
                v.purpose != "vote" and v.choice == "chosen",
                v.purpose != "vote",
            ]
            for v in votes
        ],
        np.float64,
    )
    return ratio_difference(draws, dyads, columns, people)
