"""Deciding every pair of a study by its rule, reporting on the study, and a second round of what is
disputed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pairwright.dataset import write_lines
from pairwright.errors import InputError
from pairwright.options import Doc, RunPath
from pairwright.workflows.progress import Progress, Step, log_notes
from pairwright.workflows.study import OpenStudy, Tool, open_study
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import Verdict, pseudonyms
from pairwright_human_eval.second_round import add_adjudication, adjudication_tasks, given_parts
from pairwright_human_eval.spreadsheets import write_sheets
from pairwright_human_eval.study_files import withdrawn_people

if TYPE_CHECKING:
    from pairwright_human_eval.report import StudyReport


@dataclass(frozen=True, slots=True)
class DecisionReport:
    """What people decided, and the report that was written of it."""

    folder: Path
    """RUN/human: it holds report.html, report.md, report.json and decisions.jsonl."""
    decisions: Mapping[str, Decision]
    """By subject, a twin or a pair: verified, refused, disputed or waiting, and why."""
    report: "StudyReport"
    """Agreement, claims and annotators, with their intervals."""
    to_adjudicate: int
    """Disputed subjects that no second round has asked about yet."""


def decide(run: RunPath, *, progress: Progress = log_notes) -> DecisionReport:
    """Decide every pair of a run's study, and write the report as Markdown, JSON and HTML.

    The rule is [human] of RUN/config.toml. After it is changed there, the same answers are decided
    again, and the report says that it is not the rule that was fixed at export. All claims are
    estimated on all sampled pairs, before decisions.

    Raises InputError where there is no study, or its files were damaged.

        >>> found = decide("runs/first")
        >>> Counter(decision.state for decision in found.decisions.values())
        Counter({'verified': 61, 'refused': 7, 'disputed': 4})
    """
    # pandas and matplotlib: half of the time of every other command on a study.
    from pairwright_human_eval.report import compute_report, write_report

    with open_study(Path(run)) as study:
        progress(Step("reading answers"))
        subjects, answers = study.subjects(), study.write_answers()
        decisions = study.decide(subjects, answers.verdicts)
        write_lines(study.folder.decisions, decisions.values())
        progress(Step("figures"))
        report = compute_report(subjects, study.fixed, answers.verdicts, study.rules)
        progress(Step("pages and plots"))
        write_report(study.folder, report)
        second = {keyed.subject for keyed in study.fixed.key.values() if keyed.round == 2}
        return DecisionReport(
            folder=study.folder.path,
            decisions=decisions,
            report=report,
            to_adjudicate=sum(
                decision.state == "disputed" and decision.subject not in second
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
    """Disputed subjects that more adjudicators are needed for."""
    sheets: tuple[Path, ...] = ()
    """The files to fill in, one an adjudicator, where people have such."""


def export_adjudication(
    run: RunPath,
    *,
    adjudicators: Annotated[
        int | None,
        Doc(
            "How many adjudicators there are who took no part in the first round.",
            "N",
            least=1,
            most=99,
        ),
    ] = None,
    by: Annotated[
        Iterable[str],
        Doc(
            "An annotator of the first round who adjudicates what others were given; may be given"
            " more than once.",
            "NAME",
        ),
    ] = (),
    tool: Annotated[
        Tool | None,
        Doc("What adjudicators work with [as the annotators]; a spreadsheet is a file of theirs."),
    ] = None,
) -> AdjudicationExport:
    """Write tasks of a second round on the disputed pairs.

    `adjudicators` is the number of people who took no part in the first round: as many as the rule
    asks for further votes, unless `by` names annotators of the first round who get what others were
    given. Tasks that exist stay as they are. Where people fill in files with the `tool`, or
    annotators of the study do, there is also one for each adjudicator.

    Raises InputError where there is no study, or for an annotator who cannot adjudicate.

        >>> export_adjudication("runs/first", adjudicators=8).added
        84
    """
    with open_study(Path(run)) as study:
        subjects, answers = study.subjects(), study.answers()
        verdicts, named = answers.verdicts, tuple(dict.fromkeys(by))
        decisions, excluded = study.decide(subjects, verdicts), study.excluded(verdicts)
        names = _adjudicators(study, adjudicators, named, excluded)
        # What people were given in the first round, answered or not, they cannot judge again.
        given: dict[str, set[str]] = {}
        for keyed in study.fixed.key.values():
            if keyed.round == 1:
                given.setdefault(keyed.annotator, set()).add(keyed.subject)
        earlier: dict[str, list[Verdict]] = {}
        for verdict in verdicts:
            earlier.setdefault(verdict.subject, []).append(verdict)
        tasks, short = adjudication_tasks(
            subjects, decisions, earlier, study.fixed.study, study.config.planner, study.rules,
            names, excluded, given, given_parts(study.folder),
        )  # fmt: skip
        added = add_adjudication(study.folder, study.fixed.study, tasks)
        in_sheets = tool == "spreadsheet" or (tool is None and study.folder.sheets.exists())
        sheets = write_sheets(study.folder, 2) if in_sheets and added else ()
        return AdjudicationExport(
            folder=study.folder.path / "adjudication",
            disputed=sum(d.state == "disputed" for d in decisions.values()),
            waiting=sum(d.state == "waiting" for d in decisions.values()),
            added=added,
            adjudicators=tuple(name for name, assigned in tasks.items() if assigned),
            left=tuple(short),
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
