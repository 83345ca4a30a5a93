"""What the preference votes say, on all sampled subjects, before any decision."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from pairwright.report import Block, Plot, Table
from pairwright.text import number_of
from pairwright_human_eval.assign import LIMIT, control_power, one_sided
from pairwright_human_eval.records import EQUAL, Purpose
from pairwright_human_eval.report.answers import CHOICES, Answers, AspectVote, SubjectPair, Vote
from pairwright_human_eval.report.findings_records import (
    Consensus,
    ControlComparison,
    Measure,
    PreferenceShares,
)
from pairwright_human_eval.report.label_errors import fit_labels
from pairwright_human_eval.report.number_text import group_name, percent, percent_points
from pairwright_human_eval.report.records import StudyReport
from pairwright_human_eval.report.resample import Draws, ratio, ratio_difference

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
) -> Measure:
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


def claims_section(report: StudyReport, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "Preference votes with the pair's own posts, on all sampled twins and pairs before any"
        " decision. The first share leaves out “about equal” and “cannot tell”, so that a coin"
        " gives 50 %; in the second they count against the chosen response. In the counterfactual"
        " half of a twin the question is put for a user who did not ask it."
    )
    groups = [*report.preferred, *([report.with_excluded] if report.with_excluded else [])]
    yield _preferred(groups)
    if "preference" in drawn:
        yield drawn["preference"]
    if report.consensus:
        fit = report.consensus
        unfit = "" if fit.converged else " (THE FIT DID NOT CONVERGE)"
        yield (
            "Consensus by Dawid and Skene's model, fitted to neutral labels: of"
            f" {number_of(fit.pairs, 'pair')} the most probable label is the chosen response in"
            f" {fit.chosen:,}, the other one in {fit.other:,} and “about equal” in {fit.equal:,}."
            f" Share for the chosen response: {percent(fit.share)}, n = {fit.share.n:,}{unfit}."
            " The interval draws dyads and keeps the fit."
        )
    for control in report.contrasted:
        name = CONTROLS[control.control]
        yield (
            f"Controls: {number_of(control.pairs, 'pair')} shown with their own posts to some"
            f" annotators and with {name} to others. Own posts less {name}, in percentage points"
            f" of the votes for the chosen response: {percent_points(control.difference)} of the"
            f" votes for either response (n = {control.difference.n:,});"
            f" {percent_points(control.difference_of_all)} of all votes"
            f" (n = {control.difference_of_all.n:,})."
            f" {stranger_sentence(control)}"
        )
        renamed = control.control_votes.model_copy(update={"group": name})
        yield _preferred([control.own, renamed])
    if "contrasted" in drawn:
        yield drawn["contrasted"]


def stranger_sentence(control: ControlComparison) -> str:
    """Whether strangers' posts tell nothing; empty for another control."""
    if control.control != "wrong_profile":
        return ""
    share = control.control_votes.of_choices
    shown = "shown" if control.at_most is not None and control.at_most < LIMIT else "NOT SHOWN"
    bound = "n/a" if control.at_most is None else f"{100 * control.at_most:.1f} %"
    return (
        f"With a stranger's posts {percent(share)} of the choices are for the chosen response (n ="
        f" {share.n:,}); the one-sided 95 % bound is {bound}. That strangers' posts tell nothing, a"
        f" share below {100 * LIMIT:.0f} %, is {shown}; the power to show it was"
        f" {100 * control_power(share.n):.0f} %."
    )


def _preferred(groups: list[PreferenceShares]) -> Table:
    return Table(
        (
            "group", "votes", "chosen", "other", "equal", "cannot tell", "chosen, of choices",
            "chosen, of all votes",
        ),
        tuple(
            (
                group_name(group.group), f"{group.of_all.n:,}", f"{group.chosen:,}",
                f"{group.other:,}", f"{group.equal:,}", f"{group.cannot_tell:,}",
                percent(group.of_choices), percent(group.of_all),
            )
            for group in groups
        ),
    )  # fmt: skip
