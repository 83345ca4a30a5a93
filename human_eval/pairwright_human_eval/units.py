"""What is verified and released as one: a twin with both its halves, or a single pair.

Which response is shown as A is a pure function of the study's seed, a salt and the unit's id. The
salt, one a domain and kept in the key, is the first that makes the two orders about equally
frequent in that domain, and in each of its modes.

An outline is a unit without any text: what decisions and figures need of it beside the answers, so
that they can be derived again from a release, which has no refused pairs.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from pathlib import Path

from pairwright.errors import InputError
from pairwright.modes import MODES
from pairwright.records import Pair, Record, Side, draw_id, dyad_id
from pairwright_human_eval.records import Label


@dataclass(frozen=True)
class Unit:
    """Two responses to one question, and the pairs that are made of them."""

    id: str
    """The twin's id, or the pair's."""
    pairs: tuple[Pair, ...]
    """Both halves of a twin, the asked one first; or one pair."""

    @property
    def asked(self) -> Pair:
        return self.pairs[0]

    @property
    def domain(self) -> str:
        return self.asked.domain

    @property
    def first(self) -> str:
        """The response that is chosen for the user who asked."""
        return self.asked.chosen

    @property
    def second(self) -> str:
        return self.asked.rejected

    @property
    def has_aspects(self) -> bool:
        """Whether there is a rubric to ask people about."""
        return any(pair.rubric.aspects for pair in self.pairs)

    @property
    def mode(self) -> str:
        return self.asked.mode


def label_of(pair: Pair) -> Label:
    """What people are to say of a pair."""
    return "equal" if MODES[pair.mode].label == "equal" else "chosen"


def units_of(pairs: Iterable[Pair], file: Path) -> list[Unit]:
    """The units in the order of the file. Raises InputError for half a twin."""
    together: dict[str, list[Pair]] = {}
    for pair in pairs:
        together.setdefault(pair.twin_id or pair.id, []).append(pair)
    units = []
    for name, parts in together.items():
        unit = Unit(name, tuple(sorted(parts, key=lambda pair: not pair.asked)))
        if wrong := _fault(unit):
            raise InputError(
                wrong,
                where=file,
                fix="Build again: pairs.jsonl is derived from the run folder's store.",
            )
        units.append(unit)
    return units


def _fault(unit: Unit) -> str:
    """Why the pairs are no whole unit; empty if they are one."""
    expected = 1 if unit.asked.twin_id is None else 2
    if len(unit.pairs) != expected or sum(pair.asked for pair in unit.pairs) != 1:
        n = len(unit.pairs)
        return f"lines of {unit.id}: {n}, and it must have {expected}, one of them asked"
    first, last = unit.pairs[0], unit.pairs[-1]
    mirrored = (last.question, last.rejected, last.chosen)
    if first is not last and (
        first.user == last.user or (first.question, first.chosen, first.rejected) != mirrored
    ):
        return f"the halves of {unit.id} are not one question with chosen and rejected swapped"
    return ""


def sample(units: list[Unit], n: int | None, seed: int) -> list[Unit]:
    """`n` units drawn by their ids, in the order given; all if `n` is None."""
    if n is None or n >= len(units):
        return units
    order = sorted(units, key=lambda unit: draw_id("sample", str(seed), unit.id))
    drawn = {unit.id for unit in order[:n]}
    return [unit for unit in units if unit.id in drawn]


def file_hash(path: Path) -> str:
    """`sha256:` of a file's bytes."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def swapped(seed: int, salt: int, unit: str) -> bool:
    """Whether the unit's second response is shown as A."""
    text = f"side {seed} {salt} {unit}".encode()
    return bool(blake2b(text, digest_size=1).digest()[0] & 1)


def salts(units: Iterable[Unit], seed: int) -> dict[str, int]:
    """By domain, the first salt under which the numbers of both orders differ by at most
    1 + n/200: in all, and in each mode."""
    by_domain: dict[str, list[Unit]] = {}
    for unit in units:
        by_domain.setdefault(unit.domain, []).append(unit)
    found = {}
    for domain, own in sorted(by_domain.items()):
        groups = [[unit.id for unit in own]]
        for mode in {unit.mode for unit in own}:
            groups.append([unit.id for unit in own if unit.mode == mode])
        found[domain] = next(
            salt for salt in count() if all(_balanced(group, seed, salt) for group in groups)
        )
    return found


def _balanced(ids: list[str], seed: int, salt: int) -> bool:
    second = sum(swapped(seed, salt, name) for name in ids)
    return abs(2 * second - len(ids)) <= 1 + len(ids) // 200


class OutlinePair(Record):
    """One pair of a unit."""

    id: str
    asked: bool
    aspects: int
    adherence: dict[Side, tuple[int, ...]]
    """The judge's scores, in the order of the aspects; empty if nothing was judged."""


class Outline(Record):
    """One unit: a twin with both halves, or a pair. A line of a release's human/units.jsonl."""

    id: str
    mode: str
    dyad: str
    """The users it is about: the cluster of every interval."""
    label: Label
    pairs: tuple[OutlinePair, ...]
    """The asked one first."""
    quality: dict[str, int]
    """The judge's scores by scale and response, as the items of answers; empty if it gave none."""


def outline_of(unit: Unit) -> Outline:
    """What is left of a unit without its texts."""
    roles: dict[Side, str] = {"chosen": "first", "rejected": "second"}
    return Outline(
        id=unit.id,
        mode=unit.mode,
        dyad=dyad_id(pair.user for pair in unit.pairs),
        label=label_of(unit.asked),
        pairs=tuple(
            OutlinePair(
                id=pair.id,
                asked=pair.asked,
                aspects=len(pair.rubric.aspects),
                adherence={
                    side: tuple(score.score for score in given.scores)
                    for side, given in pair.adherence.items()
                },
            )
            for pair in unit.pairs
        ),
        quality={
            f"{scale} {roles[side]}": score
            for side, given in unit.asked.quality.items()
            for scale, score in given.scores.items()
        },
    )
