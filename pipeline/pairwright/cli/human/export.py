"""`pairwright human export`: blind tasks for people."""

import secrets
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright import __version__, assets
from pairwright.cli.human.options import RunPath, share_of
from pairwright.cli.shell import program
from pairwright.construct.folder import RunFolder
from pairwright.construct.run_pairs import check_as_built, iterate_pairs
from pairwright.errors import InputError
from pairwright_human_eval.attention import load_checks
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.forms import config_hashes
from pairwright_human_eval.reading_time import WORDS_A_MINUTE, readings
from pairwright_human_eval.records import KINDS, Study, pseudonyms
from pairwright_human_eval.study_files import read_fixed, write_study
from pairwright_human_eval.subjects import Subject, file_hash, sample, subjects_of
from pairwright_human_eval.tasks import Task


def export_command(
    run: RunPath,
    annotators: Annotated[
        int, typer.Option(min=1, max=999, metavar="N", help="How many people there are.")
    ] = 9,
    overlap: Annotated[
        int, typer.Option(min=1, metavar="N", help="People who answer each question.")
    ] = 3,
    sample_size: Annotated[
        int | None, typer.Option("--sample", min=1, metavar="N", help="Only N twins and pairs.")
    ] = None,
    checks: Annotated[
        float,
        typer.Option(
            parser=share_of,
            metavar="SHARE",
            help="Attention checks by votes, such as 5% (4 or more each); 0: none.",
        ),
    ] = 0.05,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Not drawn at random: for a demo, not for a study."),
    ] = None,
) -> None:
    """Write blind tasks, one file an annotator and kind, the guidelines, and the private key.

    The files under RUN/human/ load into any Label Studio; RUN/human/private/ is not for
    annotators. The rule that verifies a pair is [human] of RUN/config.toml, fixed from here on.

    Examples:

      pairwright human export runs/first

      pairwright human export runs/first --annotators 9 --overlap 3 --sample 200 --checks 5%
    """
    # What assigns tasks takes a while to import, and other commands do without.
    from pairwright_human_eval.export import StudyPlan, make_tasks

    folder = RunFolder(run)
    config, scales = folder.settings(), folder.scales()
    most = max(config.human.votes, config.human.quality_votes, config.human.rubric_votes)
    if overlap < most:
        raise InputError(
            f"{overlap} answers to each question cannot be the {most} that [human] asks for",
            where="--overlap",
            fix=f"Give --overlap {most}, or ask for fewer votes in {folder.config}.",
        )
    pairs = run / "pairs.jsonl"
    whole = subjects_of(iterate_pairs(run), pairs)
    if not whole:
        raise InputError("holds no pair", where=pairs, fix="Build until pairs are kept.")
    check_as_built(run)
    subjects = sample(whole, sample_size, config.seed)
    # Whoever knows the seed can tell the sides from the ids, so it is drawn once, and kept.
    there = read_fixed(HumanFolder(run))
    drawn = seed if seed is not None else there.seed if there else secrets.randbits(128)
    plan = StudyPlan(
        pseudonyms(annotators), overlap, checks, drawn, config.human, config.planner
    )  # fmt: skip
    tasks, salts = make_tasks(subjects, plan, load_checks(assets.HUMAN_EVAL / "checks.toml"))
    study = Study(
        version=__version__,
        simulated_pairs=any(s.asked.simulated for s in subjects),
        pairs_hash=file_hash(pairs),
        seed=drawn,
        salts=salts,
        annotators=plan.annotators,
        overlap=overlap,
        sampled=len(subjects),
        of=len(whole),
        policy=config.human,
        scales=scales,
        config_hashes=config_hashes(scales),
    )
    new = write_study(HumanFolder(run), study, tasks)
    _tell(Console(), run, study, subjects, tasks, new=new)


def _tell(
    console: Console,
    run: Path,
    study: Study,
    subjects: list[Subject],
    tasks: dict[str, list[Task]],
    *,
    new: bool,
) -> None:
    if not new:
        console.print("Exported before, and nothing has changed.")
    counts = Counter(
        (task.keyed.kind, task.keyed.purpose) for given in tasks.values() for task in given
    )
    table = Table(box=box.SIMPLE, show_header=False, title=escape(str(HumanFolder(run).path)))
    table.add_column(style="bold")
    table.add_column()
    table.add_column(justify="right")
    twins = sum(len(subject.pairs) == 2 for subject in subjects)
    table.add_row("verified as one", "twins", f"{twins:,}")
    table.add_row("verified as one", "violate pairs", f"{len(subjects) - twins:,}")
    for (kind, purpose), n in sorted(counts.items(), key=lambda row: (KINDS.index(row[0][0]), row)):
        table.add_row("tasks", f"{kind}: {purpose}", f"{n:,}")
    for reading in readings(task for given in tasks.values() for task in given):
        one = f"{reading.words:,.0f} words in the median task, {reading.seconds:,.0f} s"
        table.add_row("reading once", f"{reading.kind}: {one}", f"{reading.minutes / 60:,.1f} h")
    each = [len(given) for given in tasks.values()]
    table.add_row("annotators", "tasks each", f"{min(each):,} to {max(each):,}")
    hours = [sum(reading.minutes for reading in readings(given)) / 60 for given in tasks.values()]
    table.add_row("annotators", "hours of reading each", f"{min(hours):,.1f} to {max(hours):,.1f}")
    table.add_row("annotators", "", f"{len(study.annotators):,}")
    console.print(table)
    console.print(
        f"Reading is counted at {WORDS_A_MINUTE} words a minute; thinking and answering come on"
        " top: time a pilot. Quality is done first, then preference, then rubric, on a computer:"
        " on a phone no answer can be submitted.",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    console.print(
        f"Fill in the end of {HumanFolder(run).guidelines}, and send it to every annotator.",
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
    if study.simulated_pairs:
        console.print("The pairs come from the embedded model: this shows how the tool works.")
    console.print("Next, one of:")
    for command in ("serve", "push {} --url http://...", "import {} FILE...", "simulate {}"):
        text = command.format(run) if "{}" in command else f"{command} {run}"
        console.print(f"  {program()} human {text}", highlight=False, markup=False, soft_wrap=True)
