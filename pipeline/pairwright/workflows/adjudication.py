"""A second round of what a study left disputed."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pairwright.errors import InputError
from pairwright.options import Doc, RunPath
from pairwright.workflows.study import OpenStudy, ToolOfAnnotators, open_study
from pairwright_human_eval import SERVER_TOOL
from pairwright_human_eval.records import Verdict, pseudonyms
from pairwright_human_eval.second_round import add_adjudication, adjudication_tasks, given_parts
from pairwright_human_eval.sheets import write_sheets
from pairwright_human_eval.study_files import read_study


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
    tool: ToolOfAnnotators = SERVER_TOOL,
) -> AdjudicationExport:
    """Write tasks of a second round on the disputed pairs.

    `adjudicators` is the number of people who took no part in the first round: as many as the rule
    asks for further votes, unless `by` names annotators of the first round who get what others were
    given. Tasks that exist stay as they are. With the `tool` `spreadsheet` there is also a CSV file
    for each adjudicator.

    Raises InputError where there is no study, or for an annotator who cannot adjudicate.

        >>> export_adjudication("runs/first", adjudicators=8).added
        84
    """
    with open_study(Path(run)) as study:
        subjects, answers = study.subjects(), study.answers()
        verdicts, named = answers.verdicts, tuple(dict.fromkeys(by))
        decisions, excluded = study.decide(subjects, verdicts), study.excluded(verdicts)
        names = _adjudicators(study, adjudicators, named, excluded)
        voted = dict(answers.voted)
        for name in named:
            voted[name] = voted.get(name, frozenset()) | _first_round(study, name)
        earlier: dict[str, list[Verdict]] = {}
        for verdict in verdicts:
            earlier.setdefault(verdict.subject, []).append(verdict)
        tasks, short = adjudication_tasks(
            subjects, decisions, earlier, study.fixed.study, study.config.planner, study.rules,
            names, excluded, voted, given_parts(study.folder, voted),
        )  # fmt: skip
        added = add_adjudication(study.folder, study.fixed.study, tasks)
        if tool == "spreadsheet":
            write_sheets(study.folder, read_study(study.folder), 2)
        return AdjudicationExport(
            folder=study.folder.path / "adjudication",
            disputed=sum(d.state == "disputed" for d in decisions.values()),
            waiting=sum(d.state == "waiting" for d in decisions.values()),
            added=added,
            adjudicators=tuple(name for name, assigned in tasks.items() if assigned),
            left=tuple(short),
        )


def _adjudicators(
    study: OpenStudy, outside: int | None, by: tuple[str, ...], excluded: frozenset[str]
) -> tuple[str, ...]:
    """Their pseudonyms. Raises InputError for one who cannot adjudicate."""
    annotators = study.fixed.study.annotators
    for name in by:
        if name not in annotators:
            raise InputError(
                f"{name!r} is not an annotator of this study",
                where="--by",
                fix=f"Name one of {', '.join(annotators)}.",
            )
        if name in excluded:
            raise InputError(
                f"{name} is excluded by attention checks, and none of their answers counts",
                where="--by",
                fix="Name somebody else.",
            )
    if outside is None:
        outside = 0 if by else study.rules.closing_votes
    return (*pseudonyms(outside, "adjudicator"), *by)


def _first_round(study: OpenStudy, annotator: str) -> frozenset[str]:
    """The subjects that an annotator was given in the first round, answered or not."""
    return frozenset(
        keyed.subject
        for keyed in study.fixed.key.values()
        if keyed.round == 1 and keyed.annotator == annotator
    )
