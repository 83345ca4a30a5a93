"""The report of a study: its figures, functions of the table of answers, and its page.

All but the decisions is estimated on all units that people were asked about, before any decision,
with 95 % intervals by dyad of users; with fewer than five dyads there is none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pairwright.files import write_whole
from pairwright.lines import write_lines, write_one
from pairwright.modes import MODES
from pairwright.options import RunPath
from pairwright.pages import Page, render_page
from pairwright.pages.plots import GREEN, GREY, ORANGE, RED, Colour, Plot, draw_counts
from pairwright.progress import Progress, Step, log_notes
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright.stats import Estimate, share
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.decisions import decide as decide_units
from pairwright_human_eval.folder import FixedStudy, HumanFolder
from pairwright_human_eval.quality_control import (
    SIDES,
    annotators,
    checks,
    excluded_by,
    majority,
    table_of,
    votes_of,
)
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, SIMULATED, State
from pairwright_human_eval.released import Findings, counted_answers, find, share_by_dyad
from pairwright_human_eval.study import open_study
from pairwright_human_eval.units import Outline, outline_of

COLOURS: dict[State, Colour] = {
    "verified": GREEN, "refused": RED, "disputed": ORANGE, "waiting": GREY,
}  # fmt: skip
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


class StudyReport(Findings):
    """Everything that is reported (report.json)."""

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
    decisions: tuple[GroupDecisions, ...]
    judge: dict[str, Estimate]
    """By question: how often the judge and most people say the same."""
    annotators: tuple[AnnotatorRow, ...]

    @property
    def excluded(self) -> list[str]:
        """Annotators below the attention floor: their answers do not count."""
        return [one.annotator for one in self.annotators if one.excluded]


@dataclass(frozen=True, slots=True)
class DecisionReport:
    """What people decided, and the report that was written of it."""

    folder: Path
    """RUN/human: it holds report.html, report.md, report.json and decisions.jsonl."""
    decisions: Mapping[str, Decision]
    """By unit, a twin or a pair: verified, refused, disputed or waiting, and why."""
    report: StudyReport
    to_adjudicate: int
    """Disputed units that no second round has asked about yet."""


def decide(run: RunPath, *, progress: Progress = log_notes) -> DecisionReport:
    """Decide every pair and report on the study: Markdown, JSON and an HTML page with a plot.

    The rule is [human] of RUN/config.toml: change it there and report again, and the same answers
    are decided again; the report then says that it is not the rule that was fixed at export.

    Raises InputError where there is no study, or its files were damaged.

        >>> found = decide("runs/first")
        >>> Counter(decision.state for decision in found.decisions.values())
        Counter({'verified': 61, 'refused': 7, 'disputed': 4})

    Examples::

        pairwright human report runs/first
    """
    with open_study(Path(run)) as study:
        progress(Step("reading answers"))
        outlines, answers = [*map(outline_of, study.units())], table_of(study.answers())
        progress(Step("figures"))
        report, decisions = compute_report(outlines, study.fixed, answers, study.rules)
        write_lines(study.folder.decisions, decisions.values())
        progress(Step("page and plot"))
        write_report(study.folder, report)
        second = {keyed.unit for keyed in study.fixed.key.values() if keyed.round == 2}
        disputed = {name for name, made in decisions.items() if made.state == "disputed"}
        return DecisionReport(study.folder.path, decisions, report, len(disputed - second))


def write_report(folder: HumanFolder, report: StudyReport) -> None:
    """Write report.json, report.md and report.html: the same report gives the same bytes. Raises
    StoreError if they cannot be written."""
    page = page_of(report)
    write_one(folder.path / "report.json", report)
    write_whole(folder.path / "report.md", page.markdown)
    write_whole(folder.path / "report.html", page.html)


def page_of(report: StudyReport) -> Page:
    """The whole report, which opens with its verdict."""
    return render_page("study_report", _plots(report), report=report, modes=MODES)


def _plots(report: StudyReport) -> dict[str, Plot]:
    bars = {row.group: {str(one): n for one, n in row.states.items()} for row in report.decisions}
    colours = {str(state): colour for state, colour in COLOURS.items()}
    states = draw_counts(
        bars, colours, unit="Share of the twins and pairs", name="states",
        caption="What was decided, by mode: numbers in the bars are counts.",
    )  # fmt: skip
    return {"states": states}


# Figures


def compute_report(
    outlines: Sequence[Outline], fixed: FixedStudy, answers: pd.DataFrame, rules: HumanRules
) -> tuple[StudyReport, dict[str, Decision]]:
    """The report of a study, and its decisions. `rules` is in force."""
    study, key = fixed
    excluded = excluded_by(checks(answers, outlines), rules.attention_floor)
    decisions = decide_units(outlines, answers, rules, excluded)
    then, now = dict(study.policy), dict(rules)
    by_program = answers["source"].astype(str).str.startswith(SIMULATED)
    report = StudyReport(
        **dict(find(outlines, answers, study.scales, excluded)),
        version=study.version,
        of=study.of,
        tasks=len(key),
        answered=answers["task"].nunique(),
        simulated=answers.loc[by_program, "task"].nunique(),
        rule=rules,
        changed={
            name: (str(then[name]), str(now[name])) for name in now if then[name] != now[name]
        },
        decisions=tuple(_decisions(outlines, decisions)),
        judge=dict(
            judge_against_people(
                counted_answers(outlines, answers, excluded), outlines, study.scales
            )
        ),
        annotators=tuple(_annotators(fixed, answers, outlines, excluded)),
    )
    return report, decisions


def _decisions(
    outlines: Sequence[Outline], decisions: Mapping[str, Decision]
) -> Iterator[GroupDecisions]:
    for group in ("all", *sorted({unit.mode for unit in outlines})):
        own = [unit for unit in outlines if group in ("all", unit.mode)]
        made = [decisions[unit.id] for unit in own]
        counts = Counter(one.state for one in made)
        reasons = Counter(f"{one.state}: {why}" for one in made for why in one.reasons)
        verified = pd.Series([one.state == "verified" for one in made])
        yield GroupDecisions(
            group=group,
            units=len(own),
            states={state: counts[state] for state in COLOURS},
            reasons=dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0]))),
            verified=share_by_dyad(verified, pd.Series([unit.dyad for unit in own])),
        )


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


def judge_against_people(
    counted: pd.DataFrame, outlines: Sequence[Outline], scales: tuple[Scale, ...]
) -> Iterator[tuple[str, Estimate]]:
    """How often the judge says what people say by their majority, "cannot tell" left out, or by
    their mean."""
    told = counted[counted["label"] != CANNOT_TELL]
    judged = pd.DataFrame(
        [
            (pair.id, str(n), side, score >= DELIVERS)
            for unit in outlines
            for pair in unit.pairs
            for side, scores in pair.adherence.items()
            for n, score in enumerate(scores, start=1)
        ],
        columns=["pair", "item", "side", "judge"],
    )
    both = told[told["kind"] == "delivery"].merge(judged, on=["pair", "item"])
    both["people"] = (both["label"] == both["side"]) | (both["label"] == BOTH)
    about = both.groupby(["side", "pair", "item"], as_index=False)
    aspects = about.agg({"dyad": "first", "judge": "first", "people": "mean"})
    aspects = aspects[aspects["people"] != 0.5]
    for side in SIDES:
        own = aspects[aspects["side"] == side]
        hits = own["judge"] == (own["people"] > 0.5)
        yield f"an aspect is delivered by the {side} response", share_by_dyad(hits, own["dyad"])
    votes = votes_of(told)
    by_pair = (
        votes[votes["expected"] != EQUAL].groupby("pair").agg({"dyad": "first", "label": list})
    )
    most = by_pair["label"].map(lambda labels: majority(Counter(labels)))
    sure = most.isin(SIDES)
    yield (
        "the chosen response is this user's",
        share_by_dyad(most[sure] == "chosen", by_pair["dyad"][sure]),
    )
    rows = [(unit.id, item, score) for unit in outlines for item, score in unit.quality.items()]
    scored = told[told["kind"] == "quality"].merge(
        pd.DataFrame(rows, columns=["unit", "item", "judge"]), on=["unit", "item"]
    )
    scored["label"] = pd.to_numeric(scored["label"], errors="coerce")
    about = scored.dropna(subset="label").groupby(["unit", "item"], as_index=False)
    means = about.agg({"dyad": "first", "judge": "first", "label": "mean"})
    for scale in scales:
        own = means[means["item"].str.startswith(f"{scale.name} ")]
        near = (own["judge"] - own["label"]).abs() <= 1
        yield f"{scale.name}, at most one point apart", share_by_dyad(near, own["dyad"])
