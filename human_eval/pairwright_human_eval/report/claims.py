"""What was decided, what a coin would have verified, and what the preference votes say."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from scipy.stats import binom

from pairwright.estimate import Estimate, no_estimate
from pairwright.intervals import accuracy_by_cluster
from pairwright.modes import MODES, Mode, has_no_preference
from pairwright.records import Record
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.decisions import VERIFIED, Decision, State, Votes, preference_outcome
from pairwright_human_eval.report.answers import (
    CHOICES,
    AspectVote,
    SubjectPair,
    Vote,
    fit_labels,
)
from pairwright_human_eval.report.resample import Draws, answer_ratio, ratio
from pairwright_human_eval.subjects import Outline

STATES: tuple[State, ...] = ("verified", "refused", "disputed", "waiting", "control")
READER = 0.95
"""Share of votes that somebody who reads the posts is taken to give for the response that fits."""


class States(Record):
    """The decisions on one group of subjects, each as a share of the group."""

    group: str
    subjects: int
    states: dict[State, Estimate]
    of_verifiable: Estimate
    """Verified, of those that can be: without controls where the rule asks about aspects."""


class StateReason(Record):
    """Subjects that are in a state for a reason, of all sampled; one may have several reasons."""

    state: State
    reason: str
    subjects: Estimate


class ByChance(Record):
    """What annotators who toss a coin for their preference would have verified, of what can be."""

    mode: str
    votes: int
    """On each pair."""
    rule: str
    halves: int
    share: float


class PreferenceShares(Record):
    """Preference votes of one group of pairs."""

    group: str
    chosen: int
    other: int
    equal: int
    cannot_tell: int
    of_choices: Estimate
    """For the chosen response, of the votes for either response: 0.5 by chance."""
    of_all: Estimate
    """Of all votes: `equal` and `cannot_tell` count against it."""


class NoDifference(Record):
    """How often people said of the pairs of a mode that there is no difference."""

    mode: Mode
    votes: Estimate


class Consensus(Record):
    """What the votes together say of each pair, by Dawid and Skene's model on neutral labels."""

    pairs: int
    chosen: int
    other: int
    equal: int
    share: Estimate
    """Pairs whose most probable label is the chosen response."""
    converged: bool


def states(
    subjects: Sequence[Outline], decisions: Sequence[Decision], rules: HumanRules
) -> tuple[States, ...]:
    """Of all, by mode and by domain. Where aspects are asked about, a control cannot be verified,
    even where something else has refused it."""
    state_of = {decision.subject: decision.state for decision in decisions}
    grouped = {"all": list(subjects)}
    for mode in sorted({subject.mode for subject in subjects}):
        grouped[f"mode: {mode}"] = [one for one in subjects if one.mode == mode]
    for domain in sorted({subject.domain for subject in subjects}):
        grouped[f"domain: {domain}"] = [one for one in subjects if one.domain == domain]
    rows = []
    for name, group in grouped.items():
        able = [one for one in group if one.aspects_asked or not rules.rubric_votes]
        rows.append(
            States(
                group=name,
                subjects=len(group),
                states={name: _share(group, state_of, name) for name in STATES},
                of_verifiable=_share(able, state_of, "verified"),
            )
        )
    return tuple(rows)


def _share(group: Sequence[Outline], states: Mapping[str, State], state: State) -> Estimate:
    """Those in a state, of a group, with its interval by dyad."""
    found = [(one.dyad, float(states[one.id] == state)) for one in group]
    return accuracy_by_cluster(found) or no_estimate("none of them")


def reasons(subjects: Sequence[Outline], decisions: Sequence[Decision]) -> tuple[StateReason, ...]:
    """The most frequent first, state by state."""
    counts = Counter((d.state, reason) for d in decisions for reason in d.reasons)
    order = sorted(counts, key=lambda found: (STATES.index(found[0]), -counts[found], found[1]))
    found = []
    for state, reason in order:
        hits = (one.state == state and reason in one.reasons for one in decisions)
        of_all = accuracy_by_cluster(
            [(one.dyad, float(hit)) for one, hit in zip(subjects, hits, strict=True)]
        )
        assert of_all
        found.append(StateReason(state=state, reason=reason, subjects=of_all))
    return tuple(found)


def by_chance(subjects: Iterable[Outline], rules: HumanRules, overlap: int) -> tuple[ByChance, ...]:
    """By mode, without placebos, which no choice of a response verifies. Where more people vote
    than the rule needs, the rule is held to all of them."""
    votes = max(rules.votes, overlap)
    halves = {one.mode: len(one.pairs) for one in subjects if not one.no_preference}
    return tuple(
        ByChance(
            mode=mode, votes=votes, rule=rules.rule, halves=n,
            share=round(verified_by_chance(votes, rules, n), 6),
        )
        for mode, n in sorted(halves.items())
    )  # fmt: skip


def verified_by_chance(votes: int, rules: HumanRules, halves: int = 1) -> float:
    """The share of subjects that annotators who toss a coin between the two responses would verify.

    The halves have different annotators, and all must pass. A single pair is one half. Quality and
    aspects are left out, which can only refuse more. Of fewer votes than the rule asks for none is
    verified.
    """
    return _passed(votes, rules, 0.5) ** halves


def no_signal_share(votes: int, rules: HumanRules, halves: int) -> float:
    """The same of subjects of which one half's posts say nothing, so that who reads them tosses a
    coin, where those who read the others are right in `READER` of their votes."""
    return verified_by_chance(votes, rules) * _passed(votes, rules, READER) ** (halves - 1)


def _passed(votes: int, rules: HumanRules, right: float) -> float:
    """How probably a half passes if each vote on it is for the chosen response with probability
    `right`, and else for the other. The rule decides on every way in which its votes, and those
    of a second round, can fall."""
    none, passed = _given(0, 0), 0.0
    for k, probability in enumerate(binom.pmf(range(votes + 1), votes, right)):
        first = _given(votes, k)
        state = preference_outcome(first, none, rules).state
        if state == "disputed":
            n = rules.closing_votes
            probability *= sum(
                p
                for closing, p in enumerate(binom.pmf(range(n + 1), n, right))
                if preference_outcome(first, _given(n, closing), rules) == VERIFIED
            )
        passed += probability if state in ("verified", "disputed") else 0
    return float(passed)


def _given(votes: int, chosen: int) -> Votes:
    return Votes(pair="", chosen=chosen, rejected=votes - chosen, equal=0, cannot_tell=0)


Given = TypeVar("Given", Vote, AspectVote)


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


def preference_shares(group: str, votes: Sequence[Vote], draws: Draws) -> PreferenceShares:
    """Count a group's votes, and estimate the share for the chosen response."""
    counts = Counter(vote.choice for vote in votes)
    chosen = [vote.choice == "chosen" for vote in votes]
    either = [vote.choice in ("chosen", "other") for vote in votes]
    return PreferenceShares(
        group=group,
        **{choice: counts[choice] for choice in CHOICES},
        of_choices=answer_ratio(draws, votes, chosen, either),
        of_all=answer_ratio(draws, votes, chosen),
    )


def no_difference(votes: Sequence[Vote], draws: Draws) -> tuple[NoDifference, ...]:
    """By mode; empty in a study without placebos, for which it is the other modes' comparison."""
    modes = dict.fromkeys(vote.about.subject.mode for vote in votes)
    if not any(map(has_no_preference, modes)):
        return ()
    found = []
    for mode in filter(modes.__contains__, MODES):
        own = [vote for vote in votes if vote.about.subject.mode == mode]
        said = answer_ratio(draws, own, [vote.choice == "equal" for vote in own])
        found.append(NoDifference(mode=mode, votes=said))
    return tuple(found)


def consensus(
    votes: Sequence[Vote], pairs: dict[str, SubjectPair], draws: Draws
) -> Consensus | None:
    """Fit to labels that do not know the chosen side, and only then compare. The interval draws
    dyads and keeps the fit."""
    fit = fit_labels(votes)
    if fit is None:
        return None
    ratings, fitted = fit
    abouts = [pairs[name] for name in ratings.items]
    labels = [ratings.levels[place] for place in np.argmax(fitted.posterior, axis=1)]
    chosen = [
        label == about.neutral(about.pair.chosen)
        for about, label in zip(abouts, labels, strict=True)
    ]
    equal = labels.count("equal")
    return Consensus(
        pairs=len(labels),
        chosen=sum(chosen),
        other=len(labels) - sum(chosen) - equal,
        equal=equal,
        share=ratio(draws, [about.dyad for about in abouts], chosen),
        converged=fitted.converged,
    )
