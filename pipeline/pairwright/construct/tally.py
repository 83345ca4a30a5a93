"""Counting the outcomes of a run: what one unit counts as, the entry of the store's index that says
so, and what the table, `status` and the manifest are made of.

Units are counted and looked for by these entries, because their records are long: `status` and
`show` of a large run then answer at once.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import AliasChoices, Field, JsonValue

from pairwright.blind_preference import PreferenceCase, PreferenceFigure, preference_figures
from pairwright.construct.outcomes import (
    Outcome,
    OutcomeKind,
    lacks_reply,
    last_stage,
    reason_of,
    stages_up_to,
    unusable_reply,
)
from pairwright.estimate import Estimate, share
from pairwright.models import Leniency, Reply, completion_of, parse
from pairwright.models.store import Reading, Store, UnitEntry, UnitIndex
from pairwright.models.store.database import unusable
from pairwright.modes import Stage
from pairwright.records import Mode, Record, Rejected, dyad_id

AT_ONCE = 200
"""Stale entries that are made again in one transaction."""


class UnitTally(Record):
    """What one unit counts as in a `Tally`. But for the users of a kept one nothing in it is of
    this unit alone, so that many are equal."""

    mode: Mode
    kind: OutcomeKind
    stage: str = ""
    """The stage that refused it."""
    reason: str = ""
    """Why it was refused, failed or waits."""
    pairs: int = 0
    aspects: dict[str, int] = Field(default={})
    drafts: dict[str, int] = Field(default={})
    dropped: tuple[str, ...] = ()
    reached: Stage | None = None
    """The last stage that it reached; None where it failed or waits."""
    preference: PreferenceCase | None = None
    """Of a kept unit that was judged."""
    recorded: tuple[str, ...] = ()
    json_replies: int = 0
    lenient: dict[Leniency, int] = Field(default={})

    @classmethod
    def of(cls, outcome: Outcome) -> "UnitTally":
        """What a unit with this outcome counts as."""
        result = outcome.result
        settled = outcome.kind in ("kept", "rejected")
        aspects = Counter(
            "one_post" if len(aspect.post_ids) == 1 else "several_posts"
            for pair in outcome.pairs
            if pair.rubric.inferable
            for aspect in pair.rubric.aspects
        )
        drafts = outcome.refusal.drafts if outcome.refusal else ()
        dropped: tuple[str, ...] = ()
        if reason_of(result) in ("no_personal_signal", "too_few_aspects"):
            why = {drop.reason for drop in outcome.refusal.dropped} if outcome.refusal else ()
            dropped = tuple(sorted(why)) or ("none_found",)
        return cls(
            mode=outcome.mode,
            kind=outcome.kind,
            stage=result.stage if isinstance(result, Rejected) else "",
            reason=reason_of(result),
            pairs=len(outcome.pairs),
            aspects=dict(sorted(aspects.items())),
            drafts=dict(sorted(Counter(d.refused_by.gate for d in drafts if d.refused_by).items())),
            dropped=dropped,
            reached=last_stage(outcome),
            preference=_preference(outcome),
            recorded=outcome.recorded,
            json_replies=outcome.json_replies if settled else 0,
            lenient=dict(sorted(outcome.lenient.items())) if settled else {},
        )


def _preference(outcome: Outcome) -> PreferenceCase | None:
    """The judge's of the first pair: of a twin, that of the user who asked."""
    pair = next(iter(outcome.pairs), None)
    if pair is None or pair.judge is None:
        return None
    users = {user for user in (outcome.user, outcome.partner) if user}
    return PreferenceCase(mode=pair.mode, cluster=dyad_id(users), preference=pair.blind_preference)


def names_of(outcome: Outcome) -> frozenset[str]:
    """The ids by which people look for a unit: its own, its item's, its twin's, its pairs'."""
    pairs = {name for pair in outcome.pairs for name in (pair.id, pair.twin_id or pair.id)}
    return frozenset({outcome.unit, outcome.item_id} | pairs)


def entry_of(outcome: Outcome, store: Store) -> UnitEntry:
    """The index's entry of a unit whose replies are stored.

    Raises StoreError where a reply is damaged.
    """
    tally, result = UnitTally.of(outcome), outcome.result
    readings, missing = [], False
    for call in outcome.calls:
        if call.purpose not in READERS:
            continue
        if (body := store.get(call.key)) is None:
            missing = True
            continue
        try:
            passed = READERS[call.purpose](completion_of(call.key, body).text)
        except ValueError as error:
            raise unusable(store.path, error, call.key) from None
        readings.append(Reading(call.purpose, call.key, sum(passed), len(passed)))
    text = tally.model_dump_json(exclude_defaults=True)
    entry = UnitEntry(text, names_of(outcome), (*readings,), stale=missing)
    if tally.kind in ("failed", "waiting") or all(call.purpose != "plan" for call in outcome.calls):
        return entry
    if isinstance(result, Rejected) and lacks_reply(result):
        return entry
    if outcome.mode == "placebo":
        # It is of a question on which the survey found nothing.
        nothing = tally.reason != "personal_signal"
    else:
        own = isinstance(result, Rejected) and result.user == outcome.user
        nothing = own and tally.reason == "no_personal_signal"
    return entry._replace(item=outcome.item_id, posts=outcome.posts, no_signal=nothing)


def renew_index(store: Store) -> None:
    """Make the stale entries of a store again that is open for writing."""
    if index := store.index:
        stale = index.stale()
        for start in range(0, len(stale), AT_ONCE):
            index.put(_entries(store, stale[start : start + AT_ONCE]))


def index_of(store: Store) -> UnitIndex:
    """The index of a store with an entry for each unit: its own, or one in memory where that has
    stale ones, which takes as long as reading every unit."""
    if (index := store.index) and not index.stale():
        return index
    index, entries = UnitIndex.in_memory(store.path), _entries(store, store.positions())
    index.put((position, entry._replace(stale=False)) for position, entry in entries)
    return index


def _entries(store: Store, positions: list[int]) -> Iterator[tuple[int, UnitEntry]]:
    for position in positions:
        if (record := store.record(position)) is not None:
            yield position, entry_of(Outcome.model_validate_json(record), store)


def unit_tallies(store: Store) -> Iterator[tuple[str, UnitTally]]:
    """The units of the last run, each with what it counts as, in source order."""
    names = dict(store.units())
    for position, text in index_of(store).units():
        if position in names:
            yield names[position], UnitTally.model_validate_json(text)


class _Entries(Reply, extra="ignore"):
    """What is counted of a stored reply, whatever else it has: the replies of earlier versions name
    no numbers, and a run of theirs keeps its figures."""

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
    aspects: Counter[str] = field(default_factory=Counter)
    """Aspects that a planner inferred, over the pairs: those that rest on `one_post`, and on
    `several_posts`."""
    drafts: Counter[str] = field(default_factory=Counter)
    """Refused drafts by gate, those before a kept one included."""
    no_signal: Counter[tuple[int, bool]] = field(default_factory=Counter)
    """The items whose rubric was inferred, by the profile's length, and whether nothing was
    left."""
    reached: Counter[tuple[Mode, Stage]] = field(default_factory=Counter)
    """Units by mode and by each stage that they reached."""
    preferences: Counter[PreferenceCase] = field(default_factory=Counter)
    """Kept units that were judged."""
    recorded: set[str] = field(default_factory=set)
    """Models whose replies came from a recording."""
    json_replies: int = 0
    """Readings of replies as JSON, by the units that were kept or rejected: a reply that several
    units share counts for each."""
    lenient: Counter[Leniency] = field(default_factory=Counter)
    """Those of them in which something had to be overlooked."""
    readings: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Over the replies that measure a model, by purpose: the cases that passed, and all cases."""

    def add(self, unit: UnitTally, n: int = 1) -> None:
        """Count n units of this tally."""
        mode = unit.mode
        self.reached.update({(mode, stage): n for stage in stages_up_to(mode, unit.reached)})
        self.recorded.update(unit.recorded)
        if unit.preference:
            self.preferences[unit.preference] += n
        match unit.kind:
            case "kept":
                self.kept[mode] += n
                self.pairs[mode] += n * unit.pairs
            case "rejected":
                self.rejected[mode, unit.stage, unit.reason] += n
                self.dropped.update(dict.fromkeys(unit.dropped, n))
            case "failed":
                self.failed[mode, unit.reason] += n
            case "waiting":
                self.waiting[mode, unit.reason] += n
        self.aspects.update({name: n * times for name, times in unit.aspects.items()})
        self.drafts.update({gate: n * times for gate, times in unit.drafts.items()})
        self.lenient.update({kind: n * times for kind, times in unit.lenient.items()})
        self.json_replies += n * unit.json_replies

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

    @property
    def preference_figures(self) -> tuple[PreferenceFigure, ...]:
        """Which response a judge that knows nobody prefers, by mode."""
        return preference_figures(self.preferences.elements())

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
    """The units of the last run, counted."""
    counted, index = Tally(), index_of(store)
    for text, n in index.tallies():
        counted.add(UnitTally.model_validate_json(text), n)
    counted.no_signal = index.signals()
    counted.readings = index.readings()
    return counted
