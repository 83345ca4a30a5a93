"""Counting the outcomes of a run: what the table, `status` and the manifest are made of."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import ConfigDict

from pairwright.construct.funnel import stages_reached
from pairwright.construct.outcomes import Failure, Outcome, Pending, iterate_outcomes
from pairwright.models import Leniency, Reply, completion_of, parse
from pairwright.models.store import Store
from pairwright.modes import Stage
from pairwright.records import Draft, Mode, Rejected
from pairwright.stats import Share, share

# Profiles are counted together by length: the headline figure of no personal signal.
MEASURED = ("support", "support_control", "planner_precision", "planner_recall")
_LENGTHS = ((1, 2), (3, 4), (5, 9), (10, 19), (20, None))


@dataclass
class Tally:
    """Outcomes, counted."""

    kept: Counter[str] = field(default_factory=Counter)
    """Units by mode."""
    pairs: Counter[str] = field(default_factory=Counter)
    """Pairs by mode: a twin gives two."""
    rejected: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Refused units by mode, stage and reason."""
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Failed units by mode and reason."""
    waiting: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Waiting units by mode and the purpose of the call that has no reply yet."""
    aspects: Counter[str] = field(default_factory=Counter)
    """Aspects that a planner inferred, over the pairs: those that rest on `one_post`, and on
    `several_posts`."""
    drafts: Counter[str] = field(default_factory=Counter)
    """Refused drafts by gate, those before a kept one included."""
    no_signal: dict[str, tuple[int, bool]] = field(default_factory=dict)
    """The items whose rubric was inferred: the profile's length, and whether nothing was left."""
    reached: Counter[tuple[Mode, Stage]] = field(default_factory=Counter)
    """Units by mode and by each stage that they reached."""
    simulated: int = 0
    recorded: set[str] = field(default_factory=set)
    """Models whose replies came from a recording."""
    json_replies: int = 0
    """Readings of replies as JSON, by the units that were kept or rejected: a reply that several
    units share counts for each."""
    lenient: Counter[Leniency] = field(default_factory=Counter)
    """Those of them in which something had to be overlooked."""
    calls: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in MEASURED})
    """Keys of the calls that measure a model, by purpose; `model_checks` reads their replies."""

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        mode, result = outcome.mode, outcome.result
        for call in outcome.calls:
            if call.purpose in MEASURED:
                self.calls[call.purpose].add(call.key)
        self.reached.update((mode, stage) for stage in stages_reached(outcome))
        self.simulated += outcome.simulated
        self.recorded.update(outcome.recorded)
        if isinstance(result, Failure):
            self.failed[mode, result.failure] += 1
            return
        if isinstance(result, Pending):
            self.waiting[mode, result.waits_for] += 1
            return
        self.json_replies += outcome.json_replies
        self.lenient.update(outcome.lenient)
        refused: tuple[Draft, ...]
        if isinstance(result, Rejected):
            self.rejected[mode, result.stage, result.reason] += 1
            refused = result.drafts
        else:
            self.kept[mode] += 1
            self.pairs[mode] += len(outcome.pairs)
            self.aspects.update(
                "one_post" if len(aspect.post_ids) == 1 else "several_posts"
                for pair in outcome.pairs
                if pair.rubric.inferable
                for aspect in pair.rubric.aspects
            )
            refused = result.refused
        self.drafts.update(d.refused_by.gate for d in refused if d.refused_by)
        if any(call.purpose == "plan" for call in outcome.calls):
            nothing = isinstance(result, Rejected) and result.reason == "no_personal_signal"
            own = isinstance(result, Rejected) and result.user == outcome.user
            self.no_signal[outcome.item_id] = (outcome.posts, nothing and own)

    @property
    def units(self) -> int:
        ended = (self.kept, self.rejected, self.failed, self.waiting)
        return sum(some.total() for some in ended)

    def of_mode(self, mode: str) -> int:
        """Units of one mode, whatever came of them."""
        ended = [*self.rejected.items(), *self.failed.items(), *self.waiting.items()]
        return self.kept[mode] + sum(n for (one, *_), n in ended if one == mode)

    def no_signal_by_length(self) -> list[tuple[str, Share]]:
        """Share of items refused for want of personal signal, by number of earlier posts."""
        rows = []
        for low, high in _LENGTHS:
            refused = [
                nothing
                for posts, nothing in self.no_signal.values()
                if posts >= low and (high is None or posts <= high)
            ]
            if refused:
                name = f"{low} or more" if high is None else f"{low} to {high}"
                rows.append((name, share(sum(refused), len(refused))))
        return rows


def tally_outcomes(store: Store) -> Tally:
    """The spooled outcomes of the last run, counted."""
    counted = Tally()
    for outcome in iterate_outcomes(store):
        counted.add(outcome)
    return counted


class ReplyCheck(NamedTuple):
    """A share over the replies of some calls, by which a model of the build is judged."""

    name: str
    """The purpose of the calls, such as `support_control`."""
    meaning: str
    found: Share
    """k of n cases, with its 95 % interval."""


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


# By the purpose of the calls: what is counted, and how a reply is read.
CHECKS: dict[str, tuple[str, Callable[[str], list[bool]]]] = {
    "support": ("support by own post", _carried),
    "support_control": ("support by stranger's post", _carried),
    "planner_precision": ("planned, in the gold list", _matched),
    "planner_recall": ("gold, in the plan", _matched),
}


def model_checks(store: Store, counted: Tally) -> list[ReplyCheck]:
    """Each check with its share over the calls of a run; replies that cannot be read count
    for nothing."""
    rows = []
    for name, (meaning, read) in CHECKS.items():
        bodies = ((key, store.get(key)) for key in counted.calls[name])
        passed = [
            answer
            for key, body in bodies
            if body is not None
            for answer in read(completion_of(key, body).text)
        ]
        rows.append(ReplyCheck(name, meaning, share(sum(passed), len(passed))))
    return rows
