"""What one unit counts as, and the entry of the store's index that says so.

Units are counted and looked for by these entries, because their records are long: `status` and
`show` of a large run then answer at once.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from pydantic import ConfigDict, Field

from pairwright.blind_preference import PreferenceCase
from pairwright.construct.funnel import lacks_reply, last_stage
from pairwright.construct.outcomes import Kind, Outcome, reason_of
from pairwright.models import Leniency, Reply, completion_of, parse
from pairwright.models.store import Reading, Store, UnitEntry, UnitIndex
from pairwright.models.store.database import unusable
from pairwright.modes import Stage
from pairwright.records import Mode, Record, Rejected, dyad_id

AT_ONCE = 200
"""Stale entries that are made again in one transaction."""


class UnitTally(Record):
    """What one unit counts as. But for the users of a kept one nothing in it is of this unit alone,
    so that many are equal."""

    mode: Mode
    kind: Kind
    stage: str = ""
    """The stage that refused it."""
    reason: str = ""
    """Why it was refused, failed or waits."""
    pairs: int = 0
    aspects: dict[str, int] = Field(default={})
    """Aspects that a planner inferred, over the pairs: those that rest on `one_post`, and on
    `several_posts`."""
    drafts: dict[str, int] = Field(default={})
    """Refused drafts by gate, those before a kept one included."""
    dropped: tuple[str, ...] = ()
    """Of a unit that was refused for want of aspects: why aspects were dropped."""
    reached: Stage | None = None
    """The last stage that it reached; None where it failed or waits."""
    preference: PreferenceCase | None = None
    """Of a kept unit that was judged."""
    simulated: bool = False
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
        drafts = getattr(result, "drafts" if isinstance(result, Rejected) else "refused", ())
        return cls(
            mode=outcome.mode,
            kind=outcome.kind,
            stage=result.stage if isinstance(result, Rejected) else "",
            reason=reason_of(result),
            pairs=len(outcome.pairs),
            aspects=dict(sorted(aspects.items())),
            drafts=dict(sorted(Counter(d.refused_by.gate for d in drafts if d.refused_by).items())),
            dropped=_dropped(result) if isinstance(result, Rejected) else (),
            reached=last_stage(outcome),
            preference=_preference(outcome),
            simulated=outcome.simulated,
            recorded=outcome.recorded,
            json_replies=outcome.json_replies if settled else 0,
            lenient=dict(sorted(outcome.lenient.items())) if settled else {},
        )


def _dropped(refusal: Rejected) -> tuple[str, ...]:
    if refusal.reason not in ("no_personal_signal", "too_few_aspects"):
        return ()
    return tuple(sorted({drop.reason for drop in refusal.dropped})) or ("none_found",)


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
    nothing = isinstance(result, Rejected) and tally.reason == "no_personal_signal"
    own = isinstance(result, Rejected) and result.user == outcome.user
    return entry._replace(item=outcome.item_id, posts=outcome.posts, no_signal=nothing and own)


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


class _Counted(Reply):
    """What is counted of a stored reply, whatever else it has: the replies of earlier versions name
    no numbers, and a run of theirs keeps its figures."""

    model_config = ConfigDict(extra="ignore")


class _Verdict(_Counted):
    verdict: str


class _Verdicts(_Counted):
    cases: list[_Verdict]


class _Match(_Counted):
    found_in: list[int]


class _Matches(_Counted):
    aspects: list[_Match]


def _carried(text: str) -> list[bool]:
    reply = parse(text, _Verdicts)
    return [] if isinstance(reply, str) else [c.verdict == "carried" for c in reply.cases]


def _matched(text: str) -> list[bool]:
    reply = parse(text, _Matches)
    return [] if isinstance(reply, str) else [bool(a.found_in) for a in reply.aspects]


READERS: dict[str, Callable[[str], list[bool]]] = {
    "support": _carried,
    "support_control": _carried,
    "planner_precision": _matched,
    "planner_recall": _matched,
}
"""How a reply is read that measures a model, by the purpose of its call."""
