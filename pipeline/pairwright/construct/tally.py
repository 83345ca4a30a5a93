"""Counting the outcomes of a run: what the table, `status` and the manifest are made of."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from pydantic import AliasChoices, Field, JsonValue
from pydantic_core import from_json

from pairwright.construct.outcomes import stages_up_to, unusable_reply
from pairwright.estimate import Estimate, share
from pairwright.models import Reply, completion_of, parse
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store, UnitRow, unusable
from pairwright.modes import MODES, Stage


class _Entries(Reply, extra="ignore"):
    """What is counted of a stored reply, whatever else it has."""

    entries: list[dict[str, JsonValue]] = Field(validation_alias=AliasChoices("cases", "aspects"))


def _values(text: str, field: str, kind: type) -> list[JsonValue]:
    """The field of each entry; none where the reply cannot be read, or an entry lacks it."""
    reply = parse(text, _Entries)
    values = [] if isinstance(reply, str) else [entry.get(field) for entry in reply.entries]
    return values if all(isinstance(value, kind) for value in values) else []


def _carried(text: str) -> list[bool]:
    return [verdict == "carried" for verdict in _values(text, "verdict", str)]


def _matched(text: str) -> list[bool]:
    return [bool(lists) for lists in _values(text, "found_in", list)]


READERS: dict[str, Callable[[str], list[bool]]] = {
    "support": _carried,
    "support_control": _carried,
    "planner_precision": _matched,
    "planner_recall": _matched,
}
"""How a reply is read that measures a model, by the purpose of its call."""


class ReplyCheck(NamedTuple):
    """A share over the replies of some calls, by which a model of the build is judged."""

    name: str
    """The purpose of the calls, such as `support_control`."""
    meaning: str
    found: Estimate
    """k of n cases, with its 95 % interval."""


CHECKS = {
    "support": "support by own post",
    "support_control": "support by stranger's post",
    "planner_precision": "planned, in the gold list",
    "planner_recall": "gold, in the plan",
}
"""What is counted of the replies that measure a model, by the purpose of their calls."""


UNUSABLE_SHARE = 0.1
"""The share of units without a usable reply above which a run is short."""
_LENGTHS = ((1, 2), (3, 4), (5, 9), (10, 19), (20, None))
"""Profiles are counted together by length: the headline figure of no personal signal."""


@dataclass
class Tally:
    """Outcomes, counted."""

    kept: Counter[str] = field(default_factory=Counter)
    """Units by mode."""
    pairs: Counter[str] = field(default_factory=Counter)
    """Pairs by mode: a twin gives two."""
    rejected: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Refused units by mode, stage and reason."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Units that were refused for want of aspects, by why aspects were dropped; a unit counts once
    for each reason."""
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Failed units by mode and reason."""
    waiting: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Waiting units by mode and the purpose of the call that has no reply yet."""
    drafts: Counter[str] = field(default_factory=Counter)
    """Refused drafts by gate, those before a kept one included."""
    no_signal: Counter[tuple[int, bool]] = field(default_factory=Counter)
    """The items whose rubric was inferred, by the profile's length, and whether nothing was
    left."""
    reached: Counter[tuple[str, Stage]] = field(default_factory=Counter)
    """Units by mode and by each stage that they reached."""
    recorded: set[str] = field(default_factory=set)
    """Models whose replies came from a recording."""
    readings: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Over the replies that measure a model, by purpose: the cases that passed, and all cases."""

    def add(self, row: UnitRow, outcome: dict[str, Any]) -> None:
        """Count a unit; `outcome` is its record."""
        mode, result = row.mode, outcome["result"]
        self.reached.update((mode, stage) for stage in stages_up_to(mode, row.reached))
        self.recorded.update(outcome["recorded"])
        match row.kind:
            case "kept":
                pairs = result["pairs"]
                self.kept[mode] += 1
                self.pairs[mode] += len(pairs)
            case "rejected":
                self.rejected[mode, row.stage, row.reason] += 1
                if row.reason in ("no_personal_signal", "too_few_aspects"):
                    why = {drop["reason"] for drop in result["dropped"]}
                    self.dropped.update(why or {"none_found"})
            case "failed":
                self.failed[mode, row.reason] += 1
            case "waiting":
                self.waiting[mode, row.reason] += 1
        for draft in result.get("refused") or result.get("drafts") or ():
            refused = [gate["gate"] for gate in draft["gates"] if not gate["passed"]]
            self.drafts.update(refused[:1])

    @property
    def unusable(self) -> Counter[tuple[str, str]]:
        """The units that were refused because no reply could be used, by prompt and reason."""
        found = Counter[tuple[str, str]]()
        for (_, stage, reason), n in self.rejected.items():
            if lacking := unusable_reply(stage, reason):
                found[lacking] += n
        return found

    @property
    def short_of_replies(self) -> bool:
        """Whether so many were that the run does not speak for its items."""
        ended = self.kept.total() + self.rejected.total()
        return self.unusable.total() > UNUSABLE_SHARE * ended

    @property
    def nothing_kept(self) -> bool:
        """Whether all units have ended, and none of them was kept."""
        return bool(self.units) and not self.kept.total() and not self.waiting.total()

    @property
    def is_short(self) -> bool:
        """Whether units failed, too many had no usable reply, or nothing is kept."""
        return bool(self.failed) or self.short_of_replies or self.nothing_kept

    @property
    def units(self) -> int:
        ended = (self.kept, self.rejected, self.failed, self.waiting)
        return sum(some.total() for some in ended)

    @property
    def checks(self) -> tuple[ReplyCheck, ...]:
        """Each check with its share over the calls of a run; replies that cannot be read count for
        nothing."""
        return tuple(
            ReplyCheck(name, meaning, share(*self.readings.get(name, (0, 0))))
            for name, meaning in CHECKS.items()
        )

    def of_mode(self, mode: str) -> int:
        """Units of one mode, whatever came of them."""
        ended = [*self.rejected.items(), *self.failed.items(), *self.waiting.items()]
        return self.kept[mode] + sum(n for (one, *_), n in ended if one == mode)

    def no_signal_by_length(self) -> list[tuple[str, Estimate]]:
        """Share of items refused for want of personal signal, by number of earlier posts."""
        rows = []
        for low, high in _LENGTHS:
            items = Counter[bool]()
            for (posts, nothing), n in self.no_signal.items():
                if posts >= low and (high is None or posts <= high):
                    items[nothing] += n
            if items:
                name = f"{low} or more" if high is None else f"{low} to {high}"
                rows.append((name, share(items[True], items.total())))
        return rows


def tally_outcomes(store: Store) -> Tally:
    """The units of the last run, counted. Raises StoreError where a reply is damaged."""
    counted = Tally()
    for _, units in groupby(store.outcomes(), key=lambda row: row.item):
        signal: tuple[int, bool] | None = None
        # A reply that several units of an item share is counted once.
        measuring = set[tuple[str, str]]()
        for row in units:
            # As records, drafts and profiles would take a hundred times as long to read.
            outcome = from_json(row.record, cache_strings="keys")
            counted.add(row, outcome)
            if (nothing := _shows_nothing(row, outcome)) is not None:
                signal = row.posts, nothing
            measuring |= {(name, key) for name, key in outcome["calls"] if name in READERS}
        if signal:
            counted.no_signal[signal] += 1
        for purpose, key in sorted(measuring):
            cases = _read(store, key, READERS[purpose])
            passed, n = counted.readings.get(purpose, (0, 0))
            counted.readings[purpose] = passed + sum(cases), n + len(cases)
    return counted


def _shows_nothing(row: UnitRow, outcome: dict[str, Any]) -> bool | None:
    """Whether nothing was left of the asker's rubric; None where it was not inferred, or a reply is
    missing or cannot be used."""
    if row.kind in ("failed", "waiting") or all(name != "plan" for name, _ in outcome["calls"]):
        return None
    if row.kind == "rejected" and row.stage != "gates" and row.reason in UNUSABLE:
        return None
    if "signal" not in MODES[row.mode].stages:
        # It is of a question on which the survey found nothing.
        return row.reason != "personal_signal"
    return row.reason == "no_personal_signal" and outcome["result"]["user"] == row.user


def _read(store: Store, key: str, read: Callable[[str], list[bool]]) -> list[bool]:
    """Which cases of a stored reply passed; none where the reply is gone."""
    if (body := store.get(key)) is None:
        return []
    try:
        return read(completion_of(key, body).text)
    except ValueError as error:
        raise unusable(store.path, error, key) from None
