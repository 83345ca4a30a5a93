"""Blind tasks for people: those of a study."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Annotated

from pairwright.construct.folder import RunFolder
from pairwright.dataset import write_lines
from pairwright.errors import InputError
from pairwright.modes import Mode, is_twin, verified_modes
from pairwright.options import Doc, RunPath
from pairwright.workflows.own_tasks import export_own
from pairwright.workflows.study import (
    FormLanguage,
    ToolOfAnnotators,
    check_to_verify,
    new_study,
    run_subjects,
)
from pairwright.workflows.text_screening import Screened, ScreenedSubject, screen_subjects
from pairwright_human_eval.assign import control_power, control_subjects
from pairwright_human_eval.attention import (
    FEWEST_CHECKS,
    nonreader_pass,
    pass_rate,
    possible_checks,
)
from pairwright_human_eval.foils import FoilSigns, foil_signs
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.own_choices import OwnExport, is_due
from pairwright_human_eval.records import LATER, OWN, Kind, Study
from pairwright_human_eval.study_files import write_study
from pairwright_human_eval.study_tasks import make_tasks, planned
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.subjects import sample as draw
from pairwright_human_eval.tasks import Task
from pairwright_human_eval.tools import SERVER_TOOL, SHEETS, write_sheets


@dataclass(frozen=True, slots=True)
class AttentionPower:
    """What the attention checks of a study can notice, where all votes on twins become checks."""

    fewest: int
    """Checks of the annotator who has fewest."""
    most: int
    nonreader: float
    """The probability that an annotator who does not read the posts passes the floor, where it is
    greatest."""
    reader: float
    """The probability that an annotator who is right in 95 % of the checks passes it, where it is
    least."""


@dataclass(frozen=True, slots=True)
class StrangerPower:
    """What the wrong-profile control of a study can show."""

    subjects: int
    power: float
    """The probability to show that strangers' posts tell nothing, if all people choose, and the
    chosen response in 50 %."""


@dataclass(frozen=True, slots=True)
class TaskExport:
    """A study that was written, ready for annotators."""

    folder: Path
    """RUN/human: its files load into any Label Studio; `private` in it is not for annotators."""
    guidelines: Path
    """What annotators read first. Its end is to be filled in."""
    new: bool
    """False where the same study was exported before."""
    study: Study
    """What the study fixed: its rule, annotators and scales."""
    units: Mapping[Mode, int]
    """By mode: what is verified as one, twins or single pairs."""
    tasks: Mapping[tuple[Kind, str], int]
    """Tasks by kind and purpose."""
    workloads: Mapping[str, int]
    """The tasks of each annotator, by name."""
    attention: AttentionPower | None
    """None where no vote can be an attention check: without twins, or with one vote on a half."""
    foils: FoilSigns | None
    """By what foils could be told from the aspects beside them; None without foils."""
    stranger: StrangerPower | None
    """None where no pair is shown with a stranger's posts."""
    sheets: tuple[Path, ...] = ()
    """The files to fill in, one an annotator, where the tool has such."""
    screened: Mapping[str, int] = field(default_factory=dict)
    """Twins and pairs of the run whose texts hold personal data or are on sensitive subjects, by
    kind; private/screened.jsonl lists them."""
    left_out: int = 0
    """Those of them that are not in the study."""
    own: OwnExport | None = None
    """What people were given who judge pairs of their own posts; None in a study of annotators."""


def export_tasks(
    run: RunPath,
    *,
    annotators: Annotated[int, Doc("How many people there are.", "N", least=2, most=999)] = 11,
    overlap: Annotated[
        int,
        Doc("People who answer each question; [human] may ask for more.", "N", least=1),
    ] = 3,
    sample: Annotated[int | None, Doc("Only N twins and pairs.", "N", least=1)] = None,
    seed: Annotated[
        int | None, Doc("Not drawn at random: for a demo, not for a study.", "N")
    ] = None,
    tool: ToolOfAnnotators = SERVER_TOOL,
    language: FormLanguage = "en",
    leave_out: Annotated[
        Iterable[Screened],
        Doc(
            "Keep twins and pairs out whose texts hold personal data (personal), or are on health,"
            " belief, politics, sexuality or the law (sensitive). May be given twice.",
            "WHAT",
        ),
    ] = (),
    own: Annotated[
        str | Path | None,
        Doc(
            "In place of annotators: users of the data judge the pairs of their own posts. A CSV"
            " file with the columns user and person.",
            "FILE",
        ),
    ] = None,
    days: Annotated[
        int, Doc("With --own: until they are asked again.", "DAYS", least=0, most=3650)
    ] = 14,
) -> TaskExport:
    """Write blind tasks of a run's pairs, one file for each annotator and kind, and the key.

    Each question is answered by `overlap` people, or by
    as many as the rule asks for where these are more. Without `seed` a study's seed is drawn at
    random and kept, for it tells which side a response is on. The rule that verifies a pair is
    [human] of RUN/config.toml, fixed by this export. If there are fewer annotators than it asks
    for, each question gets as many answers as they can give: nobody votes on both halves of a twin.

    With `own`, users of the data judge the twins and placebos of their own posts, and as many twins
    of others; a study of annotators may be there or come later. `days` later they are asked again:
    the same command then hands that out. A longer file adds people.

    Raises InputError where the run holds no pair, the assignment cannot be made, or another study
    was exported there.

        >>> made = export_tasks("runs/first", annotators=11, overlap=3)
        >>> len(made.workloads), made.folder
        (11, PosixPath('runs/first/human'))
    """
    run = Path(run)
    folder, human = RunFolder(run), HumanFolder(run)
    check_to_verify(folder)
    config = folder.settings()
    whole = run_subjects(run)
    screened, without = screen_subjects(whole), {what == "personal" for what in leave_out}
    flagged = {one.subject for one in screened if one.personal in without}
    fit = [subject for subject in whole if subject.id not in flagged]
    if not fit:
        raise InputError(
            "every twin and pair would be left out", where="--leave-out", fix="Leave out less."
        )
    subjects = draw(fit, sample, config.seed)
    study = new_study(run, config.human, language, seed).model_copy(
        update={
            "of": len(whole),
        }
    )
    if own is not None:
        if (annotators, overlap, sample) != (11, 3, None):
            raise InputError(
                "has no annotators or sample",
                where="--own",
                fix="Give it without these options; a study of annotators is an export of its own.",
            )
        theirs = [one for one in whole if is_twin(one.mode) and one.id not in flagged]
        study, added = export_own(run, Path(own), theirs, study, days)
        rounds = [round for round in (OWN, LATER) if is_due(human, round, date.today())]
        # Whoever was given a sheet is given one again, also where the option is left out.
        had = (
            name
            for name, one in SHEETS.items()
            if any(one.path(human, who).exists() for who in added.tasks)
        )
        tools = dict.fromkeys((tool, *had))
        sheets = tuple(
            path for one in tools for round in rounds for path in write_sheets(one, human, round)
        )
        asked = {task.keyed.subject for given in added.tasks.values() for task in given}
        made = _task_export(
            human, study, bool(added.added), [one for one in theirs if one.id in asked],
            added.tasks, sheets, screened, len(flagged),
        )  # fmt: skip
        return replace(made, guidelines=human.pages("author-01")[0], own=added)
    plan = planned(annotators, overlap, study.seed, config.human, config.planner, subjects)
    tasks, salts = make_tasks(subjects, plan)
    study = study.model_copy(
        update={
            "salts": salts,
            "annotators": plan.annotators,
            "overlap": plan.overlap,
            "policy": plan.human,
            "sampled": len(subjects),
            "left_out": len(flagged),
            "fewest_checks": FEWEST_CHECKS,
        }
    )
    new = write_study(human, study, tasks)
    sheets = write_sheets(tool, human)
    write_lines(human.screened, screened)
    return _task_export(human, study, new, subjects, tasks, sheets, screened, len(flagged))


def _task_export(
    human: HumanFolder,
    study: Study,
    new: bool,
    subjects: Sequence[Subject],
    tasks: Mapping[str, Sequence[Task]],
    sheets: tuple[Path, ...],
    screened: Iterable[ScreenedSubject],
    left_out: int,
) -> TaskExport:
    """The study that was written, counted by mode, kind and annotator."""
    sampled = Counter(subject.mode for subject in subjects)
    all_tasks = [task for assigned in tasks.values() for task in assigned]
    control, choices = control_subjects(task.keyed for task in all_tasks)
    return TaskExport(
        folder=human.path,
        guidelines=human.guidelines,
        new=new,
        study=study,
        units={mode: sampled[mode] for mode in verified_modes()},
        tasks=Counter((task.keyed.kind, task.keyed.purpose) for task in all_tasks),
        workloads={name: len(given) for name, given in tasks.items()},
        attention=_attention_power(tasks, study.policy.attention_floor),
        foils=foil_signs(all_tasks),
        stranger=StrangerPower(control, control_power(choices)) if control else None,
        sheets=sheets,
        screened=Counter(kind for _, kind in {(one.subject, one.kind) for one in screened}),
        left_out=left_out,
    )


READER = 0.95
"""Share of attention checks that somebody who reads the posts is taken to answer right."""


def _attention_power(tasks: Mapping[str, Sequence[Task]], floor: float) -> AttentionPower | None:
    given = sorted(possible_checks(tasks).values())
    if not any(given):
        return None
    return AttentionPower(
        fewest=given[0],
        most=given[-1],
        nonreader=max(nonreader_pass(n, floor, FEWEST_CHECKS) for n in given),
        reader=min(pass_rate(n, floor, READER, FEWEST_CHECKS) for n in given),
    )
