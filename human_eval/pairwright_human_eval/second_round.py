"""The second round: blind tasks, for new people, on what the first round left disputed.

A preference goes to as many people as the rule asks for, a quality that nobody could judge to one.
They see no earlier answer, so theirs are independent of the first.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from pairwright.errors import InputError, on_disk
from pairwright.lines import write_lines
from pairwright.options import RunPath
from pairwright_human_eval.folder import OpenStudy, open_study, read_tasks, records_in, write_tasks
from pairwright_human_eval.records import KeyedTask, Kind, Task, pseudonyms
from pairwright_human_eval.sheets import write_sheets
from pairwright_human_eval.tasks import BlindUnit, blind_task
from pairwright_human_eval.units import swapped_units

if TYPE_CHECKING:
    from pairwright_human_eval.decisions import Decision

Part = tuple[str, str]
"""What is asked in the second round: a preference by unit and pair, or a unit's quality, without a
pair."""


@dataclass(frozen=True, slots=True)
class AdjudicationExport:
    """A second round on what the first left disputed."""

    folder: Path
    """RUN/human/adjudication, with a file for each adjudicator and kind."""
    disputed: int
    """Units."""
    added: int
    """Tasks that were not there before."""
    adjudicators: tuple[str, ...]
    """Those who have a new task."""
    sheets: tuple[Path, ...]
    """The files to fill in, if people work in spreadsheets."""


def export_adjudication(
    run: RunPath,
    *,
    adjudicators: Annotated[
        int | None, Option(help="How many people adjudicate.", metavar="N", min=1, max=99)
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
    with open_study(Path(run)) as study:
        needed = study.rules.closing_votes
        people = needed if adjudicators is None else adjudicators
        if people < needed:
            what = f"{people} people cannot close a dispute, which takes {needed} votes"
            raise InputError(what, where="--adjudicators", fix=f"Give {needed} or more.")
        names = [
            name
            for name in pseudonyms(people + len(study.away), "adjudicator")
            if name not in study.away
        ]
        units, decisions = study.units(), decide_study(study)
        parts = [part for one in decisions.values() for part in open_parts(one)]
        votes = {part: needed if part[1] else 1 for part in parts}
        dealt = deal(votes, names[:people], study.key.values())
        swapped = swapped_units(units, study.fixed.seed)
        pages = {unit.id: BlindUnit(study.fixed.seed, unit, unit.id in swapped) for unit in units}
        pairs = {pair.id: pair for unit in units for pair in unit.pairs}
        planner, tasks = study.config.planner, list[Task]()
        for (unit, pair), who in dealt:
            kind: Kind = "preference" if pair else "quality"
            tasks.append(blind_task(pages[unit], kind, pairs.get(pair), who, planner, round=2))
        return AdjudicationExport(
            folder=study.folder.path / "adjudication",
            disputed=sum(made.state == "disputed" for made in decisions.values()),
            added=len(tasks),
            adjudicators=tuple(sorted({who for _, who in dealt})),
            sheets=add_adjudication(study, tasks) if tasks else (),
        )


def decide_study(study: OpenStudy) -> dict[str, "Decision"]:
    """The decisions on a study by the rule in force."""
    # With pandas, which takes its time.
    from pairwright_human_eval.decisions import checks, decide, excluded_by, table_of

    outlines, answers, rules = study.outlines(), table_of(study.answers()), study.rules
    excluded = excluded_by(checks(answers, outlines), rules.attention_floor)
    return decide(outlines, answers, rules, excluded)


def open_parts(decision: "Decision") -> Iterator[Part]:
    """What a second round has to ask about a unit: nothing if it is not disputed."""
    if decision.state != "disputed":
        return
    if any(reason.startswith("quality:") for reason in decision.reasons):
        yield decision.unit, ""
    for pair in decision.disputed:
        yield decision.unit, pair


def deal(
    votes: Mapping[Part, int], names: Sequence[str], key: Iterable[KeyedTask]
) -> list[tuple[Part, str]]:
    """Who gets what, evenly. `votes` is how many people each part needs, `key` what is asked
    already. One person gets two parts of a unit only if nobody else is left."""
    there = defaultdict[Part, set[str]](set)
    for task in key:
        if task.round == 2:
            there[task.unit, task.pair].add(task.annotator)
    loads = Counter(who for has in there.values() for who in has)
    met = Counter((unit, who) for (unit, _), has in there.items() for who in has)
    dealt = list[tuple[Part, str]]()
    for (unit, pair), needed in votes.items():
        has = there[unit, pair]
        able = [who for who in names if who not in has]
        able.sort(key=lambda who: (met[unit, who], loads[who]))
        for who in able[: max(0, needed - len(has))]:
            loads[who] += 1
            met[unit, who] += 1
            dealt.append(((unit, pair), who))
    return dealt


def add_adjudication(study: OpenStudy, added: Sequence[Task]) -> tuple[Path, ...]:
    """Add tasks to round 2; the sheets that are to be filled in. Raises StoreError."""
    folder = study.folder
    there = records_in(folder.adjudication_key, KeyedTask)
    shown = read_tasks(folder, there)
    every = [*(Task(shown[keyed.task], keyed) for keyed in there), *added]
    with on_disk(folder.path):
        written = write_tasks(folder, every)
        # A round that was cut short left tasks that are in no key.
        for path in {*(folder.path / "adjudication").rglob("*.json")} - written:
            path.unlink()
        in_sheets = study.fixed.tool == "spreadsheet"
        sheets = write_sheets(folder, study.fixed, added) if in_sheets else ()
        write_lines(folder.adjudication_key, [task.keyed for task in every])
    return sheets
