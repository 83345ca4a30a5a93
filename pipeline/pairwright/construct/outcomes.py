"""What came of each unit: a row of the table `outcomes` in run.sqlite, written when the unit ends.

Every figure of a run is SQL over this table, and the files of a run are written from it.
"""

import json
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeVar

from pairwright.models import CallLog
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store
from pairwright.modes import MODES, Stage
from pairwright.records import Draft, Dropped, Item, Kept, Record, Rubric
from pairwright.stages.writer import WRITER_PROMPTS

OutcomeKind = Literal["kept", "dropped", "failed", "waiting", "planned"]
LACK_OF_ASPECTS = ("no_personal_signal", "too_few_aspects")
"""The reasons of units that are dropped because too few aspects are left."""
_SETTLED = "kind IN ('kept', 'dropped', 'planned')"
R = TypeVar("R", bound=Record)


class Unit(NamedTuple):
    """What is built as one: an item in one mode, or the plan of an item."""

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
    settled: "Dropped | Failed | None" = None
    """What came of the unit, if its plan or the matching decided it."""


class Failed(Record):
    """A unit of which a call failed, or waits for the reply of a batch."""

    reason: str
    detail: str = ""
    waits: bool = False


class PossiblePartner(NamedTuple):
    """A user who may be the partner for a question."""

    user: str
    bearing: float
    """The share of the question's content words that the posts hold, 0 to 1."""


class Planned(Record):
    """What is known of one question."""

    rubric: Rubric | Dropped
    """The asker's, or why nothing personal is known."""
    possible: tuple[PossiblePartner, ...] = ()
    """If the asker has a signal, the users who have one, too; else users of whom nothing is known,
    for a placebo."""
    unplanned: tuple[PossiblePartner, ...] = ()
    """Users who suit the question and were not planned for: whether they have a signal is seen if
    they are the asker's partner by another question."""


UnitResult = Kept | Dropped | Failed | Planned


class Outcome(NamedTuple):
    """One row of the table."""

    position: int
    unit: str
    mode: str
    item: str
    user: str
    partner: str | None
    kind: OutcomeKind
    stage: str
    """What dropped the unit."""
    reason: str
    """Why the unit was dropped or failed, or the call that it waits for."""
    reached: Stage | None
    """The last stage of its mode that the unit reached; None if that is not known."""
    posts: int
    """The length of the asker's profile."""
    subject: str | None
    """The id of the kept pair or twin."""
    refusals: str
    """JSON: the gate of each refused draft; or, if too few aspects were left, why they went."""
    calls: str
    """JSON: the purpose of each call by its key."""
    recorded: str
    """JSON: the models whose replies came from a recording."""
    record: str
    """JSON: the kept pairs and refused drafts, the refusal, the failure, or the plan. Empty in a
    row that was read without it."""

    def read(self, kind: type[R]) -> R:
        """The record of the unit, which is of this kind."""
        return kind.model_validate_json(self.record)


def outcome_of(unit: Unit, item: Item, result: UnitResult, log: CallLog) -> Outcome:
    """The row of one unit."""
    kind, stage, reason, subject, refusals = _summary(result)
    partner = item.opposite.other if item.opposite else unit.partner
    return Outcome(
        position=unit.position,
        unit=unit.id,
        mode=unit.mode,
        item=item.id,
        user=item.user,
        partner=partner,
        kind=kind,
        stage=stage,
        reason=reason,
        reached=last_stage(result, unit.mode, partner),
        posts=len(item.profile),
        subject=subject,
        refusals=json.dumps(refusals),
        calls=json.dumps(log.made),
        recorded=json.dumps(sorted(log.recorded)),
        record=result.model_dump_json(),
    )


def _summary(result: UnitResult) -> tuple[OutcomeKind, str, str, str | None, list[str]]:
    """Kind, stage, reason, subject and refusals of a result."""
    match result:
        case Failed():
            return "waiting" if result.waits else "failed", "", result.reason, None, []
        case Planned(rubric=Dropped(stage=stage, reason=reason)):
            return "planned", stage, reason, None, []
        case Planned():
            return "planned", "", "", None, []
        case Dropped(reason=reason) if reason in LACK_OF_ASPECTS:
            why = sorted({one.reason for one in result.dropped}) or ["none_found"]
            return "dropped", result.stage, reason, None, why
        case Dropped():
            return "dropped", result.stage, result.reason, None, _gates(result.drafts)
        case Kept():
            return "kept", "", "", result.id, _gates(result.refused)


def _gates(drafts: tuple[Draft, ...]) -> list[str]:
    """The gate that refused each draft."""
    return [draft.refused_by.gate for draft in drafts if draft.refused_by]


def last_stage(result: UnitResult, mode: str, partner: str | None) -> Stage | None:
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
