"""The second round: tasks on what the first left disputed, and their files.

Further people vote on a preference without seeing the first answers. If the rule has no further
votes, one adjudicator decides and sees them; so does the one who rates quality again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Option

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.options import RunPath
from pairwright.records import content_id
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright.text import visible
from pairwright_human_eval.folder import (
    HumanFolder,
    keep_tasks,
    key_lines,
    read_key,
    withdrawn_people,
    write_changed,
    write_forms,
    write_tasks,
)
from pairwright_human_eval.label_studio import config_hashes
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import (
    CANNOT_JUDGE,
    CANNOT_TELL,
    EQUAL,
    OTHER,
    Answer,
    Kind,
    Role,
    Study,
    pseudonyms,
)
from pairwright_human_eval.spreadsheets import without_rows, write_sheets
from pairwright_human_eval.study import OpenStudy, Tool, open_study
from pairwright_human_eval.tasks import (
    Task,
    adjudication,
    page_of,
    preference_task,
    quality_task,
)
from pairwright_human_eval.units import Unit, outline_of, swapped

if TYPE_CHECKING:
    from pairwright_human_eval.decisions import Decision


class OpenPart(NamedTuple):
    """What is asked in the second round about one unit: its quality, or one preference."""

    unit: str
    pair: str
    """Empty for quality."""
    kind: Kind


@dataclass
class SecondRound:
    """Deals what is disputed out to adjudicators.

    A preference goes to as many people as the rule asks for, quality to one, and nobody who has
    voted on a unit gets it. Both halves of a twin go to the same people only if nobody else is
    left.
    """

    study: Study
    planner: PlanRules
    rules: HumanRules
    adjudicators: tuple[str, ...]
    voted: Mapping[str, Set[str]]
    """By annotator of the first round: the units that they were given."""
    there: Mapping[OpenPart, Set[str]]
    """What exists already, and who has it."""
    tasks: dict[str, list[Task]] = field(init=False)
    """By adjudicator: new tasks."""
    short: list[str] = field(default_factory=list)
    """Units that have too few adjudicators."""

    def __post_init__(self) -> None:
        self.tasks = {who: [] for who in self.adjudicators}

    def deal(
        self, units: Iterable[Unit], decisions: Mapping[str, "Decision"], answers: Sequence[Answer]
    ) -> None:
        """Make the tasks of every disputed unit. `answers` are those that may be shown."""
        disputed = [unit for unit in units if decisions[unit.id].state == "disputed"]
        loads = Counter(who for has in self.there.values() for who in has)
        for unit in sorted(disputed, key=lambda one: content_id("order", one.id)):
            own = [one for one in answers if one.unit == unit.id and one.round == 1]
            met = Counter(
                who for part, has in self.there.items() if part.unit == unit.id for who in has
            )
            for part in _parts(unit, decisions[unit.id]):
                self._deal_part(unit, part, own, loads, met)
        self.short = list(dict.fromkeys(self.short))

    def _deal_part(
        self,
        unit: Unit,
        part: OpenPart,
        answers: Sequence[Answer],
        loads: Counter[str],
        met: Counter[str],
    ) -> None:
        has = self.there.get(part, frozenset())
        able = [
            who
            for who in self.adjudicators
            if who not in has and unit.id not in self.voted.get(who, ())
        ]
        able.sort(key=lambda who: (met[who] if part.pair else 0, loads[who]))
        missing = (self.rules.closing_votes if part.pair else 1) - len(has)
        if len(able) < missing:
            self.short.append(unit.id)
        seed = self.study.seed
        page = page_of(unit, seed, swapped(seed, self.study.salts[unit.domain], unit.id))
        # The further votes of a rule are independent of the first.
        pair = next((one for one in unit.pairs if one.id == part.pair), None)
        earlier = _earlier(answers, part, page.role(pair))
        shown = () if pair and self.rules.further else earlier
        for who in able[: max(0, missing)]:
            loads[who] += 1
            met[who] += bool(part.pair)
            task = quality_task(page, who)
            if pair:
                task = preference_task(page, pair, who, self.planner)
            self.tasks[who].append(adjudication(task, who, shown, seed))


def _parts(unit: Unit, decision: "Decision") -> Iterator[OpenPart]:
    if any(reason.startswith("quality:") for reason in decision.reasons):
        yield OpenPart(unit.id, "", "quality")
    for pair in unit.pairs:
        if pair.id in decision.disputed:
            yield OpenPart(unit.id, pair.id, "preference")


def _earlier(answers: Sequence[Answer], part: OpenPart, a: Role) -> tuple[str, ...]:
    """What each person answered, with other numbers in every task, so that nobody is recognised.
    `a` is what the response shown as A is."""
    asked = {one.task for one in answers if one.kind == part.kind and one.pair == part.pair}
    by_person: dict[str, list[Answer]] = {}
    for one in answers:
        if one.task in asked:
            by_person.setdefault(one.annotator, []).append(one)
    order = sorted(by_person, key=lambda who: content_id("earlier", part.unit, part.pair, who))
    return tuple(f"Person {n}: {_text(by_person[who], a)}" for n, who in enumerate(order, start=1))


def _text(answers: Sequence[Answer], a: Role) -> str:
    """One person's answers on a unit's quality, or on one preference, by place."""
    words = {EQUAL: "no difference", CANNOT_TELL: "cannot tell", CANNOT_JUDGE: "cannot judge"}
    words |= {a: "A", OTHER[a]: "B"}
    by_place: dict[str, list[str]] = {"A": [], "B": []}
    text, comments = "", []
    for one in answers:
        if one.kind == "comment":
            comments.append(visible(one.label))
        elif one.kind == "quality":
            scale, _, role = one.item.partition(" ")
            by_place[words[role]].append(f"{scale} {words.get(one.label, one.label)}")
        else:
            text = words[one.label]
    scores = "; ".join(f"{place}: {', '.join(given)}" for place, given in by_place.items())
    return ". ".join([text or scores, *comments])


def add_adjudication(folder: HumanFolder, study: Study, tasks: dict[str, list[Task]]) -> int:
    """Add new tasks to round 2, and say how many they are.

    Tasks that are there already stay as they are: an adjudicator may be working on them. Raises
    InputError where this version's forms are not those of the study: no answer to them could be
    taken in.
    """
    there = list(read_key(folder.adjudication_key))
    names = {keyed.task for keyed in there}
    fresh = {
        who: [task for task in given if task.keyed.task not in names]
        for who, given in tasks.items()
    }
    added = [task for given in fresh.values() for task in given]
    if not added:
        return 0
    now = config_hashes(study.scales, load_language(study.language))
    if any(now[name] != fixed for name, fixed in study.config_hashes.items()):
        raise InputError(
            f"its forms were fixed by Pairwright {study.version}, and those of this version differ",
            where=folder.study,
            fix="Adjudicate with the version, and the templates, that the study was exported with.",
        )
    with on_disk(folder.path):
        write_forms(folder, study, round=2)
        # A round that was cut short left tasks that are in no key.
        keep_tasks(folder.path / "adjudication", names.__contains__)
        for who, given in fresh.items():
            write_tasks(folder, who, given, add=True)
        write_changed(folder.adjudication_key, key_lines([*there, *(task.keyed for task in added)]))
    return len(added)


def given_parts(folder: HumanFolder) -> dict[OpenPart, set[str]]:
    """What is asked in the second round, and of whom, without adjudicators who have withdrawn."""
    away = withdrawn_people(folder)
    found: dict[OpenPart, set[str]] = {}
    for task in read_key(folder.adjudication_key):
        if task.annotator not in away:
            part = OpenPart(task.unit, task.pair, task.kind)
            found.setdefault(part, set()).add(task.annotator)
    return found


def drop_adjudications(folder: HumanFolder, units: Set[str]) -> int:
    """Take the second round's tasks on these units out, and say how many they are."""
    there = list(read_key(folder.adjudication_key))
    left = [keyed for keyed in there if keyed.unit not in units]
    gone = [keyed for keyed in there if keyed.unit in units]
    if gone:
        write_changed(folder.adjudication_key, key_lines(left))
        names = {keyed.task for keyed in left}
        keep_tasks(folder.path / "adjudication", names.__contains__)
    # Sheets show what others answered, too.
    for who in sorted({keyed.annotator for keyed in gone}):
        if (sheet := folder.sheet(who, 2)).exists():
            tasks = {keyed.task for keyed in gone}
            write_whole(sheet, without_rows(sheet.read_bytes(), sheet, tasks))
    return len(gone)


# The command


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
    from pairwright_human_eval.decisions import decide
    from pairwright_human_eval.quality_control import checks, excluded_by, table_of

    with open_study(Path(run)) as study:
        units, answers, rules = study.units(), study.answers(), study.rules
        outlines, table = [*map(outline_of, units)], table_of(answers)
        excluded = excluded_by(checks(table, outlines), rules.attention_floor)
        decisions = decide(outlines, table, rules, excluded)
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
        why = "is not an annotator of this study" * (name not in annotators)
        why = why or "has withdrawn from this study" * (name in away)
        why = why or "is excluded by attention checks" * (name in excluded)
        if why:
            able = sorted(set(annotators) - away - excluded)
            fix = f"Name one of {', '.join(able)}."
            raise InputError(f"{name!r} {why}", where="--by", fix=fix)
    if outside is None:
        outside = 0 if by else study.rules.closing_votes
    names = pseudonyms(outside + len(away), "adjudicator")
    return (*[name for name in names if name not in away][:outside], *by)
