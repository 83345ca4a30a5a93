"""Counting the outcomes of a run: what the table, `status` and the manifest are made of."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from pairwright.blind_preference import PreferenceCase, PreferenceFigure, preference_figures
from pairwright.construct.funnel import stages_up_to
from pairwright.construct.unit_tally import UnitTally, index_of
from pairwright.estimate import Estimate, share
from pairwright.models import Leniency
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store
from pairwright.modes import Stage
from pairwright.records import Mode

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
    simulated: int = 0
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
        self.simulated += n * unit.simulated
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
        """The units that were refused because no reply could be used, by stage and reason."""
        found = Counter[tuple[str, str]]()
        for (_, stage, reason), n in self.rejected.items():
            if stage != "gates" and reason in UNUSABLE:
                found[stage, reason] += n
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
    def units(self) -> int:
        ended = (self.kept, self.rejected, self.failed, self.waiting)
        return sum(some.total() for some in ended)

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


def model_checks(counted: Tally) -> list[ReplyCheck]:
    """Each check with its share over the calls of a run; replies that cannot be read count
    for nothing."""
    return [
        ReplyCheck(name, meaning, share(*counted.readings.get(name, (0, 0))))
        for name, meaning in CHECKS.items()
    ]
