"""Units that are verified and released as one: a twin with both its sides, or a single pair. Their
outlines have no text, and can be derived again from a release, which has no refused pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pairwright.errors import InputError
from pairwright.modes import MODES
from pairwright.records import Pair, Record, Side, content_id, dyad_id
from pairwright_human_eval.records import Label


@dataclass(frozen=True)
class Unit:
    """Two responses to one question, and the pairs that are made of them."""

    id: str
    """The twin's id, or the pair's."""
    pairs: tuple[Pair, ...]
    """Both sides of a twin, the asked one first; or one pair."""

    @property
    def asked(self) -> Pair:
        return self.pairs[0]

    @property
    def mode(self) -> str:
        return self.asked.mode

    @property
    def domain(self) -> str:
        return self.asked.domain

    @property
    def label(self) -> Label:
        """Expected answer of people on its pairs."""
        return "equal" if MODES[self.mode].label == "equal" else "chosen"

    @property
    def has_aspects(self) -> bool:
        """Whether there is a rubric to ask people about."""
        return any(pair.rubric.aspects for pair in self.pairs)


def units_of(pairs: Iterable[Pair], file: Path) -> list[Unit]:
    """The units in the order of the file: single pairs, and two pairs of two users with the
    responses swapped, one asked. Raises InputError for any others."""
    together: dict[str, list[Pair]] = {}
    for pair in pairs:
        together.setdefault(pair.twin_id or pair.id, []).append(pair)
    units = []
    for name, parts in together.items():
        unit = Unit(name, tuple(sorted(parts, key=lambda pair: not pair.asked)))
        first, last = unit.pairs[0], unit.pairs[-1]
        whole = len(parts) == (2 if first.twin_id else 1) and sum(one.asked for one in parts) == 1
        swapped = (last.question, last.rejected, last.chosen)
        mirrored = (first.question, first.chosen, first.rejected) == swapped
        if not whole or not (first is last or (first.user != last.user and mirrored)):
            what = f"the {len(parts)} lines of {name} are not one pair, or the two sides of a twin"
            fix = "Build again: pairs.jsonl is derived from the run folder's store."
            raise InputError(what, where=file, fix=fix)
        units.append(unit)
    return units


def swapped_units(units: Sequence[Unit], seed: int) -> frozenset[str]:
    """Ids of the units whose second response is shown as A: every second one of a domain, and of
    each of its modes, in an order that the seed draws, whatever order they are given in."""
    order = sorted(units, key=lambda unit: content_id("side", str(seed), unit.id))
    order.sort(key=lambda unit: (unit.domain, unit.mode))
    found = set[str]()
    for domain, own in groupby(order, key=lambda unit: unit.domain):
        start = int(content_id("side", str(seed), domain)[-1], 16)
        found |= {unit.id for n, unit in enumerate(own, start) if n % 2}
    return frozenset(found)


class OutlinePair(Record):
    """One pair of a unit."""

    id: str
    asked: bool
    aspects: int
    adherence: dict[Side, tuple[int, ...]]
    """The judge's scores, in the order of the aspects; empty if nothing was judged."""


class Outline(Record):
    """One unit: a twin with both sides, or a pair. A line of a release's human/units.jsonl."""

    id: str
    mode: str
    dyad: str
    """The users it is about: the cluster of every interval."""
    label: Label
    pairs: tuple[OutlinePair, ...]
    """Pairs of the unit, the asked one first."""
    quality: dict[str, int]
    """The judge's scores by scale and response, as the items of answers; empty if it gave none."""


def outline_of(unit: Unit) -> Outline:
    """The outline of a unit: the unit without its texts."""
    pairs = []
    for pair in unit.pairs:
        scores = {side: tuple(s.score for s in of.scores) for side, of in pair.adherence.items()}
        aspects = len(pair.rubric.aspects)
        pairs.append(OutlinePair(id=pair.id, asked=pair.asked, aspects=aspects, adherence=scores))
    roles: dict[Side, str] = {"chosen": "first", "rejected": "second"}
    quality = {
        f"{scale} {roles[side]}": score
        for side, given in unit.asked.quality.items()
        for scale, score in given.scores.items()
    }
    dyad = dyad_id(pair.user for pair in unit.pairs)
    return Outline(
        id=unit.id, mode=unit.mode, dyad=dyad, label=unit.label, pairs=tuple(pairs), quality=quality
    )
