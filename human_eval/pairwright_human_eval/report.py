"""Every figure of a study's report.

`Findings` is what the answers of a study say, which a release, too, can derive; `StudyReport` adds
what only the study's key says. All but the decisions is estimated on all units that people were
asked about, before any decision, with 95 % intervals by dyad of users; with fewer than five dyads
there is none.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright.stats import Estimate, accuracy_by_cluster, no_estimate, share
from pairwright_human_eval.agreement import FEWEST, Agreement, Measurement, agreement
from pairwright_human_eval.checks import SIDES, annotators, checks, entries, excluded_by, votes_of
from pairwright_human_eval.decisions import Decision, Votes, decide
from pairwright_human_eval.folder import FixedStudy
from pairwright_human_eval.records import (
    BOTH,
    CANNOT_TELL,
    EQUAL,
    NEITHER,
    SIMULATED,
    SUPPORT,
    State,
)
from pairwright_human_eval.units import Outline

STATES: tuple[State, ...] = ("verified", "refused", "disputed", "waiting")
DELIVERS = 1
"""The least adherence score at which the judge finds an aspect delivered."""


class GroupDecisions(Record):
    """The decisions on all, or on the units of a mode."""

    group: str
    units: int
    states: dict[State, int]
    reasons: dict[str, int]
    """How many units are in a state for a reason, as `state: reason`; one may have several."""
    verified: Estimate


class QuestionAgreement(Record):
    """How far annotators agree on one question."""

    question: str
    measurement: Measurement
    agreement: Agreement

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's, ordinal if the answers have an order."""
        nominal = self.measurement == "nominal"
        return self.agreement.alpha_nominal if nominal else self.agreement.alpha_ordinal


class Findings(Record):
    """What the answers say: a function of answers, outlines and rules."""

    decisions: tuple[GroupDecisions, ...]
    agreement: tuple[QuestionAgreement, ...]
    preferred: Estimate
    """Votes for the chosen response, of those for either; placebos, whose chosen one is drawn, are
    left out."""
    judge: dict[str, Estimate]
    """By question: how often the judge and most people say the same."""


class AnnotatorRow(Record):
    """One annotator of the first round, by pseudonym."""

    annotator: str
    excluded: bool
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
    """Units of the run, of which those asked about were drawn."""
    tasks: int
    answered: int
    simulated: int
    """Tasks that a program answered."""
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
    outlines: Sequence[Outline], fixed: FixedStudy, answers: pd.DataFrame, rules: HumanRules
) -> tuple[StudyReport, dict[str, Decision]]:
    """The report of a study, and its decisions. `rules` is in force."""
    study, key = fixed
    excluded = excluded_by(checks(answers, outlines), rules.attention_floor)
    decisions = decide(outlines, answers, rules, excluded)
    then, now = dict(study.policy), dict(rules)
    found = find(outlines, answers, study.scales, decisions=decisions, excluded=excluded)
    by_program = answers["source"].astype(str).str.startswith(SIMULATED)
    report = StudyReport(
        **dict(found),
        version=study.version,
        of=study.of,
        tasks=len(key),
        answered=answers["task"].nunique(),
        simulated=answers.loc[by_program, "task"].nunique(),
        rule=rules,
        changed={
            name: (str(then[name]), str(now[name])) for name in now if then[name] != now[name]
        },
        annotators=tuple(_annotators(fixed, answers, outlines, excluded)),
        disagreements=tuple(_disagreements(outlines, decisions, answers)),
    )
    return report, decisions


def find(
    outlines: Sequence[Outline],
    answers: pd.DataFrame,
    scales: tuple[Scale, ...],
    *,
    decisions: Mapping[str, Decision],
    excluded: Iterable[str],
) -> Findings:
    """Estimates on all `outlines`. `excluded` are annotators whose answers do not count."""
    counted = answers[(answers["round"] == 1) & ~answers["annotator"].isin(list(excluded))]
    about = pd.DataFrame(
        [(unit.id, unit.mode, unit.dyad, unit.label) for unit in outlines],
        columns=["unit", "mode", "dyad", "expected"],
    )
    joined = counted.merge(about, on="unit")
    return Findings(
        decisions=tuple(_decisions(outlines, decisions)),
        agreement=tuple(study_agreement(joined, scales)),
        preferred=_preferred(joined),
        judge=dict(judge_against_people(joined, outlines, scales)),
    )


# Decisions


def _decisions(
    outlines: Sequence[Outline], decisions: Mapping[str, Decision]
) -> Iterator[GroupDecisions]:
    modes = sorted({unit.mode for unit in outlines})
    for group in ("all", *modes):
        own = [unit for unit in outlines if group in ("all", unit.mode)]
        made = [decisions[unit.id] for unit in own]
        counts = Counter(one.state for one in made)
        reasons = Counter(f"{one.state}: {why}" for one in made for why in one.reasons)
        yield GroupDecisions(
            group=group,
            units=len(own),
            states={state: counts[state] for state in STATES},
            reasons=dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0]))),
            verified=_share([one.state == "verified" for one in made], [unit.dyad for unit in own]),
        )


def _disagreements(
    outlines: Iterable[Outline], decisions: Mapping[str, Decision], answers: pd.DataFrame
) -> Iterator[Disagreement]:
    written = answers[answers["kind"] == "comment"].groupby("pair")["label"].agg(set)
    found = []
    for unit in outlines:
        for votes in decisions[unit.id].votes:
            if against := votes.n - votes.for_label(unit.label):
                found.append((against / votes.n, votes, decisions[unit.id].state))
    for _, votes, state in sorted(found, key=lambda one: (-one[0], one[1].pair)):
        comments = tuple(sorted(written.get(votes.pair, ())))
        yield Disagreement(state=state, votes=votes, comments=comments)


def _annotators(
    fixed: FixedStudy,
    answers: pd.DataFrame,
    outlines: Iterable[Outline],
    excluded: frozenset[str],
) -> Iterator[AnnotatorRow]:
    assigned = Counter(task.annotator for task in fixed.key.values() if task.round == 1)
    given = answers[answers["round"] < 2].groupby("annotator")["task"].nunique()
    table = annotators(answers, outlines).reindex(sorted(assigned), fill_value=0)
    for who, row in table.iterrows():
        yield AnnotatorRow(
            annotator=str(who),
            excluded=who in excluded,
            answered=share(int(given.get(who, 0)), assigned[str(who)]),
            with_others=share(int(row["others_k"]), int(row["others_n"])),
            attention=share(int(row["checks_k"]), int(row["checks_n"])),
            repeats=share(int(row["repeats_k"]), int(row["repeats_n"])),
        )


# Votes and judge


def _share(hits: Iterable[bool], dyads: Iterable[str]) -> Estimate:
    """The share of hits with its interval by dyad, if there are enough dyads for one."""
    points = [(dyad, float(hit)) for dyad, hit in zip(dyads, hits, strict=True)]
    found = accuracy_by_cluster(points)
    if found is None:
        return no_estimate("none was given")
    few = found.clusters < FEWEST
    return Estimate(
        value=found.value, low=None if few else found.low, high=None if few else found.high,
        n=found.n, clusters=found.clusters,
        note=f"no interval: fewer than {FEWEST} dyads" if few else "",
    )  # fmt: skip


def _preferred(joined: pd.DataFrame) -> Estimate:
    votes = votes_of(joined)
    either = votes[votes["label"].isin(SIDES) & (votes["expected"] != EQUAL)]
    return _share(either["label"] == "chosen", either["dyad"])


def judge_against_people(
    joined: pd.DataFrame, outlines: Iterable[Outline], scales: tuple[Scale, ...]
) -> Iterator[tuple[str, Estimate]]:
    """How often the judge says what people say by their majority, "cannot tell" left out, or by
    their mean."""
    outlines = list(outlines)
    delivery = joined[(joined["kind"] == "delivery") & (joined["label"] != CANNOT_TELL)]
    for side in SIDES:
        scores = {
            (pair.id, str(n)): score
            for unit in outlines
            for pair in unit.pairs
            for name, given in pair.adherence.items()
            if name == side
            for n, score in enumerate(given, start=1)
        }
        lines = delivery.assign(yes=delivery["label"].isin((side, BOTH)))
        found = lines.groupby(["pair", "item"]).agg({"dyad": "first", "yes": "mean"})
        found = found[(found["yes"] != 0.5) & found.index.isin(scores)]
        hits = [(scores[item] >= DELIVERS) == (yes > 0.5) for item, yes in entries(found["yes"])]
        yield f"an aspect is delivered by the {side} response", _share(hits, found["dyad"])
    votes = votes_of(joined)
    voted = votes[(votes["label"] != CANNOT_TELL) & (votes["expected"] != EQUAL)]
    counts = voted.groupby("pair")["label"].agg(lambda given: _most(given, SIDES))
    most = counts[counts != ""]
    dyads = voted.groupby("pair")["dyad"].first().reindex(most.index)
    yield "the chosen response is this user's", _share(most == "chosen", dyads)
    judged = {(unit.id, item): n for unit in outlines for item, n in unit.quality.items()}
    scored = _scores(joined)
    for scale in scales:
        own = scored[scored["item"].str.startswith(f"{scale.name} ")]
        found = own.groupby(["unit", "item"]).agg({"dyad": "first", "score": "mean"})
        found = found[found.index.isin(judged)]
        near = [abs(judged[item] - mean) <= 1 for item, mean in entries(found["score"])]
        yield f"{scale.name}, at most one point apart", _share(near, found["dyad"])


def _most(given: pd.Series, among: Iterable[str]) -> str:
    """The label of more than half, if it is one of some; else empty."""
    counts = given.value_counts()
    label = str(counts.index[0])
    return label if 2 * counts.iloc[0] > len(given) and label in among else ""


def _scores(joined: pd.DataFrame) -> pd.DataFrame:
    own = joined[joined["kind"] == "quality"]
    return own.assign(score=pd.to_numeric(own["label"], errors="coerce")).dropna(subset=["score"])


# Agreement


def study_agreement(joined: pd.DataFrame, scales: tuple[Scale, ...]) -> Iterator[QuestionAgreement]:
    """One row a question, in the order in which they are asked. "Cannot tell" and "cannot judge"
    are missing values; nothing here knows which response is chosen."""

    def row(
        question: str,
        own: pd.DataFrame,
        about: list[str],
        levels: Sequence[object],
        kind: Measurement,
    ) -> QuestionAgreement:
        item = own[about].agg(" ".join, axis=1) if len(own) else own["item"]
        table = pd.DataFrame(
            {"item": item, "annotator": own["annotator"], "label": own["label"],
             "cluster": own["dyad"]}
        )  # fmt: skip
        found = agreement(table, levels, kind)
        return QuestionAgreement(question=question, measurement=kind, agreement=found)

    scored = _scores(joined)
    scored = scored.assign(label=scored["score"].astype(int))
    for scale in scales:
        own = scored[scored["item"].str.startswith(f"{scale.name} ")]
        levels = range(scale.low, scale.high + 1)
        yield row(f"quality: {scale.name}", own, ["unit", "item"], levels, "ordinal")
    neutral = joined.assign(label=_neutral(joined))
    by_kind = {kind: neutral[neutral["kind"] == kind] for kind in ("preference", "delivery")}
    sides = ("one", "other")
    yield row("preference", by_kind["preference"], ["pair"], (*sides, EQUAL), "nominal")
    supported = joined[joined["kind"] == "support"]
    yield row("aspect supported", supported, ["pair", "item"], SUPPORT, "ordinal")
    delivered = (*sides, BOTH, NEITHER)
    yield row("aspect delivered by", by_kind["delivery"], ["pair", "item"], delivered, "nominal")


def _neutral(joined: pd.DataFrame) -> pd.Series:
    """Labels that name a response without its side, by a draw for each pair: what people agree on
    by chance must not depend on how often they are right."""
    drawn = {
        pair: hashlib.sha256(str(pair).encode()).digest()[0] % 2 for pair in set(joined["pair"])
    }
    names = {("chosen", 0): "one", ("rejected", 0): "other", ("chosen", 1): "other"}
    names[("rejected", 1)] = "one"
    return pd.Series(
        [
            names.get((label, drawn[pair]), label)
            for pair, label in zip(joined["pair"], joined["label"], strict=True)
        ],
        index=joined.index,
        dtype=object,
    )
