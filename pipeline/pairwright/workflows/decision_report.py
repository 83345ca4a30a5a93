"""Deciding every pair of a study by its rule, reporting on the study, and a second round of what is
disputed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from pairwright.dataset import write_lines
from pairwright.errors import InputError
from pairwright.options import RunPath
from pairwright.progress import Progress, Step, log_notes
from pairwright.workflows.study import OpenStudy, Tool, open_study
from pairwright_human_eval.folder import withdrawn_people
from pairwright_human_eval.records import pseudonyms
from pairwright_human_eval.second_round import SecondRound, add_adjudication, given_parts
from pairwright_human_eval.spreadsheets import write_sheets
from pairwright_human_eval.units import outline_of

if TYPE_CHECKING:
    from pairwright_human_eval.decisions import Decision
    from pairwright_human_eval.report import StudyReport


@dataclass(frozen=True, slots=True)
class DecisionReport:
    """What people decided, and the report that was written of it."""

    folder: Path
    """RUN/human: it holds report.html, report.md, report.json and decisions.jsonl."""
    decisions: Mapping[str, "Decision"]
    """By unit, a twin or a pair: verified, refused, disputed or waiting, and why."""
    report: "StudyReport"
    """Agreement, claims and annotators, with their intervals."""
    to_adjudicate: int
    """Disputed units that no second round has asked about yet."""


def decide(run: RunPath, *, progress: Progress = log_notes) -> DecisionReport:
    """Decide every pair and report on the study: Markdown, JSON and an HTML page with plots.

    All claims are estimated on all sampled pairs, before decisions. The rule is [human] of
    RUN/config.toml: change it there and report again, and the same answers are decided again; the
    report then says that it is not the rule that was fixed at export.

    Raises InputError where there is no study, or its files were damaged.

        >>> found = decide("runs/first")
        >>> Counter(decision.state for decision in found.decisions.values())
        Counter({'verified': 61, 'refused': 7, 'disputed': 4})

    Examples::

        pairwright human report runs/first
    """
    # pandas and matplotlib: half of the time of every other command on a study.
    from pairwright_human_eval.checks import table_of
    from pairwright_human_eval.report import compute_report, write_report

    with open_study(Path(run)) as study:
        progress(Step("reading answers"))
        outlines, answers = [*map(outline_of, study.units())], table_of(study.answers())
        progress(Step("figures"))
        report, decisions = compute_report(outlines, study.fixed, answers, study.rules)
        write_lines(study.folder.decisions, decisions.values())
        progress(Step("pages and plots"))
        write_report(study.folder, report)
        second = {keyed.unit for keyed in study.fixed.key.values() if keyed.round == 2}
        return DecisionReport(
            folder=study.folder.path,
            decisions=decisions,
            report=report,
            to_adjudicate=sum(
                decision.state == "disputed" and decision.unit not in second
                for decision in decisions.values()
            ),
        )


@dataclass(frozen=True, slots=True)
class AdjudicationExport:
    """A second round of what the first left disputed."""

    folder: Path
    """RUN/human/adjudication, with a file for each adjudicator and kind."""
    disputed: int
    """Twins and pairs."""
    waiting: int
    """Twins and pairs that wait for answers of the first round."""
    added: int
    """Tasks that were not there before."""
    adjudicators: tuple[str, ...]
    """Pseudonyms of those who have a task."""
    left: tuple[str, ...]
    """Disputed units that more adjudicators are needed for."""
    sheets: tuple[Path, ...] = ()
    """The files to fill in, one an adjudicator, where people have such."""


def export_adjudication(
    run: RunPath,
    *,
    adjudicators: Annotated[
        int | None, Option(help="How many new people adjudicate.", metavar="N", min=1, max=99)
    ] = None,
    by: Annotated[
        Iterable[str], Option(help="An annotator who adjudicates, too; repeatable.", metavar="NAME")
    ] = (),
    tool: Annotated[Tool | None, Option(help="What they work with [as before].")] = None,
) -> AdjudicationExport:
    """Write tasks of a second round on the disputed pairs.

    Without an option there are as many adjudicators as vote on each pair. Importing or pulling
    their answers closes the disputes. Running it again adds what has become disputed since, and
    leaves existing tasks alone. Nobody adjudicates what they answered in the first round.

    Raises InputError where there is no study, or for an annotator who cannot adjudicate.

    Examples::

        pairwright human adjudicate runs/first
        pairwright human push runs/first --round 2 --url URL
        pairwright human adjudicate runs/first --adjudicators 8 --by annotator-03
    """
    from pairwright_human_eval.checks import checks, excluded_by, table_of
    from pairwright_human_eval.decisions import decide as decide_units

    with open_study(Path(run)) as study:
        units, answers, rules = study.units(), study.answers(), study.rules
        outlines, table = [*map(outline_of, units)], table_of(answers)
        excluded = excluded_by(checks(table, outlines), rules.attention_floor)
        decisions = decide_units(outlines, table, rules, excluded)
        # What people were given in the first round, answered or not, they cannot judge again.
        given: dict[str, set[str]] = {}
        for keyed in study.fixed.key.values():
            if keyed.round == 1:
                given.setdefault(keyed.annotator, set()).add(keyed.unit)
        names = _adjudicators(study, adjudicators, tuple(dict.fromkeys(by)), excluded)
        second = SecondRound(
            study.fixed.study, study.config.planner, rules, names, given, given_parts(study.folder)
        )
        second.deal(units, decisions, [one for one in answers if one.annotator not in excluded])
        tasks = second.tasks
        added = add_adjudication(study.folder, study.fixed.study, tasks)
        in_sheets = tool == "spreadsheet" or (tool is None and study.folder.sheets.exists())
        sheets = write_sheets(study.folder, 2) if in_sheets and added else ()
        return AdjudicationExport(
            folder=study.folder.path / "adjudication",
            disputed=sum(d.state == "disputed" for d in decisions.values()),
            waiting=sum(d.state == "waiting" for d in decisions.values()),
            added=added,
            adjudicators=tuple(name for name, assigned in tasks.items() if assigned),
            left=tuple(second.short),
            sheets=sheets,
        )


def _adjudicators(
    study: OpenStudy, outside: int | None, by: tuple[str, ...], excluded: frozenset[str]
) -> tuple[str, ...]:
    """Their pseudonyms. Raises InputError for one who cannot adjudicate."""
    annotators, away = study.fixed.study.annotators, withdrawn_people(study.folder)
    for name in by:
        if name not in annotators:
            raise InputError(
                f"{name!r} is not an annotator of this study",
                where="--by",
                fix=f"Name one of {', '.join(annotators)}.",
            )
        if name in away:
            raise InputError(
                f"{name} has withdrawn from this study", where="--by", fix="Name somebody else."
            )
        if name in excluded:
            raise InputError(
                f"{name} is excluded by attention checks, and none of their answers counts",
                where="--by",
                fix="Name somebody else.",
            )
    if outside is None:
        outside = 0 if by else study.rules.closing_votes
    names = pseudonyms(outside + len(away), "adjudicator")
    return (*[name for name in names if name not in away][:outside], *by)
