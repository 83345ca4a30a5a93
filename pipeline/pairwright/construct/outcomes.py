"""Outcomes of units: each is a row of the table `outcomes` in run.sqlite, written when a unit ends.

Every figure of a run is SQL over this table. Its files are written from it, and read again here.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from pydantic import Field, JsonValue, ValidationError

from pairwright.construct.folder import FILES
from pairwright.errors import InputError, StoreError, on_disk
from pairwright.lines import read_lines
from pairwright.models import CallLog
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store
from pairwright.modes import MODES, Stage
from pairwright.pairs import Layout, Row, parts_of, read_rows
from pairwright.records import Dropped, Item, Kept, Pair, Record, Rubric
from pairwright.stages.writer import WRITER_PROMPTS

OutcomeKind = Literal["kept", "dropped", "failed", "waiting", "planned"]
LACK_OF_ASPECTS = ("no_personal_signal", "too_few_aspects")
"""The reasons of units that are dropped because too few aspects are left."""
_SETTLED = "kind IN ('kept', 'dropped', 'planned')"
R = TypeVar("R", bound=Record)


class Unit(NamedTuple):
    """The unit of a build: an item in one mode, or the plan of an item."""

    id: str
    mode: str
    """`plan` for the unit that finds out who has a signal."""
    item: int
    """The place of its item in the source."""
    position: int
    """The place of its outcome in the files, which is the source's order; below zero for a plan."""
    partner: str | None = None
    rubric: Rubric | None = None
    """The asker's rubric, if it is planned already."""


class Failed(Record):
    """A unit with a call that failed, or that waits for the reply of a batch."""

    reason: str
    detail: str = ""
    waits: bool = False


class Planned(Record):
    """The plan of one question."""

    rubric: Rubric | Dropped
    """The asker's, or why nothing personal is known."""
    worth: dict[str, int] = Field(default={})
    """The users who could be the partner, with what a couple with each is worth by this question
    (`partners`)."""


Result = Kept | Dropped | Failed | Planned
_KINDS: dict[type[Record], OutcomeKind] = {
    Kept: "kept", Dropped: "dropped", Failed: "failed", Planned: "planned"
}  # fmt: skip


class Outcome(NamedTuple):
    """One row of the table, whose schema says what is in a column (`models.store`)."""

    position: int
    unit: str
    mode: str
    item: str
    user: str
    partner: str | None
    kind: OutcomeKind
    stage: str
    reason: str
    """The reason that the unit was dropped or failed, or the call that it waits for."""
    reached: Stage | None
    """None if that is not known."""
    posts: int
    subject: str | None
    refusals: str
    calls: str
    recorded: str
    record: str
    """Empty in a row that was read without it."""

    def read(self, kind: type[R]) -> R:
        """The record of the unit, which is of this kind. Raises StoreError if it cannot be one."""
        try:
            return kind.model_validate_json(self.record)
        except ValidationError:
            raise StoreError(
                f"the outcome of {self.unit} is of another version of Pairwright\n"
                "  Build again: what is stored is not asked again."
            ) from None


def outcome_of(unit: Unit, item: Item, result: Result, log: CallLog) -> Outcome:
    """The row of one unit."""
    partner = item.opposite.other if item.opposite else unit.partner
    of = result.rubric if isinstance(result, Planned) else result
    waits = isinstance(result, Failed) and result.waits
    return Outcome(
        position=unit.position,
        unit=unit.id,
        mode=unit.mode,
        item=item.id,
        user=item.user,
        partner=partner,
        kind="waiting" if waits else _KINDS[type(result)],
        stage=of.stage if isinstance(of, Dropped) else "",
        reason=of.reason if isinstance(of, Dropped | Failed) else "",
        reached=last_stage(result, unit.mode, partner),
        posts=len(item.profile),
        subject=result.id if isinstance(result, Kept) else None,
        refusals=json.dumps(_refusals(result)),
        calls=json.dumps(log.made),
        recorded=json.dumps(sorted(log.recorded)),
        record=result.model_dump_json(),
    )


def _refusals(result: Result) -> list[str]:
    """The gate that refused each draft; without enough aspects, the reasons for dropped ones."""
    if isinstance(result, Failed | Planned):
        return []
    if isinstance(result, Dropped) and result.reason in LACK_OF_ASPECTS:
        return sorted({one.reason for one in result.dropped}) or ["none_found"]
    drafts = result.refused if isinstance(result, Kept) else result.drafts
    return [draft.refused_by.gate for draft in drafts if draft.refused_by]


def last_stage(result: Result, mode: str, partner: str | None) -> Stage | None:
    """The last stage that a unit reached. None for a plan, if the unit failed or waits, and if an
    unusable reply left open whether its user has a signal."""
    if mode == "plan" or isinstance(result, Failed | Planned):
        return None
    if isinstance(result, Kept):
        return "kept"
    stage, reason, known = result.stage, result.reason, MODES[mode].stages
    if result.drafts or (stage == "gates" and reason != "rubrics_alike"):
        return "drafts"
    if "signal" in known and stage == "partners":
        return "signal"
    if "signal" in known and stage in WRITER_PROMPTS:
        return "partner_signal" if "partner_signal" in known else "signal"
    if "partner" in known and partner is not None:
        # The asker has a signal, so the refusal is about the partner.
        return "partner"
    return None if stage != "gates" and reason in UNUSABLE else "items"


_PAIRS = """
    SELECT pair.value FROM outcomes, json_each(record, '$.pairs') pair
    WHERE kind = 'kept' ORDER BY position, pair.key"""
# Of a dropped unit the refusal, of a kept one the drafts that were refused before.
_DROPPED = """
    SELECT json_object(
        'unit', unit, 'mode', mode, 'item_id', item, 'user', user, 'partner', partner,
        'kept', json(iif(kind = 'kept', 'true', 'false')),
        'dropped', json(iif(kind = 'dropped', record, json_object(
            'stage', 'gates', 'reason', json_extract(refusals, '$[#-1]'),
            'drafts', json_extract(record, '$.refused')))))
    FROM outcomes
    WHERE kind = 'dropped' OR kind = 'kept' AND json_array_length(record, '$.refused')
    ORDER BY position"""
_COLUMNS = ", ".join(Outcome._fields)
_LEAN = ", ".join((*Outcome._fields[:-1], "''"))
_INSERT = (
    f"INSERT OR REPLACE INTO outcomes ({_COLUMNS}, follows)"
    f" VALUES ({', '.join('?' * len(Outcome._fields))}, (SELECT follows FROM run))"
)


class Outcomes:
    """The table `outcomes` of a run."""

    def __init__(self, store: Store) -> None:
        self._db = store

    def begin(self, identity: str) -> None:
        """Begin a run. Settled outcomes that follow from the same identity stay: the same replies
        give them again. Others are forgotten."""
        self._db.execute("UPDATE run SET finished = 0, follows = ?", identity)
        self._db.execute("DELETE FROM outcomes WHERE follows != ?", identity)
        again = f"SELECT 1 FROM outcomes WHERE mode = 'plan' AND NOT {_SETTLED}"
        if self._db.execute(again).fetchone():
            # Another plan may change who is whose partner.
            self._db.execute("DELETE FROM outcomes WHERE mode != 'plan'")
        self._db.execute(f"DELETE FROM outcomes WHERE NOT {_SETTLED}")

    def finish(self) -> None:
        """Note that the files of this run are written."""
        self._db.execute("UPDATE run SET finished = 1")

    @property
    def finished(self) -> bool:
        """Whether the files of the last run are written."""
        return bool(self._db.execute("SELECT finished FROM run").fetchone()[0])

    def add(self, outcome: Outcome) -> None:
        """Write one outcome."""
        self._db.execute(_INSERT, *outcome)

    def ended(self, position: int, unit: str) -> Outcome | None:
        """The outcome of one unit, without its record; None if it has not ended."""
        return next(self.rows("position = ? AND unit = ?", position, unit, whole=False), None)

    def rows(
        self, where: str = "mode != 'plan'", *values: object, whole: bool = True
    ) -> Iterator[Outcome]:
        """The outcomes in source order; without their records if not `whole`."""
        columns = _COLUMNS if whole else _LEAN
        query = f"SELECT {columns} FROM outcomes WHERE {where} ORDER BY abs(position)"
        return (Outcome(*row) for row in self._db.rows(query, *values))


def write_files(store: Store, folder: Path, manifest: JsonValue) -> None:
    """Write the files that are derived from a run: whole, in source order, without times, each by a
    rename. The manifest comes last, so that it speaks of files that are there."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    with on_disk(folder):
        contents = store.rows(_PAIRS), store.rows(_DROPPED), [(text,)]
        for name, lines in zip(FILES, contents, strict=True):
            with (folder / name).with_suffix(".partial").open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for (line,) in lines)
        for name in FILES:
            (folder / name).with_suffix(".partial").replace(folder / name)


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """Read the rows of a release, or the pairs of a run folder or of a `pairs.jsonl`, which hold
    more.

    Raises InputError where there are no pairs, or a line is not a pair.

        >>> [row.chosen for row in load_release("releases/1.0.0") if row.mode == "twin"]
        ['Simmer the beans for an hour ...', ...]
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a run folder or a `pairs.jsonl`, one at a time; raises InputError."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    fix = "Other pairs are read by audit and evaluate. If a build wrote it, build again."
    if path.is_dir():
        fix = "Build again: pairs.jsonl is derived from the run folder's store."
    yield from read_lines(file, Pair, fix=fix)
