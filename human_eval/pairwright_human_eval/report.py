"""The report of a study: its figures, functions of the table of answers, and its page. All but the
decisions is estimated on all units, with 95 % intervals by pair of users."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pandas as pd

from pairwright.files import write_whole
from pairwright.lines import write_lines, write_one
from pairwright.options import RunPath
from pairwright.pages import Page, render_page
from pairwright.pages.plots import Dot, draw_panel
from pairwright.progress import Progress, Step, log_notes
from pairwright.records import Record
from pairwright.settings.rules import HumanRules
from pairwright.stats import Estimate, share
from pairwright_human_eval import decisions as rule
from pairwright_human_eval.agreement import SIDES, Agreement, annotators
from pairwright_human_eval.decisions import Decision, ReleasedStudy, share_by_dyad
from pairwright_human_eval.folder import OpenStudy, open_study
from pairwright_human_eval.records import BOTH, CANNOT_TELL, SIMULATED, State

DELIVERS = 1  # The least adherence score at which the judge finds an aspect delivered.


class GroupDecisions(Record):
    """The decisions on all, or on the units of a mode."""

    group: str
    units: int
    states: dict[State, int]
    reasons: dict[str, int]
    """Units by `state: reason`; one may have several."""
    verified: Estimate


class AnnotatorRow(Record):
    """One annotator of the first round, by pseudonym."""

    annotator: str
    excluded: bool
    answered: Estimate
    others: Estimate
    """Preference votes that are what most of the others on the pair said."""
    checks: Estimate
    repeats: Estimate


class StudyReport(Record):
    """Everything that is reported (report.json)."""

    agreement: dict[str, Agreement]
    preferred: Estimate
    of: int
    tasks: int
    answered: int
    simulated: int
    rule: HumanRules
    changed: dict[str, tuple[str, str]]
    """Numbers of the rule that are not as they were at export: then, and now."""
    decisions: tuple[GroupDecisions, ...]
    unverified: tuple[Decision, ...]
    judge: dict[str, Estimate]
    annotators: tuple[AnnotatorRow, ...]

    @property
    def excluded(self) -> list[str]:
        """Annotators below the attention floor: their answers do not count."""
        return [one.annotator for one in self.annotators if one.excluded]


@dataclass(frozen=True, slots=True)
class DecisionReport:
    """Decisions of people, and the report on them: RUN/human/report.html, .md and .json."""

    decisions: Mapping[str, Decision]
    """Decisions by unit, a twin or a pair: verified, refused, disputed or waiting, and why."""
    report: StudyReport
    to_adjudicate: int
    """Disputed units that no second round has asked about yet."""


def decide(run: RunPath, *, progress: Progress = log_notes) -> DecisionReport:
    """Decide every pair and report on the study: Markdown, JSON and an HTML page.

    The rule is [human] of RUN/config.toml: change it there and report again, to decide by another
    rule. The report then says that it is not the rule that was fixed at export.

    Raises InputError if there is no study, or its files were damaged.

        >>> decide("runs/first").to_adjudicate

    Examples::

        pairwright human report runs/first
    """
    with open_study(Path(run)) as study:
        folder = study.folder
        progress(Step("reading answers"))
        answers = study.answers()
        public = rule.published(study.fixed, study.rules, study.outlines(), answers)
        progress(Step("figures"))
        report, made = report_of(study, public, rule.table_of(answers)), public.decisions
        write_lines(folder.decisions, made.values())
        progress(Step("page"))
        page = page_of(report)
        write_one(folder.report, report)
        write_whole(folder.path / "report.md", page.markdown)
        write_whole(folder.path / "report.html", page.html)
        second = {keyed.unit for keyed in study.key.values() if keyed.round == 2}
        disputed = {name for name, one in made.items() if one.state == "disputed"}
        return DecisionReport(made, report, len(disputed - second))


def page_of(report: StudyReport) -> Page:
    """Page of the whole report, which opens with its verdict."""
    ends = {"low": None, "high": None} if report.simulated else {}
    plot = draw_panel(
        [Dot(row.group, Estimate(**dict(row.verified) | ends)) for row in report.decisions[1:]],
        unit="units that are verified, %", reference=None, ends=(-2, 102), name="states",
        caption="Units that are verified, by mode, with 95 % intervals if people answered.",
    )  # fmt: skip
    return render_page("study_report", {"states": plot}, report=report)


def report_of(study: OpenStudy, public: ReleasedStudy, answers: pd.DataFrame) -> StudyReport:
    """The report of a study. `public` is the released part, and `answers` are all of them."""
    then, rules, made = dict(study.fixed.policy), public.study.policy, public.decisions
    by_program = answers["source"].astype(str).str.startswith(SIMULATED)
    modes = dict.fromkeys(("all", *sorted({unit.mode for unit in public.outlines})))
    return StudyReport(
        agreement=public.agreement, preferred=public.preferred, of=public.study.of,
        tasks=len(study.key), answered=answers["task"].nunique(),
        simulated=answers.loc[by_program, "task"].nunique(), rule=rules,
        changed={name: (str(then[name]), str(now)) for name, now in rules if then[name] != now},
        decisions=tuple(count_decisions(mode, public) for mode in modes),
        unverified=tuple(one for one in made.values() if one.state != "verified"),
        judge=dict(judge_against_people(public)),
        annotators=tuple(_annotators(study, public, answers)),
    )  # fmt: skip


def count_decisions(group: str, public: ReleasedStudy) -> GroupDecisions:
    """The decisions on the units of a mode, or on all."""
    own = [unit for unit in public.outlines if group in ("all", unit.mode)]
    made = [public.decisions[unit.id] for unit in own]
    counts = Counter(one.state for one in made)
    reasons = Counter(f"{one.state}: {why}" for one in made for why in one.reasons)
    verified = pd.Series([one.state == "verified" for one in made])
    return GroupDecisions(
        group=group, units=len(own), states={state: counts[state] for state in get_args(State)},
        reasons=dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0]))),
        verified=share_by_dyad(verified, pd.Series([unit.dyad for unit in own])),
    )  # fmt: skip


def _annotators(
    study: OpenStudy, public: ReleasedStudy, answers: pd.DataFrame
) -> Iterator[AnnotatorRow]:
    assigned = Counter(task.annotator for task in study.key.values() if task.round == 1)
    given = answers[answers["round"] < 2].groupby("annotator")["task"].nunique()
    table = annotators(answers, public.outlines).reindex(sorted(assigned))
    table = table.assign(answered_k=given, answered_n=pd.Series(assigned)).fillna(0).astype(int)
    for who, row in table.iterrows():
        names = ("answered", "others", "checks", "repeats")
        shares = {name: share(row[f"{name}_k"], row[f"{name}_n"]) for name in names}
        yield AnnotatorRow(annotator=str(who), excluded=who in public.excluded, **shares)


def judge_against_people(public: ReleasedStudy) -> Iterator[tuple[str, Estimate]]:
    """Rate at which the judge agrees with the majority of people, or with their mean."""
    told = public.counted[public.counted["label"] != CANNOT_TELL]
    kept = {"dyad": "first", "judge": "first", "people": "mean"}
    for side in SIDES:
        rows = [
            (pair.id, str(n), score >= DELIVERS)
            for unit in public.outlines
            for pair in unit.pairs
            for n, score in enumerate(pair.adherence.get(side) or (), start=1)
        ]
        judged = pd.DataFrame(rows, columns=["pair", "item", "judge"])
        both = told[told["kind"] == "delivery"].merge(judged, on=["pair", "item"])
        both["people"] = both["label"].isin([side, BOTH])
        own = both.groupby(["pair", "item"], as_index=False).agg(kept)
        own = own[own["people"] != 0.5]
        same = own["judge"] == (own["people"] > 0.5)
        yield f"an aspect is delivered by the {side} response", share_by_dyad(same, own["dyad"])
    scores = [(unit.id, *score) for unit in public.outlines for score in unit.quality.items()]
    rated = pd.DataFrame(scores, columns=["unit", "item", "judge"])
    both = told[told["kind"] == "quality"].merge(rated, on=["unit", "item"])
    both["people"] = pd.to_numeric(both["label"], errors="coerce")
    means = both.dropna(subset="people").groupby(["unit", "item"], as_index=False).agg(kept)
    for scale in public.study.scales:
        own = means[means["item"].str.startswith(f"{scale.name} ")]
        near = (own["judge"] - own["people"]).abs() <= 1
        yield f"{scale.name}, at most one point apart", share_by_dyad(near, own["dyad"])
