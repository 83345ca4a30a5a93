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
        int | None, Option(help="How many new people adjudicate.", metavar="N", min=1, max=99)
    ] = None,
    by: Annotated[
        Iterable[str], Option(help="An annotator who adjudicates, too; repeatable.", metavar="NAME")
    ] = (),
) -> AdjudicationExport:
    """Write tasks of a second round on the disputed pairs.

    Without an option there are as many adjudicators as the rule asks for further votes on a
    disputed pair (`further`). Importing or pulling their answers closes the disputes. Running it
    again adds what has become disputed since, and leaves existing tasks and sheets alone. Nobody
    adjudicates what they were asked in the first round.

    Raises InputError, and writes nothing, if there is no study, for an annotator who cannot
    adjudicate, or if there are too few people to close every dispute.

    Examples::

        pairwright human adjudicate runs/first
        pairwright human push runs/first --round 2 --url URL
        pairwright human adjudicate runs/first --adjudicators 8 --by annotator-03
    """
    with open_study(Path(run)) as study:
        units, (decisions, excluded) = study.units(), decide_study(study)
        names = _adjudicators(study, adjudicators, tuple(dict.fromkeys(by)), excluded)
        parts = [part for one in decisions.values() for part in open_parts(one)]
        votes = {part: study.rules.closing_votes if part[1] else 1 for part in parts}
        dealt, short = deal(votes, names, study.key.values())
        if short:
            unit, missing = next(iter(short.items()))
            what = f"too few people to close {len(short)} of the disputes: {unit} needs {missing}"
            fix = f"Add {max(short.values())} who took no part in the first round: --adjudicators."
            raise InputError(f"{what} more", where="--adjudicators", fix=fix)
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


def decide_study(study: OpenStudy) -> tuple[dict[str, "Decision"], frozenset[str]]:
    """The decisions on a study by the rule in force, and who is excluded."""
    # With pandas, which takes its time.
    from pairwright_human_eval.decisions import checks, decide, excluded_by, table_of

    outlines, answers, rules = study.outlines(), table_of(study.answers()), study.rules
    excluded = excluded_by(checks(answers, outlines), rules.attention_floor)
    return decide(outlines, answers, rules, excluded), excluded


def _adjudicators(
    study: OpenStudy, outside: int | None, by: tuple[str, ...], excluded: frozenset[str]
) -> tuple[str, ...]:
    """Their pseudonyms. Raises InputError for one who cannot adjudicate."""
    able = {*study.fixed.annotators} - study.away - excluded
    if unable := [name for name in by if name not in able]:
        what = f"{unable[0]!r} is no annotator of this study, has withdrawn or is excluded"
        fix = f"Name one of {', '.join(sorted(able))}."
        raise InputError(what, where="--by", fix=fix)
    if outside is None:
        outside = 0 if by else study.rules.closing_votes
    names = pseudonyms(outside + len(study.away), "adjudicator")
    return (*[name for name in names if name not in study.away][:outside], *by)


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
) -> tuple[list[tuple[Part, str]], dict[str, int]]:
    """Who gets what, evenly, and the units that have too few people, with how many they lack.

    `votes` is how many people each part needs, `key` what is asked already. Nobody gets a unit that
    they had in the first round. One person gets two parts of a unit only if nobody else is left.
    """
    dealt, short = list[tuple[Part, str]](), dict[str, int]()
    asked, there = set[tuple[str, str]](), defaultdict[Part, set[str]](set)
    for task in key:
        if task.round == 1:
            asked.add((task.unit, task.annotator))
        else:
            there[task.unit, task.pair].add(task.annotator)
    loads = Counter(who for has in there.values() for who in has)
    met = Counter((unit, who) for (unit, _), has in there.items() for who in has)
    for (unit, pair), needed in votes.items():
        has = there[unit, pair]
        able = [who for who in names if who not in has and (unit, who) not in asked]
        able.sort(key=lambda who: (met[unit, who], loads[who]))
        missing = max(0, needed - len(has))
        if len(able) < missing:
            short[unit] = max(short.get(unit, 0), missing - len(able))
        for who in able[:missing]:
            loads[who] += 1
            met[unit, who] += 1
            dealt.append(((unit, pair), who))
    return dealt, short


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
