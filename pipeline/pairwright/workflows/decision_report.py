"""Deciding every pair of a study by its rule, and reporting on the study."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pairwright.dataset import write_lines
from pairwright.options import RunPath
from pairwright.workflows.progress import Progress, Step, log_notes
from pairwright.workflows.study import open_study
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.looks import take_look
from pairwright_human_eval.report import StudyReport, compute_report, write_report
from pairwright_human_eval.subjects import outlines_of


@dataclass(frozen=True, slots=True)
class DecisionReport:
    """What people decided, and the report that was written of it."""

    folder: Path
    """RUN/human: it holds report.html, report.md, report.json and decisions.jsonl."""
    decisions: Mapping[str, Decision]
    """By subject, a twin or a pair: verified, refused, disputed or waiting, and why."""
    report: StudyReport
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
    with open_study(Path(run)) as study:
        progress(Step("reading answers"))
        subjects, answers = study.subjects(), study.answers()
        decisions = study.decide(subjects, answers.verdicts)
        write_lines(study.folder.decisions, decisions.values())
        looks = take_look(
            study.folder, study.fixed, outlines_of(subjects, study.fixed.key), answers.verdicts,
            study.excluded(answers.verdicts),
        )  # fmt: skip
        report = compute_report(
            subjects, study.fixed, answers.verdicts, answers.set_aside, study.rules, looks=looks,
            rest=study.not_sampled(), step=lambda name: progress(Step(name)),
        )  # fmt: skip
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
