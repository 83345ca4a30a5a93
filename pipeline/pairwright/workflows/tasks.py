"""Blind tasks for people: those of a study, and which pairs are kept out of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from pairwright.construct.folder import RunFolder
from pairwright.modes import MODES
from pairwright.options import AnnotatorCount, Overlap, RunPath, SampleSize
from pairwright.version import __version__
from pairwright.workflows.study import Tool, check_to_verify, drawn_seed, run_units
from pairwright_human_eval.assign import make_tasks, planned
from pairwright_human_eval.folder import HumanFolder, write_study
from pairwright_human_eval.label_studio import config_hashes
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import Kind, Study
from pairwright_human_eval.spreadsheets import write_sheets
from pairwright_human_eval.units import file_hash
from pairwright_human_eval.units import sample as draw


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
    units: Mapping[str, int]
    """By mode: what is verified as one, twins or single pairs."""
    tasks: Mapping[tuple[Kind, str], int]
    """Tasks by kind and purpose."""
    workloads: Mapping[str, int]
    """The tasks of each annotator, by name."""
    sheets: tuple[Path, ...]
    """The files to fill in, one an annotator, where people work in spreadsheets."""


def export_tasks(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
    seed: Annotated[int | None, Option(help="Fixes the draw: for a demo alone.")] = None,
    tool: Annotated[Tool, Option(help="What annotators work with.")] = "label-studio",
    language: Annotated[str, Option(help="Of the forms and guidelines: en or de.")] = "en",
) -> TaskExport:
    """Write blind tasks, one file for each annotator and kind, the guidelines, and the private key.

    The files under RUN/human/ load into any Label Studio; RUN/human/private/ is not for annotators.
    The rule that verifies a pair is [human] of RUN/config.toml, fixed from here on. With fewer
    annotators than it asks for, each question gets as many answers as they can give: nobody votes
    on both halves of a twin.

    Raises InputError where the run holds no pair, or another study was exported there.

        >>> made = export_tasks("runs/first", annotators=11, overlap=3)
        >>> len(made.workloads), made.folder
        (11, PosixPath('runs/first/human'))

    Examples::

        pairwright human export runs/first
        pairwright human export runs/first --annotators 2 --sample 10
        pairwright human export runs/first --annotators 11 --overlap 3 --sample 200
        pairwright human export runs/first --tool spreadsheet --language de
    """
    run = Path(run)
    folder, human = RunFolder(run), HumanFolder(run)
    check_to_verify(folder)
    config, scales = folder.settings(), folder.scales()
    whole = run_units(run)
    units = draw(whole, sample, config.seed)
    drawn = drawn_seed(run, seed)
    plan = planned(annotators, overlap, drawn, config.human, config.planner, units)
    tasks, salts = make_tasks(units, plan)
    study = Study(
        version=__version__,
        pairs_hash=file_hash(run / "pairs.jsonl"),
        seed=drawn,
        salts=salts,
        annotators=plan.annotators,
        overlap=plan.overlap,
        of=len(whole),
        policy=plan.human,
        scales=scales,
        language=language,
        config_hashes=config_hashes(scales, load_language(language)),
    )
    new = write_study(human, study, tasks)
    sampled = Counter(unit.mode for unit in units)
    return TaskExport(
        folder=human.path,
        guidelines=human.guidelines,
        new=new,
        study=study,
        units={mode: sampled[mode] for mode in MODES if sampled[mode]},
        tasks=Counter(
            (task.keyed.kind, task.keyed.purpose) for own in tasks.values() for task in own
        ),
        workloads={name: len(given) for name, given in tasks.items()},
        sheets=write_sheets(human) if tool == "spreadsheet" else (),
    )
