"""A study: its size, its blind tasks, the tasks of its second round, and its progress."""

import re
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Annotated

from typer import Option

from pairwright.assets import __version__
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.lines import write_lines
from pairwright.options import AnnotatorCount, Overlap, RunPath, SampleSize
from pairwright.records import content_id
from pairwright.settings.rules import HumanRules
from pairwright.text import word_count
from pairwright_human_eval import folder as folders
from pairwright_human_eval import records
from pairwright_human_eval import tasks as tasking
from pairwright_human_eval.records import Data, KeyedTask, Kind, State, Study, Task, Tool
from pairwright_human_eval.sheets import write_sheets
from pairwright_human_eval.tasks import BlindUnit, blind_task
from pairwright_human_eval.units import swapped_units, units_of

AnnotatorTool = Annotated[Tool, Option(help="Tool that annotators use.")]
WORDS_A_MINUTE = 238
"""Silent reading of English non-fiction: Brysbaert (2019), J. Memory and Language 109, 104047."""
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class StudyTasks:
    """Settings of a study: what each annotator is asked."""

    folder: Path
    """RUN/human: its files load into any Label Studio; `private` in it is not for annotators."""
    study: Study
    units: Mapping[str, int]
    """Twins, placebos and single pairs that can be verified, by mode."""
    configured: HumanRules
    wanted: int
    sample: int | None
    tasks: Mapping[Kind, int]
    workloads: Mapping[str, int]
    hours: Mapping[Kind, float]
    """Hours to read the tasks of a kind once, for all annotators together."""
    asked: Mapping[Kind, int]
    sheets: tuple[Path, ...] = ()


def _drafted(
    run: Path, people: int, overlap: int, sample: int | None, seed: int, tool: Tool,
    language: str = "en",
) -> tuple[StudyTasks, list[Task]]:  # fmt: skip
    """Draw the units, fit overlap and rule to the people, and make all tasks. Raises InputError."""
    folder, file = RunFolder(run), run / "pairs.jsonl"
    config = folder.settings()
    if config.own_choices:
        what = "its labels are the users' own choices, which annotators cannot verify"
        raise InputError(what, where=run, fix="Release it without a study: pairwright release.")
    whole = units_of(iterate_pairs(run), file)
    if not whole:
        raise InputError("holds no pair", where=file, fix="Build until pairs are kept.")
    order = sorted(
        whole, key=lambda unit: content_id("sample", "sample", str(config.seed), unit.id)
    )
    drawn = {unit.id for unit in order[:sample]}
    units = [unit for unit in whole if unit.id in drawn]
    rules = folders.fitting(config.human, people, max(len(unit.pairs) for unit in units))
    overlap_of = tasking.possible_overlap(units, people, overlap, rules)
    study = Study(
        version=__version__, pairs_hash=folders.file_hash(file), seed=seed,
        annotators=records.pseudonyms(people), overlap=overlap_of, of=len(whole), policy=rules,
        scales=folder.scales(), language=language, tool=tool,
    )  # fmt: skip
    own = tasking.make_tasks(units, study, config.planner)
    tasks = [task for given in own.values() for task in given]
    words = Counter[Kind]()
    for task in tasks:
        words[task.keyed.kind] += words_shown(task.data)
    made = StudyTasks(
        folder=folders.HumanFolder(run).path, study=study, configured=config.human,
        units=Counter(unit.mode for unit in units), wanted=overlap, sample=sample,
        tasks=Counter(task.keyed.kind for task in tasks),
        workloads={who: len(given) for who, given in own.items()},
        hours={kind: n / WORDS_A_MINUTE / 60 for kind, n in words.items()},
        asked={kind: tasking.people_for(kind, overlap_of, rules) for kind in records.KINDS},
    )  # fmt: skip
    return made, tasks


def export_tasks(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
    seed: Annotated[int | None, Option(help="Seed of the draw, for demos only.")] = None,
    tool: AnnotatorTool = "label-studio",
    language: Annotated[str, Option(help="Language of forms and guidelines: en or de.")] = "en",
) -> StudyTasks:
    """Write blind tasks, one file for each annotator and kind, the guidelines, and the private key.

    The files under RUN/human/ load into any Label Studio; RUN/human/private/ is not for annotators.
    The rule that verifies a pair is [human] of RUN/config.toml, fixed from here on. With fewer
    annotators than it asks for, each question gets as many answers as they can give: nobody votes
    on both sides of a twin.

    Raises InputError if the run holds no pair, or a study was exported there.

        >>> export_tasks("runs/first").tasks

    Examples::

        pairwright human export runs/first
        pairwright human export runs/first --annotators 2 --sample 10
        pairwright human export runs/first --annotators 11 --overlap 3 --sample 200
        pairwright human export runs/first --tool spreadsheet --language de
    """
    # The seed tells the sides from the ids.
    secret, folder = secrets.randbits(128) if seed is None else seed, folders.HumanFolder(Path(run))
    made, tasks = _drafted(folder.run, annotators, overlap, sample, secret, tool, language)
    folders.write_study(folder, made.study, tasks)
    if tool == "label-studio":
        return made
    return replace(made, sheets=write_sheets(folder, made.study, tasks))


def plan_study(
    run: RunPath,
    *,
    annotators: AnnotatorCount = 11,
    overlap: Overlap = 3,
    sample: SampleSize = None,
    tool: AnnotatorTool = "label-studio",
) -> StudyTasks:
    """Count the tasks, hours and units of a study before anybody is asked.

    Hours are those of reading everything once, at 238 words a minute; answering comes on top.
    Repeats are counted; a second round is not.

    Raises InputError if the run holds no pair.

        >>> plan_study("runs/first", annotators=2).workloads

    Examples::

        pairwright human plan runs/first
        pairwright human plan runs/first --annotators 2 --sample 30
    """
    return _drafted(Path(run), annotators, overlap, sample, 0, tool)[0]


def words_shown(data: Data) -> int:
    """Words of the question, posts, responses and aspects; not those of the form."""
    rows = [data, *(row for value in data.values() if isinstance(value, list) for row in value)]
    named = [one for row in rows if isinstance(row, dict) for one in row.items()]
    texts = [text for name, text in named if isinstance(text, str) and name != "task"]
    return sum(word_count(unescape(_TAG.sub("", text))) for text in texts)


Part = tuple[str, str]
"""Subject in the second round: unit and pair of a preference, or a unit and "" for its quality."""


@dataclass(frozen=True, slots=True)
class AdjudicationExport:
    """A second round, in which new people see what the first left disputed, and no answer to it."""

    disputed: int
    added: int
    adjudicators: tuple[str, ...]
    sheets: tuple[Path, ...]


def export_adjudication(
    run: RunPath,
    *,
    adjudicators: Annotated[
        int | None, Option(help="Number of adjudicators.", metavar="N", min=1, max=99)
    ] = None,
) -> AdjudicationExport:
    """Write tasks of a second round on the disputed pairs, for people who were not in the first.

    Without an option there are as many adjudicators as the rule asks for further votes on a
    disputed pair (`further`). Importing or pulling their answers closes the disputes. Running it
    again adds what has become disputed since, and leaves existing tasks and sheets alone.

    Raises InputError, and writes nothing, if there is no study, or if there are too few people to
    close a dispute.

    Examples::

        pairwright human adjudicate runs/first
        pairwright human push runs/first --round 2 --url URL
        pairwright human adjudicate runs/first --adjudicators 8
    """
    # With pandas, which takes its time.
    from pairwright_human_eval.decisions import published

    with folders.open_study(Path(run)) as study:
        needed = study.rules.closing_votes
        people = needed if adjudicators is None else adjudicators
        if people < needed:
            what = f"{people} people cannot close a dispute, which takes {needed} votes"
            raise InputError(what, where="--adjudicators", fix=f"Give {needed} or more.")
        names = records.pseudonyms(people + len(study.away), "adjudicator")
        able = [name for name in names if name not in study.away][:people]
        public = published(study.fixed, study.rules, study.outlines(), study.answers())
        disputed = [one for one in public.decisions.values() if one.state == "disputed"]
        votes: dict[Part, int] = {}
        for one in disputed:
            if any(reason.startswith("quality:") for reason in one.reasons):
                votes[one.unit, ""] = 1
            votes |= {(one.unit, pair): needed for pair in one.disputed}
        dealt = _deal(votes, able, study.key.values())
        sheets = _add_tasks(study, dealt) if dealt else ()
        people_asked = tuple(sorted({who for _, who in dealt}))
        return AdjudicationExport(len(disputed), len(dealt), people_asked, sheets)


def _deal(
    votes: Mapping[Part, int], names: Sequence[str], key: Iterable[KeyedTask]
) -> list[tuple[Part, str]]:
    """Assignment of parts to people, evenly. `votes` is how many people each part needs, `key` what
    is asked already. One person gets two parts of a unit only if no other is left."""
    there, dealt = defaultdict[Part, set[str]](set), list[tuple[Part, str]]()
    loads, met = Counter[str](), Counter[tuple[str, str]]()
    for task in key:
        if task.round == 2:
            there[task.unit, task.pair].add(task.annotator)
            loads[task.annotator] += 1
            met[task.unit, task.annotator] += 1
    for (unit, pair), needed in votes.items():
        has = there[unit, pair]
        able = [who for who in names if who not in has]
        able.sort(key=lambda who: (met[unit, who], loads[who]))
        for who in able[: max(0, needed - len(has))]:
            loads[who] += 1
            met[unit, who] += 1
            dealt.append(((unit, pair), who))
    return dealt


def _add_tasks(study: folders.OpenStudy, dealt: Iterable[tuple[Part, str]]) -> tuple[Path, ...]:
    """Add tasks to round 2; the sheets that are to be filled in. Raises StoreError."""
    folder, planner, units = study.folder, study.config.planner, study.units()
    swapped = swapped_units(units, study.fixed.seed)
    pages = {unit.id: BlindUnit(study.fixed.seed, unit, unit.id in swapped) for unit in units}
    pairs = {pair.id: pair for unit in units for pair in unit.pairs}
    added = list[Task]()
    for (unit, pair), who in dealt:
        kind: Kind = "preference" if pair else "quality"
        added.append(blind_task(pages[unit], kind, pairs.get(pair), who, planner, round=2))
    there = folders.records_in(folder.adjudication_key, KeyedTask)
    shown = folders.read_tasks(folder, there)
    every = [*(Task(shown[keyed.task], keyed) for keyed in there), *added]
    with on_disk(folder.path):
        written = folders.write_tasks(folder, every)
        # A round that was cut short left tasks that are in no key.
        for path in {*(folder.path / "adjudication").rglob("*.json")} - written:
            path.unlink()
        in_sheets = study.fixed.tool == "spreadsheet"
        sheets = write_sheets(folder, study.fixed, added) if in_sheets else ()
        write_lines(folder.adjudication_key, [task.keyed for task in every])
    return sheets


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """Progress of a study, by the answers that were imported or pulled."""

    tasks: Mapping[str, Mapping[str, tuple[int, int]]]
    """Numbers of answered tasks and of all tasks, by annotator and kind, or `adjudication`."""
    skipped: Mapping[str, int]
    marks: Mapping[str, str]
    """Marks of people: `withdrawn`, or `excluded` by the attention checks of the last report."""
    states: Mapping[State, int]
    stale: bool


def study_status(run: RunPath) -> StudyStatus:
    """Show how many tasks each annotator has answered, and what the last report decided.

    It counts what was imported or pulled, and changes nothing.

    Examples::

        pairwright human status runs/first
    """
    # With pandas, which takes its time.
    from pairwright_human_eval.report import StudyReport

    study = folders.read_study(Path(run))
    folder, done = study.folder, {answer.task for answer in study.answers()}
    tasks: dict[str, dict[str, tuple[int, int]]] = {}
    for one in sorted(study.key.values(), key=lambda one: one.annotator):
        own = tasks.setdefault(one.annotator, {})
        part = one.kind if one.round == 1 else "adjudication"
        answered, of = own.get(part, (0, 0))
        own[part] = answered + (one.task in done), of + 1
    aside = folders.records_in(folder.set_aside, records.SetAside)
    skipped = {one.task: one.annotator for one in aside if one.reason == "skipped"}
    report, stale = folders.record_in(folder.report, StudyReport), False
    if report and folder.answers.exists():
        stale = folder.answers.stat().st_mtime_ns > folder.report.stat().st_mtime_ns
    marks = dict.fromkeys(report.excluded if report else (), "excluded")
    marks |= dict.fromkeys(study.away, "withdrawn")
    states = report.decisions[0].states if report else {}
    return StudyStatus(tasks, Counter(skipped.values()), marks, states, stale)
