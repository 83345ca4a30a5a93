"""What one release has that another has not, subject by subject: a twin is one."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from pairwright.dataset import Layout, Part, Row
from pairwright.release.records import Change, Unit
from pairwright.release.select import NOT_ASKED, SIMULATED, why_not_verified
from pairwright.release.summary import rows_of
from pairwright.release.told import Told
from pairwright_human_eval.decisions import Decision

FIELDS = tuple(Row.model_fields)
FORGOTTEN, GONE = "forgotten", "no longer in the source"
EITHER = f"{FORGOTTEN}, or {GONE}"
"""Of one subject it cannot be told: a release names nobody who is to be forgotten."""


class Sketch(NamedTuple):
    """What is held in memory of a subject's rows."""

    part: Part
    simulated: bool
    pairs: dict[str, bytes]
    """By id: a hash of each field, in the order of FIELDS, good within this process."""


class Difference(NamedTuple):
    """One subject that was added, removed or changed."""

    subject: str
    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    pairs: tuple[str, ...]


class Sketches:
    """Rows in, sketches by subject out."""

    def __init__(self) -> None:
        self.found: dict[str, Sketch] = {}

    def add(self, part: Part, row: Row) -> None:
        sketch = self.found.setdefault(row.subject, Sketch(part, row.simulated, {}))
        hashes = (hash(getattr(row, name)) for name in FIELDS)
        sketch.pairs[row.id] = array("q", hashes).tobytes()


def sketches_of(layout: Layout, seen: Callable[[Row], None] = lambda _: None) -> dict[str, Sketch]:
    """Read a release's rows; `seen` is told each. Raises InputError where they are none."""
    sketches = Sketches()
    for part, row in rows_of(layout):
        sketches.add(part, row)
        seen(row)
    return sketches.found


class Sides(NamedTuple):
    """What tells why: the decisions and units of the release before and the one after."""

    decisions_before: Mapping[str, Decision]
    decisions: Mapping[str, Decision]
    units_before: Iterable[Unit]
    units: Iterable[Unit]


def sides_of(before: Told, after: Told) -> Sides:
    decided = [told.public.decisions if told.public else {} for told in (before, after)]
    return Sides(decided[0], decided[1], before.units, after.units)


def differences(
    before: Mapping[str, Sketch], after: Mapping[str, Sketch], sides: Sides
) -> Iterator[Difference]:
    """By subject: removed and changed ones in the order of the release before, then added ones."""
    fate = _fates(sides)
    for name, old in before.items():
        new, config = after.get(name), old.part.config
        if new is None:
            reason = _why_removed(sides.decisions.get(name), fate.get(name, EITHER), old)
            yield Difference(name, config, "removed", reason, tuple(old.pairs))
        elif new.part.config != config:
            yield Difference(
                name, config, "removed", f"moved to {new.part.config}", tuple(old.pairs)
            )
        elif reason := _what_changed(old, new):
            yield Difference(name, config, "changed", reason, tuple(new.pairs))
    for name, new in after.items():
        was, config = before.get(name), new.part.config
        if was is None:
            decision = sides.decisions_before.get(name)
            reason = f"was {decision.state}" if decision else "new"
            yield Difference(name, config, "added", reason, tuple(new.pairs))
        elif was.part.config != config:
            yield Difference(
                name, config, "added", f"moved from {was.part.config}", tuple(new.pairs)
            )


def _fates(sides: Sides) -> dict[str, str]:
    """By subject that the build before kept: what came of its unit, where that is known."""
    now = {unit.unit: unit for unit in sides.units}
    units = ((unit.subject, now.get(unit.unit)) for unit in sides.units_before)
    fates = {subject: _fate(ended, subject) for subject, ended in units if subject and ended}
    # A unit of the build after may have another name and the same subject.
    return fates | {unit.subject: NOT_ASKED for unit in sides.units if unit.subject}


def _fate(ended: Unit, subject: str) -> str:
    if ended.outcome == "kept":
        return NOT_ASKED if ended.subject == subject else "built anew"
    return ": ".join(filter(None, (ended.outcome, ended.stage, ended.reason)))


def _why_removed(decision: Decision | None, fate: str, old: Sketch) -> str:
    if decision:
        return why_not_verified(decision) or "verified, and not released"
    return SIMULATED if old.simulated and fate == NOT_ASKED else fate


def _what_changed(old: Sketch, new: Sketch) -> str:
    """The fields, in the order of a row's; empty where nothing has."""
    if old.pairs.keys() != new.pairs.keys():
        return "id"
    changed = {
        n
        for pair, before in old.pairs.items()
        for n, (a, b) in enumerate(zip(_hashes(before), _hashes(new.pairs[pair]), strict=True))
        if a != b
    }
    told = [FIELDS[n] for n in sorted(changed)]
    if old.part.split != new.part.split:
        told.append("other split")
    return ", ".join(told)


def _hashes(packed: bytes) -> Iterable[int]:
    return array("q", packed)


def counted(found: Iterable[Difference]) -> tuple[Change, ...]:
    """Pairs by configuration, what happened, and why."""
    counts = Counter[tuple[str, str, str]]()
    for of in found:
        counts[of.config, of.what, of.reason] += len(of.pairs)
    return tuple(
        Change.model_validate({"config": config, "what": what, "reason": reason, "pairs": n})
        for (config, what, reason), n in sorted(counts.items())
    )
