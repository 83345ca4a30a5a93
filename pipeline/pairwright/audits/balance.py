"""How many pairs there are of each kind, whether one user has most of them, repeated prompts, and
beside them the figures of other pairs, such as the official benchmark's, which decide nothing.

The limit on a user's share of a configuration is 5 %, or three equal shares where there are fewer
than 60 users: of 20 users, one with 2 pairs where the others have 1 is not a finding.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pairwright.audits.catalogue import note_check
from pairwright.audits.read.source import ReadRow
from pairwright.audits.records import Breakdown, Check, Count, Flag
from pairwright.audits.row_check import RowCheck
from pairwright.dataset import Row
from pairwright.estimate import Estimate
from pairwright.text import normalised, word_count

MAX_SHARE = 0.05
MIN_USERS = 20
"""With fewer users, the share of one is not compared with a limit."""
MOST_VALUES = 30
"""Values of a property in a breakdown."""
STEP = 50
"""Words in a class of lengths."""


class PairSums:
    """Pairs that have one value of one property, and the figures by which they are compared with a
    target."""

    def __init__(self) -> None:
        self.pairs = 0
        self.aspects = 0
        self.users: set[str] = set()
        self.chosen_words = self.rejected_words = 0

    def add(self, row: Row, words: tuple[int, int]) -> None:
        self.pairs += 1
        self.aspects += len(row.rubric_aspects)
        if row.user is not None:
            self.users.add(row.user)
        self.chosen_words += words[0]
        self.rejected_words += words[1]

    def mean(self, total: int) -> float:
        """A sum over the number of pairs."""
        return round(total / self.pairs, 6)

    def count(self, name: str) -> Count:
        return Count(
            name=name,
            pairs=self.pairs,
            users=len(self.users),
            chosen_words=self.mean(self.chosen_words),
            rejected_words=self.mean(self.rejected_words),
        )


class Balance:
    """Counts by property, and the rows of each user by configuration."""

    names = ("user_dominates", "repeated_prompts")

    def __init__(self) -> None:
        self._sums: dict[str, dict[str, PairSums]] = defaultdict(lambda: defaultdict(PairSums))
        self._rows: dict[str, dict[str, list[str]]] = defaultdict(dict)
        self._prompts: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
        """Item and id of the first row with a prompt, by configuration and by the prompt's hash."""
        self._repeated = RowCheck(
            "repeated_prompts", limit=None, others=None, by_config=True,
            nothing="every row names its user",
        )  # fmt: skip
        self.domains: dict[str, str] = {}
        """By configuration."""

    def add(self, line: ReadRow) -> None:
        row = line.row
        words = word_count(row.chosen), word_count(row.rejected)
        for by, value in _properties(row, words[0]):
            self._sums[by][value].add(row, words)
        self.domains[row.config] = row.domain
        if row.user is not None:
            self._rows[row.config].setdefault(row.user, []).append(row.id)
            return
        # Pairs that one row of a file holds are of one item, and repeat nothing.
        item = row.item_id or row.id
        key = hash(normalised(row.question))
        first, name = self._prompts[row.config].setdefault(key, (item, row.id))
        self._repeated.add(row, f"the prompt of {name}" if first != item else None)

    def checks(self) -> Iterable[Check]:
        """The share of the user with the most pairs, in each configuration that has users; repeated
        prompts in rows without users."""
        yield from (_dominance(config, users) for config, users in sorted(self._rows.items()))
        if self._prompts:
            yield from self._repeated.checks(
                {config: f"{len(own):,} different prompts" for config, own in self._prompts.items()}
            )

    def breakdowns(self) -> tuple[Breakdown, ...]:
        """Every property of which any row has a value."""
        found = []
        for by, sums in self._sums.items():
            if set(sums) != {""}:
                ordered = sorted(sums.items(), key=lambda item: (-item[1].pairs, item[0]))
                rows = tuple(own.count(value) for value, own in ordered[:MOST_VALUES])
                left_out = max(0, len(ordered) - MOST_VALUES)
                found.append(Breakdown(by=by, rows=rows, left_out=left_out))
        return tuple(found)

    @property
    def by_domain(self) -> dict[str, PairSums]:
        return self._sums["domain"]


def _properties(row: Row, chosen_words: int) -> Iterator[tuple[str, str]]:
    yield "configuration", row.config
    yield "domain", row.domain
    yield "category", row.category
    yield "source", row.source
    yield "user", row.user or ""
    yield "aspects", str(len(row.rubric_aspects))
    yield "posts", str(len(row.profile))
    start = chosen_words // STEP * STEP
    yield "words of the chosen response", f"{start} to {start + STEP - 1}"
    yield "generator", row.generator
    yield "strategy", row.strategy


def _dominance(config: str, users: dict[str, list[str]]) -> Check:
    most = min(users, key=lambda user: (-len(users[user]), user))
    pairs, count = sum(map(len, users.values())), len(users[most])
    limit = max(MAX_SHARE, 3 / len(users))
    few = len(users) < MIN_USERS
    over = not few and count / pairs > limit
    detail = f"{count:,} of {pairs:,} pairs are of {most}; {len(users):,} users"
    return Check(
        family="balance",
        name="user_dominates",
        config=config,
        status="note" if few else "fail" if over else "pass",
        count=count,
        of=pairs,
        limit=None if few else round(limit, 6),
        detail=f"{detail}, too few for a limit" if few else detail,
        flags=tuple(Flag(row=row) for row in users[most]) if over else (),
    )


OFFICIAL_SIZES = {
    "Art_and_Entertainment": 767,
    "Lifestyle_and_Personal_Development": 989,
    "Society_and_Culture": 1074,
}
"""Items of Personalized RewardBench by domain (arXiv 2604.07343; the dataset's card)."""


class ComparedPairs(NamedTuple):
    """One of the two sets of pairs: its name, counts, and checks of family shortcuts."""

    name: str
    balance: Balance
    checks: tuple[Check, ...]


def compare(own: ComparedPairs, other: ComparedPairs) -> Iterator[Check]:
    """Sizes, lengths and aspects of every domain; accuracies of configurations that have one name,
    or are of one domain where the other has no modes. The only domain of one set and the only one
    of the other are compared whatever their names, and so are the only configurations."""
    for domain, sums in sorted(own.balance.by_domain.items()):
        yield from _domain(domain, sums, other, alone=len(own.balance.by_domain) == 1)
    for check in own.checks:
        for counterpart in other.checks:
            if check.name != counterpart.name or not (check.found and counterpart.found):
                continue
            if _comparable(check, counterpart, own, other):
                config = counterpart.config
                named = f"{other.name}, {config}" if config else other.name
                figures = (_interval_text(check.found), _interval_text(counterpart.found))
                detail = f"{check.name}: {figures[0]}; {figures[1]} in {named}"
                yield note_check(
                    "blind_accuracy", check.config, check.found, of=check.of, detail=detail
                )


def _domain(domain: str, own: PairSums, other: ComparedPairs, *, alone: bool) -> Iterator[Check]:
    domains = other.balance.by_domain
    named = next(iter(domains)) if alone and len(domains) == 1 else domain
    there, name = domains.get(named), other.name
    if there is not None and named != domain:
        name = f"{name}, {named}" if named else name
    size = f"{own.pairs:,} pairs; "
    if there is not None:
        size += f"{there.pairs:,} in {name}"
    else:
        size += f"{name} has no domain of this name, but {', '.join(map(repr, sorted(domains)))}"
        size += ": nothing else is compared"
    if domain in OFFICIAL_SIZES:
        size += f"; the official benchmark has {OFFICIAL_SIZES[domain]:,} items"
    yield note_check("size", domain, of=own.pairs, detail=size)
    if there is None:
        return
    lengths = (
        f"{own.mean(own.chosen_words):.1f} words chosen and {own.mean(own.rejected_words):.1f}"
        f" rejected, on average; {there.mean(there.chosen_words):.1f} and"
        f" {there.mean(there.rejected_words):.1f} in {name}"
    )
    yield note_check("lengths", domain, of=own.pairs, detail=lengths)
    aspects = f"{own.mean(own.aspects):.2f} aspects on average;"
    aspects += f" {there.mean(there.aspects):.2f} in {name}"
    yield note_check("aspects_per_item", domain, of=own.pairs, detail=aspects)


def _comparable(check: Check, counterpart: Check, own: ComparedPairs, other: ComparedPairs) -> bool:
    only = {check.config} == own.balance.domains.keys()
    if only and {counterpart.config} == other.balance.domains.keys():
        return True
    if check.config == counterpart.config or check.config in other.balance.domains:
        return check.config == counterpart.config
    return own.balance.domains.get(check.config) == other.balance.domains.get(counterpart.config)


def _interval_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "no estimate"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f} (n = {estimate.n:,})"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f}, n = {estimate.n:,})"
