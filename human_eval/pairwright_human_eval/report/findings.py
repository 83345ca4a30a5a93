"""Every figure of a study's report, from its outlines and verdicts.

`Findings` is what the answers of a study say, which a release, too, can derive; `StudyReport` adds
what only the study's key says. All but the decisions is estimated on all sampled twins and pairs,
before any decision, with 95 % intervals by dyad of users; of fewer than five dyads there is none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from pairwright.estimate import Estimate, no_estimate, share
from pairwright.intervals import accuracy_by_cluster, cluster_numbers, mean
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.agreement.intervals import FEWEST, Agreement, Measurement, agreement
from pairwright_human_eval.agreement.models import Level, Ratings
from pairwright_human_eval.attention import excluded_by, vote_checks
from pairwright_human_eval.decisions import Decision, State, Votes, decide_all
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, NEITHER, Support, Verdict
from pairwright_human_eval.report.answers import (
    Answers,
    answers_of,
    majorities,
    retested,
    with_others,
)
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline, Subject, outline_of

STATES: tuple[State, ...] = ("verified", "refused", "disputed", "waiting")
SUPPORT: tuple[Support, ...] = ("contradicted", "no", "plausibly", "clearly")
THERE = ("clearly", "plausibly")
DELIVERS = 1
"""The least adherence score at which the judge finds an aspect delivered."""


class GroupDecisions(Record):
    """The decisions on all, or on the twins and pairs of a mode."""

    group: str
    units: int
    states: dict[State, int]
    verified: Estimate


class QuestionAgreement(Record):
    """How far annotators agree on one question."""

    question: str
    measurement: Measurement
    agreement: Agreement

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's, ordinal where the answers have an order."""
        nominal = self.measurement == "nominal"
        return self.agreement.alpha_nominal if nominal else self.agreement.alpha_ordinal


class PreferenceShares(Record):
    """The preference votes of one group of pairs."""

    group: str
    chosen: int
    rejected: int
    equal: int
    cannot_tell: int
    of_choices: Estimate
    """For the chosen response, of the votes for either. None of placebos, whose chosen one is
    drawn."""
    of_all: Estimate
    """For the label, of all votes: for the chosen response or, of placebos, "no difference"."""


class SideScores(Record):
    """People's mean scores of the first and the second response of a mode on one scale."""

    mode: str
    scale: str
    first: Estimate
    second: Estimate
    difference: Estimate
    """By the same annotator, in points."""


class AspectShares(Record):
    """Whether the posts carry the aspects of a group, and which responses deliver them: shares of
    the aspects, each by what more than half of its answers say."""

    group: str
    supported: Estimate
    chosen: Estimate
    """Delivered by the chosen response alone, as `rejected` is by the other alone."""
    rejected: Estimate


class Findings(Record):
    """What the answers say: a function of outlines, verdicts and rules."""

    decisions: tuple[GroupDecisions, ...]
    reasons: dict[State, dict[str, int]]
    """How many twins and pairs are in a state for a reason; one may have several."""
    agreement: tuple[QuestionAgreement, ...]
    preferred: tuple[PreferenceShares, ...]
    """First of all but placebos."""
    quality: tuple[SideScores, ...]
    aspects: tuple[AspectShares, ...]
    judge: dict[str, Estimate]
    """By question: how often the judge and most people say the same."""


class AnnotatorRow(Record):
    """One annotator of the first round, by pseudonym."""

    annotator: str
    excluded: bool
    simulated: bool
    answered: Estimate
    """Tasks, of those assigned."""
    with_others: Estimate
    """Preference votes that are what most of the others on the pair said."""
    attention: Estimate
    """Attention checks passed."""
    repeats: Estimate
    """Swapped repeats answered as before."""


class Disagreement(Record):
    """A pair on which not all votes are for its label."""

    state: State
    votes: Votes
    comments: tuple[str, ...]
    """What annotators wrote on the pair, without who."""


class StudyReport(Findings):
    """Everything that is reported: what the answers say, and what only the study's key says."""

    version: str
    """Pairwright's, at export."""
    of: int
    """Twins and pairs of the run, of which those asked about were drawn."""
    tasks: int
    answered: int
    simulated: int
    """Verdicts that a program gave."""
    rule: HumanRules
    """In force."""
    changed: dict[str, tuple[str, str]]
    """Numbers of the rule that are not as they were at export: then, and now."""
    annotators: tuple[AnnotatorRow, ...]
    disagreements: tuple[Disagreement, ...]
    """The most divided first."""

    @property
    def excluded(self) -> list[str]:
        """Annotators below the attention floor: their answers do not count."""
        return [one.annotator for one in self.annotators if one.excluded]


def compute_report(
    subjects: Sequence[Subject],
    fixed: FixedStudy,
    verdicts: Sequence[Verdict],
    rules: HumanRules,
) -> StudyReport:
    """`subjects` are those sampled, and `rules` is in force."""
    study, key = fixed
    checks = vote_checks(verdicts)
    excluded = excluded_by(checks, rules.attention_floor)
    outlines = [outline_of(subject) for subject in subjects]
    decisions = decide_all(outlines, verdicts, rules, excluded)
    assigned = Counter(task.annotator for task in key.values() if task.round == 1)
    given = Counter(verdict.annotator for verdict in verdicts if verdict.round == 1)
    alike = with_others(answers_of(outlines, verdicts).votes)
    again, program = retested(verdicts), {one.annotator for one in verdicts if one.simulated}
    then, now = dict(study.policy), dict(rules)
    found = derive_findings(
        outlines, verdicts, study.scales, decisions=decisions, excluded=excluded
    )
    return StudyReport(
        **dict(found),
        version=study.version,
        of=study.of,
        tasks=len(key),
        answered=len({verdict.task for verdict in verdicts}),
        simulated=sum(verdict.simulated for verdict in verdicts),
        rule=rules,
        changed={
            name: (str(then[name]), str(now[name])) for name in now if then[name] != now[name]
        },
        annotators=tuple(
            AnnotatorRow(
                annotator=who,
                excluded=who in excluded,
                simulated=who in program,
                answered=share(given[who], assigned[who]),
                with_others=_of(alike.get(who)),
                attention=checks.get(who, share(0, 0)),
                repeats=_of(again.get(who)),
            )
            for who in sorted(assigned)
        ),
        disagreements=tuple(_disagreements(outlines, decisions, verdicts)),
    )


def _of(hits: Sequence[bool] | None) -> Estimate:
    return share(sum(hits or ()), len(hits or ()))


def derive_findings(
    outlines: Sequence[Outline],
    verdicts: Iterable[Verdict],
    scales: tuple[Scale, ...],
    *,
    decisions: Mapping[str, Decision],
    excluded: frozenset[str],
) -> Findings:
    """Estimates on all `outlines`, those sampled. `excluded` are annotators whose answers do not
    count."""
    answers = answers_of(outlines, verdicts).without(excluded)
    return Findings(
        decisions=tuple(_decisions(outlines, decisions)),
        reasons=_reasons(decisions.values()),
        agreement=tuple(_agreement(answers, scales)),
        preferred=tuple(_preferred(answers.votes)),
        quality=tuple(_quality(answers.scores, scales)),
        aspects=tuple(_aspects(answers.aspects)),
        judge=dict(_judge(answers, scales)),
    )


# Decisions


def _decisions(
    outlines: Sequence[Outline], decisions: Mapping[str, Decision]
) -> Iterator[GroupDecisions]:
    table = pd.DataFrame(
        [(one.mode, one.dyad, decisions[one.id].state) for one in outlines],
        columns=["mode", "dyad", "state"],
    )
    for group, own in _by_mode(table):
        counts = Counter(own["state"])
        yield GroupDecisions(
            group=group,
            units=len(own),
            states={state: counts[state] for state in STATES},
            verified=_share(own["state"] == "verified", own["dyad"]),
        )


def _reasons(decisions: Iterable[Decision]) -> dict[State, dict[str, int]]:
    """State by state, the most frequent first."""
    counts = Counter((one.state, reason) for one in decisions for reason in one.reasons)
    found: dict[State, dict[str, int]] = {}
    for state, reason in sorted(counts, key=lambda one: (one[0], -counts[one], one[1])):
        found.setdefault(state, {})[reason] = counts[state, reason]
    return found


def _disagreements(
    outlines: Iterable[Outline], decisions: Mapping[str, Decision], verdicts: Sequence[Verdict]
) -> Iterator[Disagreement]:
    found = []
    for unit in outlines:
        for votes in decisions[unit.id].votes:
            against = votes.n - votes.for_label(unit.label)
            if against:
                found.append((against / votes.n, votes, decisions[unit.id].state))
    for _, votes, state in sorted(found, key=lambda one: (-one[0], one[1].pair)):
        comments = {one.comment.strip() for one in verdicts if one.pair == votes.pair}
        yield Disagreement(state=state, votes=votes, comments=tuple(sorted(comments - {""})))


# Estimates


def _few(found: Estimate) -> Estimate:
    """Without its interval, where there are too few dyads for one."""
    if found.low is None or found.clusters >= FEWEST:
        return found
    note = f"no interval: fewer than {FEWEST} dyads"
    return Estimate(
        value=found.value, low=None, high=None, n=found.n, clusters=found.clusters, note=note
    )


def _share(hits: Iterable[bool], dyads: Iterable[str]) -> Estimate:
    points = [(dyad, float(hit)) for dyad, hit in zip(dyads, hits, strict=True)]
    return _few(accuracy_by_cluster(points) or no_estimate("none was given"))


def _mean(values: pd.Series, dyads: Iterable[str], least: float, most: float) -> Estimate:
    places = cluster_numbers(list(dyads))
    return _few(mean(values.to_numpy(float), places, least=least, most=most))


def _by_mode(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All, and each mode; a mode without an answer is left out."""
    yield "all", table
    for mode, own in table.groupby("mode"):
        yield f"mode: {mode}", own


# Votes, scores and aspects


def _preferred(votes: pd.DataFrame) -> Iterator[PreferenceShares]:
    labelled = votes[votes["label"] == "chosen"]
    groups = [("all", labelled), *list(_by_mode(votes))[1:]]
    for mode, own in labelled.groupby("mode"):
        asked = own["asked"].astype(bool)
        if not asked.all():
            groups += [(f"{mode}: asked half", own[asked]), (f"{mode}: other half", own[~asked])]
    for group, own in groups:
        counts = Counter(own["choice"])
        either = own[own["choice"].isin(("chosen", "rejected")) & (own["label"] == "chosen")]
        yield PreferenceShares(
            group=group,
            chosen=counts["chosen"],
            rejected=counts["rejected"],
            equal=counts[EQUAL],
            cannot_tell=counts[CANNOT_TELL],
            of_choices=_share(either["choice"] == "chosen", either["dyad"]),
            of_all=_share(own["choice"] == own["label"], own["dyad"]),
        )


def _quality(scores: pd.DataFrame, scales: tuple[Scale, ...]) -> Iterator[SideScores]:
    judged = scores.dropna(subset=["score"])
    for mode in sorted(set(scores["mode"])):
        for scale in scales:
            own = judged[(judged["mode"] == mode) & (judged["scale"] == scale.name)]
            sides = [own[own["first"] == first] for first in (True, False)]
            first, second = (
                _mean(side["score"], side["dyad"], scale.low, scale.high) for side in sides
            )
            both = sides[0].merge(sides[1], on=["unit", "annotator"], suffixes=("", "_second"))
            most = scale.high - scale.low
            yield SideScores(
                mode=mode,
                scale=scale.name,
                first=first,
                second=second,
                difference=_mean(both["score"] - both["score_second"], both["dyad"], -most, most),
            )


def _by_aspect(aspects: pd.DataFrame) -> pd.DataFrame:
    """A line an aspect of a pair: what more than half of its answers say, empty if there is no
    such answer; "cannot tell" left out."""
    item = ["pair", "aspect"]
    lines = aspects.assign(there=aspects["support"].isin(THERE)).groupby(item)
    found = lines.agg({"mode": "first", "dyad": "first", "there": "mean"})
    told = aspects[aspects["delivered"] != CANNOT_TELL]
    most = majorities(told, item, "delivered").reindex(found.index, fill_value="")
    return found.assign(there=found["there"] > 0.5, delivered=most).reset_index(drop=True)


def _aspects(aspects: pd.DataFrame) -> Iterator[AspectShares]:
    for group, own in _by_mode(_by_aspect(aspects)):
        said = own[own["delivered"] != ""]
        chosen, rejected = (
            _share(said["delivered"] == side, said["dyad"]) for side in ("chosen", "rejected")
        )
        supported = _share(own["there"], own["dyad"])
        yield AspectShares(group=group, supported=supported, chosen=chosen, rejected=rejected)


# The judge


def _judge(answers: Answers, scales: tuple[Scale, ...]) -> Iterator[tuple[str, Estimate]]:
    """People by their majority, "cannot tell" left out, or their mean."""

    item, told = ["pair", "aspect"], answers.aspects["delivered"] != CANNOT_TELL
    for side in ("chosen", "rejected"):
        asked = answers.aspects[told].dropna(subset=[side])
        lines = asked.assign(yes=asked["delivered"].isin((side, BOTH))).groupby(item)
        found = lines.agg({"dyad": "first", side: "first", "yes": "mean"})
        found = found[found["yes"] != 0.5]
        hits = (found[side] >= DELIVERS) == (found["yes"] > 0.5)
        yield f"an aspect is delivered by the {side} response", _share(hits, found["dyad"])
    votes = answers.votes
    voted = votes[(votes["choice"] != CANNOT_TELL) & (votes["label"] == "chosen")]
    most = majorities(voted, ["pair"], "choice")
    dyads = voted.groupby("pair")["dyad"].first()[most.isin(("chosen", "rejected"))]
    yield "the chosen response is this user's", _share(most[dyads.index] == "chosen", dyads)
    judged = answers.scores.dropna(subset=["score", "judge"])
    for scale in scales:
        lines = judged[judged["scale"] == scale.name].groupby(["unit", "response"])
        found = lines.agg({"dyad": "first", "judge": "first", "score": "mean"})
        near = (found["judge"] - found["score"].astype(float)).abs() <= 1
        yield f"{scale.name}, at most one point apart", _share(near, found["dyad"])


# Agreement


def _agreement(answers: Answers, scales: tuple[Scale, ...]) -> Iterator[QuestionAgreement]:
    """One row a question, in the order in which they are asked. "Cannot tell" and "cannot judge"
    are missing values; nothing here knows of the chosen side."""
    votes, scores, aspects = answers

    def row(
        question: str, table: pd.DataFrame, item: list[str], said: str, levels: Sequence[Level]
    ) -> QuestionAgreement:
        asked = table[table[said].isin(levels)]
        names = [" ".join(parts) for parts in zip(*(asked[name] for name in item), strict=True)]
        given = [
            (str(name), str(who), level if isinstance(level, str) else int(level))
            for name, who, level in zip(names, asked["annotator"], asked[said], strict=True)
        ]
        clusters = dict(zip(names, asked["dyad"], strict=True))
        kind: Measurement = "nominal" if said == "neutral" else "ordinal"
        found = agreement(Ratings.of(given, levels), measurement=kind, clusters=clusters)
        return QuestionAgreement(question=question, measurement=kind, agreement=found)

    for scale in scales:
        own = scores[scores["scale"] == scale.name]
        levels = range(scale.low, scale.high + 1)
        yield row(f"quality: {scale.name}", own, ["unit", "response"], "score", levels)
    yield row("preference", votes, ["pair"], "neutral", ("first", "second", EQUAL))
    yield row("aspect supported", aspects, ["pair", "aspect"], "support", SUPPORT)
    yield row(
        "aspect delivered by", aspects, ["pair", "aspect"], "neutral",
        ("first", "second", BOTH, NEITHER),
    )  # fmt: skip
